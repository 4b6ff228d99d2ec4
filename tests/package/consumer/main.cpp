// A user's program: one queue of each kind that needs the compiled part of the library, and one that does not; and a coroutine that
// waits for a file; and what it says of schedulers that it does not have.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_lifo.hpp>

template <class Queue>
bool works(Queue& queue) {
  auto owner = queue.owner();
  if (!owner.push(1) || !owner.push(2) || !owner.push(3)) return false;
  const auto stolen = queue.thief().steal();
  return owner.pop() == 3U && (!stolen || *stolen == 1);
}

// Of the schedulers this program has the default one only.
bool names_the_library_to_link() {
  const auto refuses = [](const pilfer::pool_options& options) {
    try {
      const pilfer::pool pool(options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what()).find("link it with the library pilfer::research") != std::string::npos;
    }
    return false;
  };
  return refuses({.scheduler = "lace"}) && refuses({.levels = 2, .rule = pilfer::priority_rule::global}) &&
         refuses({.levels = 2, .count_inversions = true}) &&
         pilfer::scheduler_names() == std::vector<std::string>{"default"};
}

int main() {
  pilfer::queue::bwos_lifo<std::uint64_t> blocks({.blocks = 2, .entries = 2});
  pilfer::queue::asymmetric_deque<std::uint64_t> deque;
  const auto looks = []() -> pilfer::task<bool> {
    const pilfer::io::result<pilfer::io::file_status> found = co_await pilfer::io::stat("/");
    co_return static_cast<bool>(found);
  };
  return works(blocks) && works(deque) && pilfer::sync_wait(looks()) && names_the_library_to_link() ? 0 : 1;
}
