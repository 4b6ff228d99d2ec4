// For a task that is going to block: on a file, a lock, a condition, another task. While the region lasts, another worker has its
// place, so that no core idles and N + 1 tasks that wait for one another finish on N workers.
//
//   {
//     const pilfer::blocking_region region;
//     queue.wait_and_pop(item);
//   }
//
// Outside of a pool it does nothing. Regions may be nested. Each costs a lock, and wakes or starts a thread: for what takes longer than
// some 50 microseconds. When it ends the task goes on at once; for a moment one thread more than the pool's size may work.
#pragma once

#include <future>

#include <pilfer/ext/immovable.hpp>

namespace pilfer {

namespace detail {
struct worker;
}

class [[nodiscard]] blocking_region : ext::immovable {
 public:
  blocking_region() noexcept;
  ~blocking_region();

 private:
  detail::worker* const self_;
};

// Waits for a std::future, in a blocking region if it is not ready.
template <class R>
R get(std::future<R>& from) {
  {
    const blocking_region region;
    from.wait();
  }
  return from.get();
}

}  // namespace pilfer
