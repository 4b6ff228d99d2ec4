#include "lab/schedulers/thread_tally.hpp"

#include <mutex>

#include <pilfer/ext/counting_sync.hpp>

namespace pilfer::lab::schedulers {
namespace {

synchronization of_this_thread() noexcept {
  const ext::operation_counts& counts = ext::counting_sync::counts();
  return {.fences = counts.fences, .cas = counts.cas};
}

std::mutex& ended_mutex() {
  static std::mutex only;
  return only;
}

synchronization& ended() {
  static synchronization sum;
  return sum;
}

// Hands its thread's counts over when the thread ends.
struct last_words {
  last_words() noexcept { (void)of_this_thread(); }  // the counters are made first and so outlive this
  ~last_words() {
    const std::lock_guard lock(ended_mutex());
    ended() += of_this_thread();
  }
  last_words(const last_words&) = delete;
  last_words& operator=(const last_words&) = delete;
  void touch() const noexcept {}
};

synchronization sum_so_far() {
  const std::lock_guard lock(ended_mutex());
  synchronization sum = ended();
  sum += of_this_thread();
  return sum;
}

}  // namespace

void thread_tally::know_this_thread() noexcept {
  thread_local const last_words at_the_end;
  at_the_end.touch();
}

synchronization thread_tally::of(const std::function<void()>& work) {
  const synchronization before = sum_so_far();
  work();
  const synchronization after = sum_so_far();
  return {.fences = after.fences - before.fences, .cas = after.cas - before.cas};
}

}  // namespace pilfer::lab::schedulers
