// A search that is over when the first task finds something: the others are told to stop, and those that have not begun never do.
#include <atomic>
#include <cstdio>
#include <stop_token>

#include <pilfer/pilfer.hpp>

namespace {

// Babbage's question for his engine: whose square ends in 269696?
bool is_it(long n) { return n * n % 1'000'000 == 269'696; }

long find_any(long parts, long part_size) {
  std::atomic<long> found{-1};
  pilfer::task_group group;
  const auto search = [&](const std::stop_token& stop, long first) {
    for (long n = first; n < first + part_size; ++n) {
      if (stop.stop_requested()) return;  // somebody else was faster
      if (is_it(n)) {
        found = n;
        group.request_stop();
        return;
      }
    }
  };
  for (long part = 0; part < parts; ++part) group.spawn(search, part * part_size);
  const pilfer::group_outcome outcome = group.wait();
  std::printf("%zu of %ld tasks did not have to begin\n", outcome.cancelled, parts);
  return found;
}

}  // namespace

int main() {
  const long n = find_any(1000, 10'000);
  std::printf("%ld squared is %ld\n", n, n * n);
  return is_it(n) ? 0 : 1;
}
