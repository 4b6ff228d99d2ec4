// Identity stress: one owner, some thieves, and each item exactly once.
//
// Every item has a number; a counter per number says how often it was handed out, and a plain payload per number, written by the
// owner before the push and by the taker afterwards, lets ThreadSanitizer check the happens-before edges between them. Besides:
//   owner      gets its own items in its order: a LIFO the youngest it has, unless thieves took all of them
//   thieves    each gets items in the order of their pushes (except from the middle of a FIFO of blocks)
//   bounded    after the owner found nothing, it can push: never empty and full at once
//   the end    pushed = popped + stolen + left, and thieves can reach all that is left but for a block
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

#include "support/environment.hpp"
#include "support/items.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {

// What the owner does.
enum class mix : std::uint8_t { push_heavy, pop_heavy, fill_and_drain, around_empty, push_only };
inline constexpr mix all_mixes[] = {mix::push_heavy, mix::pop_heavy, mix::fill_and_drain, mix::around_empty,
                                    mix::push_only};
[[nodiscard]] constexpr const char* to_string(mix m) {
  constexpr const char* names[] = {"push-heavy", "pop-heavy", "fill and drain", "around empty", "push only"};
  return names[static_cast<std::size_t>(m)];
}

struct stress_plan {
  std::uint64_t items = 0;
  unsigned thieves = 1;
  mix owner = mix::push_heavy;
  bool delays = false;  // pauses, yields and short sleeps at random places
  bool drain = false;   // the owner takes what is left while thieves still steal
  std::uint64_t seed = 0;

  [[nodiscard]] std::string describe() const {
    return std::to_string(items) + " items, " + std::to_string(thieves) + " thieves, " + to_string(owner) +
           (delays ? ", delays" : "") + (drain ? ", drain" : "") + ", " + describe_seed();
  }
};

// The first problem that any thread finds; then all stop.
class verdict {
 public:
  void fail(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    if (problem_.empty()) problem_ = problem;
    failed_.store(1, std::memory_order_release);
  }
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_acquire) != 0; }
  [[nodiscard]] const std::string& problem() const { return problem_; }  // when all threads have ended

 private:
  std::mutex mutex_;
  std::string problem_;
  ext::default_sync::atomic<std::uint32_t> failed_{0, "failed"};
};

// Now and then, something that shifts threads against one another.
class jitter {
 public:
  jitter(random_source& random, bool on) : random_(random), on_(on) {}
  void operator()() {
    if (!on_) return;
    const std::uint64_t choice = random_.below(512);
    if (choice < 64) {
      for (std::uint64_t i = 0; i < choice; ++i) ext::default_sync::pause();
    } else if (choice < 72) {
      std::this_thread::yield();
    } else if (choice == 72) {
      std::this_thread::sleep_for(std::chrono::microseconds(1 + random_.below(50)));
    }
  }

 private:
  random_source& random_;
  bool on_;
};

template <class Queue>
class stress_run {
 public:
  // `block`: entries of a block, 0 in a queue without blocks.
  stress_run(Queue& queue, std::size_t block, const stress_plan& plan)
      : queue_(queue), block_(block), plan_(plan), payload_(plan.items), handed_out_(plan.items) {}

  // Returns how many items were stolen.
  std::uint64_t run() {
    const watchdog dog(std::chrono::seconds(under_tsan ? 300 : 120),
                       std::string(traits.name) + ": " + plan_.describe());
    std::vector<std::uint64_t> stolen(plan_.thieves);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < plan_.thieves; ++t) {
      threads.emplace_back([this, t, &stolen] { stolen[t] = thief(plan_.seed + 1 + t); });
    }
    while (ready_.load(std::memory_order_acquire) < plan_.thieves) std::this_thread::yield();
    own();
    stop_.store(1, std::memory_order_release);
    for (std::thread& thread : threads) thread.join();

