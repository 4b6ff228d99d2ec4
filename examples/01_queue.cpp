// One owner, one thief: the owner pushes numbers and pops some back, the thief steals the rest.
#include <cstdio>
#include <thread>

#include <pilfer/queue/bwos_lifo.hpp>

int main() {
  pilfer::queue::bwos_lifo<long> queue({.blocks = 8, .entries = 128});
  long stolen = 0;
  std::jthread thief([&, hands = queue.thief()](const std::stop_token& stop) mutable {
    while (!stop.stop_requested()) {
      if (auto loot = hands.steal()) stolen += *loot;
    }
  });

  auto owner = queue.owner();
  long kept = 0;
  long pushed = 0;
  for (long i = 1; i <= 1'000'000; ++i) {
    while (!owner.push(i)) kept += owner.pop().value_or(0);  // full: make room
    pushed += i;
  }
  while (auto item = owner.pop()) kept += *item;

  thief.request_stop();
  thief.join();
  std::printf("pushed %ld = kept %ld + stolen %ld\n", pushed, kept, stolen);
  return pushed == kept + stolen ? 0 : 1;
}
