// Callers from outside: a caller sits down at a worker's seat and works there, or gives its job to a worker's thread and sleeps meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <pilfer/detail/fork/job.hpp>

#include "crew.hpp"
#include "events.hpp"
#include "execution.hpp"
#include "ready_set.hpp"
#include "rest.hpp"
#include "sleep.hpp"
#include "worker.hpp"

namespace pilfer::detail {

// Where callers sleep that have given a job to the pool. Beds are the pool's, not the callers': the thread that wakes a caller may still be at
// its bed when the caller is gone.
class guest_beds {
 public:
  //   Throws  std::bad_alloc.
  [[nodiscard]] latch_sleeper& borrow();
  void give_back(latch_sleeper& bed) noexcept;

 private:
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<latch_sleeper>> all_;
  std::vector<latch_sleeper*> free_;  // room for all of them
};

class visitors : immovable {
 public:
  struct neighbours {
    const runtime& home;
    ready_set& ready;
    events& completions;
    crew& members;
    const execution& runs;
    const sleep_room& sleep;
  };
  explicit visitors(const neighbours& told) noexcept : told_(told) {}

  // A caller takes a place. Returns null if all are taken, or callers do not work; then run_elsewhere. `always` takes one all the same.
  [[nodiscard]] worker* enter(bool always);
  void leave(worker& seat) noexcept;
  // Injects the job and returns when it has run. Returns false if the pool has no thread and can make none.
  [[nodiscard]] bool run_elsewhere(forked_job& work);

 private:
  void empty(worker& seat) noexcept;  // before its caller leaves

  const neighbours told_;
  guest_beds beds_;
};

// A caller inside a pool. A thread that is a worker of the pool already, further out, is that worker again.
class visit : immovable {
 public:
  enum class place : std::uint8_t { if_free, additional, at_any_price };
  //   Throws  std::bad_alloc, at any price, if there is no memory for another worker.
  visit(runtime& to, place wanted);
  ~visit();
  // False: no place was free.
  [[nodiscard]] explicit operator bool() const noexcept { return seat_ != nullptr; }

 private:
  runtime& home_;
  worker* seat_ = nullptr;
  std::optional<reentry> again_;  // if it is a worker of the pool already
};

}  // namespace pilfer::detail
