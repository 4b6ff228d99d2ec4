// A list of jobs on a few OS threads; each has a checker of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace pilfer::model::verify {

// Calls job(0), job(1), ... each once; the first exception comes out of here.
template <class Job>
void run_jobs(unsigned threads, std::size_t count, const Job& job) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        job(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> crew;
  for (unsigned i = 0; i + 1 < std::min<std::size_t>(threads, count); ++i) crew.emplace_back(work);
  work();
  for (std::thread& t : crew) t.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace pilfer::model::verify
