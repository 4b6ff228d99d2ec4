// A split deque whose owner never looks up: a signal handler exposes half of its items, wherever the owner is.
#include <pthread.h>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include <pilfer/queue/split_deque.hpp>

using deque = pilfer::queue::signal_safe_split_deque<long>;

namespace {
deque* interrupted = nullptr;  // the deque of the thread that gets the signal

extern "C" void on_signal(int) {
  auto owner = interrupted->owner();
  owner.expose((owner.private_size() + 1) / 2);
}
}  // namespace

int main() {
  deque queue;
  interrupted = &queue;
  std::signal(SIGUSR1, on_signal);
  const pthread_t victim = pthread_self();

  long stolen = 0;
  std::atomic<bool> stop{false};
  std::jthread thief([&, hands = queue.thief()]() mutable {
    while (!stop.load()) {
      const auto loot = hands.steal();
      if (loot) stolen += *loot;
      if (loot.status() == pilfer::ext::steal_status::private_work) pthread_kill(victim, SIGUSR1);
    }
  });

  auto owner = queue.owner();
  long pushed = 0;
  long kept = 0;
  for (long i = 1; i <= 1'000'000; ++i) {
    if (owner.push(i)) pushed += i;
    if (i % 2 == 0) kept += owner.take().value_or(0);
  }
  stop.store(true);
  thief.join();
  while (auto item = owner.take()) kept += *item;

  std::printf("pushed %ld = kept %ld + stolen %ld\n", pushed, kept, stolen);
  return pushed == kept + stolen ? 0 : 1;
}