    std::uint64_t all_stolen = 0;
    for (const std::uint64_t n : stolen) all_stolen += n;
    check_the_end(all_stolen);
    EXPECT_EQ(verdict_.problem(), "") << plan_.describe();
    return all_stolen;
  }

 private:
  using item = typename Queue::item_type;
  static constexpr ext::queue_traits traits = Queue::traits;
  static constexpr bool lifo = traits.order == ext::queue_order::lifo;
  static constexpr auto relaxed = std::memory_order_relaxed;

  [[nodiscard]] static std::uint64_t note_of(std::uint64_t id) { return id * 0x9E3779B97F4A7C15ULL + 1; }

  // Whoever gets an item comes by here.
  bool received(const char* who, const item& got, std::uint64_t& id) {
    id = id_of(got);
    if (id >= plan_.items) {
      verdict_.fail(std::string(who) + " got garbage or a torn item: " + std::to_string(id));
      return false;
    }
    if (handed_out_[id].fetch_add(1, relaxed) != 0) {
      verdict_.fail(std::string(who) + " got item " + std::to_string(id) + ", which was handed out before");
      return false;
    }
    if (payload_[id] != note_of(id)) {
      verdict_.fail(std::string(who) + " does not see what was written before item " + std::to_string(id) +
                    " was pushed");
      return false;
    }
    payload_[id] = 0;
    return true;
  }

  // The owner's side.

  bool push() {
    const std::uint64_t id = pushed_;
    payload_[id] = note_of(id);
    if (!owner_.push(make_item<item>(id))) {
      if (!traits.bounded) verdict_.fail("a growing queue refused an item");
      if (saw_empty_) verdict_.fail("empty and full at once, at item " + std::to_string(id));
      saw_empty_ = false;
      return false;
    }
    saw_empty_ = false;
    ++pushed_;
    if (lifo) stack_.push_back(id);
    return true;
  }

  bool take() {
    const auto got = owner_.take();
    if (!got) {
      stack_.clear();  // stolen, all of it
      saw_empty_ = true;
      return false;
    }
    saw_empty_ = false;
    std::uint64_t id = 0;
    if (!received("the owner", *got, id)) return false;
    ++popped_;
    if (lifo) {
      if (stack_.empty() || stack_.back() != id)
        verdict_.fail("the owner got item " + std::to_string(id) + " out of order");
      if (!stack_.empty()) stack_.pop_back();
    } else {
      if (id < next_for_owner_) verdict_.fail("the owner got item " + std::to_string(id) + " out of order");
      next_for_owner_ = id + 1;
    }
    return true;
  }

  void own() {
    random_source random(plan_.seed);
    jitter delay(random, plan_.delays);
    // Beside another process a thread may wait for a processor all the while: then fewer items are enough.
    for (std::size_t round = 0; pushed_ < plan_.items && more_stress(round, plan_.items) && !verdict_.failed();
         ++round) {
      std::uint64_t pushes = 1;
      std::uint64_t pops = 0;
      switch (plan_.owner) {
        case mix::push_heavy: pushes = random.below(12), pops = random.below(6); break;
        case mix::pop_heavy: pushes = random.below(6), pops = random.below(9); break;
        case mix::fill_and_drain: pushes = random.below(600), pops = random.below(600); break;
        case mix::around_empty: pushes = random.below(3), pops = 1 + random.below(2); break;
        case mix::push_only: break;
      }
      for (std::uint64_t i = 0; i < pushes && pushed_ < plan_.items; ++i) {
        if (!push()) {
          // Thieves may make room, but in some queues only the owner can.
          if (random.one_in(2)) take();
          if (random.one_in(4)) std::this_thread::yield();
          break;
        }
        expose_sometimes(random);
        delay();
      }
      for (std::uint64_t i = 0; i < pops && take(); ++i) delay();
    }
    while (plan_.drain && !verdict_.failed() && take()) delay();
  }

  void expose_sometimes(random_source& random) {
    if constexpr (traits.split) {
      if (random.one_in(traits.requests ? 64 : 8)) owner_.expose(random.below(4));
    }
  }

  // A thief's side.

  std::uint64_t thief(std::uint64_t seed) {
    random_source random(seed * 0x9E3779B97F4A7C15ULL);
    jitter delay(random, plan_.delays);
    ext::thief_handle<Queue> thief = queue_.thief();
    std::vector<item> loot(block_ + 1);
    std::uint64_t stolen = 0;
    std::uint64_t next = 0;
    unsigned misses = 0;
    ready_.fetch_add(1, std::memory_order_release);
    while (stop_.load(std::memory_order_acquire) == 0 && !verdict_.failed()) {
      const std::uint64_t choice = random.below(64);
      if (choice == 0) static_cast<void>(thief.sample(random()));
      if (choice == 1) static_cast<void>(thief.size_hint());
      std::size_t count = 0;
      ext::steal_status status = ext::steal_status::empty;
      if (traits.batch && choice < 24) {
        if constexpr (traits.batch) {
          const auto result = thief.steal_batch(std::span<item>(loot).first(random.below(block_ + 2)));
          count = result.count;
          status = result.status;
        }
      } else {
        const auto result = steal_one(thief, random, choice);
        status = result.status();
        if (result) loot[0] = *result;
        if (result) count = 1;
      }
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t id = 0;
        if (!received("a thief", loot[i], id)) return stolen;
        ++stolen;
        if ((lifo || !traits.batch) && id < next)
          verdict_.fail("a thief got item " + std::to_string(id) + " out of order");
        next = id + 1;
      }
      if (count > 0) {
        misses = 0;
      } else {
        ask(thief, status);
        if (++misses % 16 == 0) std::this_thread::yield();
      }
      delay();
    }
    return stolen;
  }

  [[nodiscard]] static ext::steal_result<item> steal_one(ext::thief_handle<Queue>& thief, random_source& random,
                                                         std::uint64_t choice) {
    if constexpr (traits.random_start) {
      if (choice % 2 == 0) return thief.steal_at(random());
    }
    static_cast<void>(random);
    static_cast<void>(choice);
    return thief.steal();
  }

  static void ask(ext::thief_handle<Queue>& thief, ext::steal_status status) {
    if constexpr (traits.requests) {
      if (status == ext::steal_status::private_work) thief.request();
    }
    static_cast<void>(thief);
    static_cast<void>(status);
  }

  // All threads but this one have ended.
  void check_the_end(std::uint64_t stolen) {
    if (verdict_.failed()) return;
    const std::uint64_t left = pushed_ - popped_ - stolen;
    std::uint64_t found = 0;
    std::uint64_t id = 0;
    if constexpr (traits.split) owner_.expose(pushed_);
    auto last = queue_.thief().steal();
    for (; last; last = queue_.thief().steal()) {
      if (!received("the last thief", *last, id)) return;
      ++found;
    }
    // Alone, a thief loses only against a kernel that withdrew its barrier.
    if (left - found > block_ && last.status() != ext::steal_status::lost)
      verdict_.fail(std::to_string(left - found) + " items are out of the thieves' reach");
    while (const auto got = owner_.take()) {
      if (!received("the owner, at the end,", *got, id)) return;
      ++found;
    }
    if (found != left) {
      verdict_.fail("pushed " + std::to_string(pushed_) + ", popped " + std::to_string(popped_) + ", stolen " +
                    std::to_string(stolen) + ", left " + std::to_string(found));
    }
    for (std::uint64_t i = 0; i < pushed_; ++i) {
      if (handed_out_[i].load(relaxed) != 1) return verdict_.fail("item " + std::to_string(i) + " was lost");
    }
  }

  Queue& queue_;
  const std::size_t block_;
  const stress_plan plan_;
  ext::owner_handle<Queue> owner_{queue_};
  std::vector<std::uint64_t> payload_;
  ext::fixed_array<ext::default_sync::atomic<std::uint8_t>, ext::default_sync> handed_out_;
  std::uint64_t pushed_ = 0;
  std::uint64_t popped_ = 0;
  std::vector<std::uint64_t> stack_;  // what a LIFO owner may get next, unless thieves took all
  std::uint64_t next_for_owner_ = 0;
  bool saw_empty_ = false;
  verdict verdict_;
  ext::default_sync::atomic<std::uint32_t> ready_{0, "ready"};
  ext::default_sync::atomic<std::uint32_t> stop_{0, "stop"};
};

