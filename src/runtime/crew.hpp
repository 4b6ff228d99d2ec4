// The crew of a pool: its workers, the threads that some of them have, the places at which they work, and the seats for callers.
//
// A worker is a seat that a thread or a caller takes; it is never destroyed before the pool. Who of them may work at a time is decided in
// detail/protocol/places.hpp, whose mutex guards everything here. What a worker is made of and what its thread does, the crew is told.
//
// State        writer            reader   meaning
//   stopping_  under the mutex   all      the pool ends
//   has_threads_ under the mutex all      a thread was made; a hint
//
// Edges
//   stop       stop: store of stopping_ -> has_ended: load of stopping_   what the destructor's caller did before is visible
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../sync/system_thread.hpp"
#include "roster.hpp"
#include "worker.hpp"

namespace pilfer::detail {

struct crew_orders {
  static constexpr ext::edge stop{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

class crew : immovable {
  using orders = crew_orders;

 public:
  // Makes the worker of that number. What it throws, but for std::bad_alloc, the constructor of the pool throws for the first worker.
  using maker = std::function<std::unique_ptr<worker>(unsigned index)>;
  using life = std::function<void(worker& self)>;  // what the thread of a worker does until has_ended()

  struct traits {
    std::size_t most_threads;
    std::size_t stack_bytes = 0;  // of each thread; 0: the system's default
    bool callers_work = true;
  };
  crew(roster& workers, std::size_t places, const traits& wanted, maker make, life live);
  // Once, before anything else: the first seat, which is a caller's, and the threads. As many threads as can be had.
  //   Throws  std::bad_alloc, what the maker throws.
  void start();

  // Hints.
  [[nodiscard]] std::size_t places() const noexcept { return places_.count(); }
  [[nodiscard]] bool is_surplus() const noexcept { return places_.is_surplus(); }
  struct size {
    std::ptrdiff_t active;
    std::size_t threads;
    std::size_t missing;  // threads that could not be made
  };
  [[nodiscard]] size count() const noexcept;

  // Threads. A place that is vacant goes to a spare worker, to a new thread, or to a worker that sleeps in a wait; or to a spare worker only.
  // Returns false if it stays vacant.
  enum class vacancy : std::uint8_t { for_spares, for_anyone };
  bool offer_place(vacancy place) noexcept;
  [[nodiscard]] bool has_threads() noexcept;      // or can make one
  [[nodiscard]] bool has_hands() const noexcept;  // threads, or callers that are inside
  void resize(std::size_t places);
  void begin_life() noexcept { places_.count_call(-1); }  // by each thread, first
  // Returns true if the worker is surplus, and is spare from now on: its thread calls sleep_as_spare next.
  [[nodiscard]] bool retire(worker& self) noexcept;
  void sleep_as_spare(worker& self) noexcept { places_.sleep_as_spare(self.crew); }

  // A worker whose thread sleeps or blocks: see detail/protocol/places.hpp.
  [[nodiscard]] pool_places::vacated begin_block(worker& self, const pool_places::block& how) noexcept;
  bool end_block(worker& self) noexcept { return places_.end_block(self.crew); }

  // Callers. Null: no place is free, unless `always`; or no memory.
  [[nodiscard]] worker* take_seat(bool always);
  struct vacated_seat {
    bool anyone_spare = false;
    bool may_strand = false;  // work in the queues of workers that sleep
  };
  vacated_seat leave_seat(worker& seat) noexcept;
  [[nodiscard]] bool is_stopping() const noexcept { return stopping_.load(orders::relaxed); }  // hint
  [[nodiscard]] bool has_ended() const noexcept { return stopping_.load(orders::stop.acq); }
  void stop() noexcept;  // the threads end soon
  void join() noexcept;

 private:
  // All under the mutex.
  [[nodiscard]] worker* add_worker();                 // null: no room or no memory
  [[nodiscard]] worker* find_seat(std::size_t kept);  // a free one, but for so many; otherwise a new one
  [[nodiscard]] bool start_thread();                  // false: it could not be created
  [[nodiscard]] bool start_another() noexcept;        // the same for a vacant place; a failure is counted

  pool_places places_;
  const traits traits_;
  const maker make_;
  const life live_;
  ext::default_sync::atomic<bool> stopping_{false};
  ext::default_sync::atomic<bool> has_threads_{false};

  ext::default_sync::mutex& mutex_ = places_.mutex();  // guards what follows
  roster& workers_;
  std::vector<worker*> free_seats_;  // of callers who have left; room for all workers
  std::vector<std::unique_ptr<system_thread>> threads_;
  std::size_t callers_ = 0;  // inside
  std::size_t missing_ = 0;
};

}  // namespace pilfer::detail
