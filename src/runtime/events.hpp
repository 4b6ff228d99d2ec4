// The events of a pool, which an event source brings: completions of I/O. When a worker looks for them, submits what its jobs have prepared,
// and sleeps for them. What a worker keeps of it is its `events` (worker.hpp).
//
// State        writer            reader   meaning
//   source_    under the mutex   all      null: the pool has no source
//   watch_     see detail/protocol/watch.hpp
//
// Edges
//   attach     attach: store of source_ -> source(): load of source_   a source is whole before it is used
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>

#include "event_source.hpp"
#include "worker.hpp"

namespace pilfer::detail {

struct events_orders {
  static constexpr ext::edge attach{};
};

class events : immovable {
  using orders = events_orders;

 public:
  // `called_by`: the sleepers of the pool. `defers`: a worker takes a single completion as its next job, and calls no sleeper for it.
  events(parking<ext::default_sync>& called_by, bool defers) noexcept : parking_(called_by), defers_(defers) {}

  // The first source that is attached stays until the pool ends, and is returned.
  event_source& attach(std::unique_ptr<event_source> source) noexcept;
  [[nodiscard]] event_source* source() const noexcept { return source_.load(orders::attach.acq); }

  // All by the worker itself; where there is no source they do nothing.

  // Between two jobs, or in a wait that has advanced. Some jobs are between two looks, as many as the last one brought.
  void attend(worker& self) noexcept {
    if (source() != nullptr) [[unlikely]]
      attend_source(self);
  }
  // The caller is idle: it looks for work next, and sleeps if it finds none. As long as events come, the caller runs their jobs and submits
  // what several of them have prepared in one call. What a single job has prepared is submitted by the call that sleeps.
  void attend_idle(worker& self) noexcept;
  // In a wait: what is awaited may wait for events of this worker.
  void look(worker& self) noexcept;
  // The same by a thread that has given up its place, for every worker of the pool. Returns how many came.
  std::size_t look_for_all(worker& self) noexcept;
  // By a worker that has found no work: takes what has come for any worker. Returns how many.
  std::size_t take_all(worker& self) noexcept;
  void flush(worker& self) noexcept;
  void begin_job(worker& self) noexcept;  // that it has found while it was idle
  void leave(worker& self) noexcept;      // before it blocks or retires

  [[nodiscard]] bool is_waiting(const worker& self) const noexcept;  // for events of its own
  [[nodiscard]] bool are_outstanding(const worker& self) const noexcept;

  // Before a worker parks, after it has announced that.
  struct outlook {
    bool has_come = false;             // something that it could take
    std::chrono::nanoseconds nap{-1};  // how long it may sleep; negative: no limit
    [[nodiscard]] bool watches() const noexcept { return nap.count() >= 0; }
  };
  [[nodiscard]] outlook look_out(const worker& self) const noexcept;
  // Parks. Returns true if it was called.
  bool sleep(worker& self, std::chrono::nanoseconds limit, bool watches) noexcept;
  // By any thread: wakes the worker, if it sleeps in the source. Returns true if it did.
  bool kick(worker_face& sleeper) const noexcept;

 private:
  void attend_source(worker& self) noexcept;
  // Null: there is no source, or a job comes before the next look.
  [[nodiscard]] event_source* begin_look(worker& self) noexcept;
  static void flush(worker& self, event_source& from) noexcept;
  std::size_t reap_alone(worker& self, event_source& from) noexcept;
  void end_look(worker& self, event_source& from, std::size_t came) noexcept;
  void call_watcher(worker& self, const event_source& from) noexcept;

  parking<ext::default_sync>& parking_;
  const bool defers_;
  ext::default_sync::atomic<event_source*> source_{nullptr};
  watch<ext::default_sync> watch_;
  std::mutex mutex_;  // guards what follows
  std::unique_ptr<event_source> owned_;
};

}  // namespace pilfer::detail