// One size of a queue.
template <class Queue>
struct stress_size {
  std::size_t block;
  std::function<std::unique_ptr<Queue>()> make;
};

template <class Queue, class... Arguments>
[[nodiscard]] stress_size<Queue> sized(std::size_t block, Arguments... arguments) {
  return {block, [=] { return std::make_unique<Queue>(arguments...); }};
}

// Every mix with 1, 2 and 5 thieves on every size; delays and the end by chance.
template <class Queue>
void stress(const std::vector<stress_size<Queue>>& sizes) {
  std::uint64_t stolen = 0;
  random_source random(base_seed());
  for (const unsigned thieves : {1U, 2U, 5U}) {
    for (const mix owner : all_mixes) {
      for (std::size_t size = 0; size < sizes.size(); ++size) {
        const stress_plan plan{.items = stress_amount(12000),
                               .thieves = thieves,
                               .owner = owner,
                               .delays = random.one_in(2),
                               .drain = random.one_in(2),
                               .seed = random()};
        const std::unique_ptr<Queue> queue = sizes[size].make();
        SCOPED_TRACE("size " + std::to_string(size));
        stolen += stress_run<Queue>(*queue, sizes[size].block, plan).run();
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
  EXPECT_GT(stolen, 0U) << "nothing was ever stolen";
}

// Far more threads than cores.
template <class Queue>
void stress_oversubscribed(const stress_size<Queue>& size) {
  for (const bool delays : {false, true}) {
    const stress_plan plan{.items = stress_amount(12000),
                           .thieves = 16,
                           .owner = mix::push_heavy,
                           .delays = delays,
                           .drain = true,
                           .seed = base_seed() + (delays ? 1 : 0)};
    const std::unique_ptr<Queue> queue = size.make();
    stress_run<Queue>(*queue, size.block, plan).run();
  }
}

}  // namespace pilfer::test
