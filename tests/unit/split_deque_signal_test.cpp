// The signal-safe split deque, interrupted by real signals: once at every single instruction of the owner's operations, and at
// random moments while a thief steals.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <gtest/gtest.h>

#include <pilfer/queue/split_deque.hpp>

#include "memory_orders.hpp"
#include "support/environment.hpp"
#include "support/items.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using queue::signal_safe_split_deque;

// Installs a handler and puts the old one back.
class handler_guard {
 public:
  handler_guard(int signal, void (*handler)(int, siginfo_t*, void*)) : signal_(signal) {
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    EXPECT_EQ(::sigaction(signal_, &action, &old_), 0);
  }
  ~handler_guard() { ::sigaction(signal_, &old_, nullptr); }
  handler_guard(const handler_guard&) = delete;
  handler_guard& operator=(const handler_guard&) = delete;

 private:
  int signal_;
  struct sigaction old_{};
};

#if defined(__x86_64__)

// Memory from a shelf: malloc would be thousands of instructions to step through.
struct shelf_sync : ext::default_sync {
  [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t /*alignment*/) noexcept {
    void* const place = shelf() + used();
    used() += (bytes + ext::isolation_bytes - 1) / ext::isolation_bytes * ext::isolation_bytes;
    return used() <= size ? place : nullptr;
  }
  static void deallocate(void* /*memory*/, std::size_t /*alignment*/) noexcept {}
  static void clear() noexcept { used() = 0; }

 private:
  static constexpr std::size_t size = 1 << 16;
  [[nodiscard]] static std::byte* shelf() noexcept {
    alignas(ext::isolation_bytes) static std::byte bytes[size];
    return bytes;
  }
  [[nodiscard]] static std::size_t& used() noexcept {
    static std::size_t n = 0;
    return n;
  }
};

using stepped_queue = signal_safe_split_deque<item16, shelf_sync>;

// What the handler does when `countdown` instructions have run.
struct interruption {
  stepped_queue* queue = nullptr;
  std::size_t countdown = 0;
  std::size_t exposes = 0;
  bool steals = false;  // a thief runs right after the handler
  std::vector<std::uint64_t> stolen;
  bool happened = false;
};
interruption* volatile current_interruption = nullptr;

constexpr long long trap_flag = 0x100;

void on_step(int /*signal*/, siginfo_t* /*info*/, void* context) {
  interruption& now = *current_interruption;
  if (now.happened || now.countdown-- > 0) return;
  now.happened = true;
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~trap_flag;
  if (now.exposes > 0) now.queue->owner().expose(now.exposes);
  if (now.steals) {
    if (const auto got = now.queue->thief().steal()) now.stolen.push_back(id_of(*got));
  }
}

template <class Operation>
[[gnu::noinline]] void single_stepped(Operation operation) {
  __writeeflags(__readeflags() | trap_flag);
  operation();
  __writeeflags(__readeflags() & ~static_cast<unsigned long long>(trap_flag));
}

// pop is the beginning of take.
enum class operation { push, take, pop_public, expose };

// Three items show every case of a split; a push onto capacity() = 2 also grows.
constexpr std::uint64_t most_items(operation op) { return op == operation::push ? 2 : 3; }

// One run: `items` items of which `exposed` are public, then the operation, interrupted after k instructions. Returns false
// when the operation has fewer instructions.
bool run_stepped(operation op, std::uint64_t items, std::size_t exposed, interruption& plan, std::size_t k) {
  shelf_sync::clear();
  stepped_queue q(2);
  std::vector<int> seen(items + 1);
  for (std::uint64_t id = 0; id < items; ++id) EXPECT_TRUE(q.owner().push(make_item<item16>(id)));
  q.owner().expose(exposed);
  plan.queue = &q;
  plan.countdown = k;
  plan.happened = false;
  plan.stolen.clear();
  current_interruption = &plan;

  std::uint64_t pushed = items;
  std::optional<item16> got;
  switch (op) {
    case operation::push: {
      bool accepted = false;
      const item16 item = make_item<item16>(items);
      single_stepped([&] { accepted = q.owner().push(item); });
      EXPECT_TRUE(accepted);
      ++pushed;
      break;
    }
    case operation::take: single_stepped([&] { got = q.owner().take(); }); break;
    case operation::pop_public: single_stepped([&] { got = q.owner().pop_public(); }); break;
    case operation::expose: single_stepped([&] { q.owner().expose(1); }); break;
  }

  // The owner got the youngest item or none; after it the deque holds each other item once.
  std::uint64_t youngest = pushed;
  const auto owner_got = [&](const item16& item) {
    EXPECT_EQ(id_of(item), youngest - 1) << "the owner's order";
    youngest = id_of(item);
    if (id_of(item) < seen.size()) ++seen[id_of(item)];
  };
  if (got) owner_got(*got);
  EXPECT_LE(q.owner().private_size(), pushed);
  for (const std::uint64_t id : plan.stolen) ++seen.at(id);
  while (const auto rest = q.owner().take()) owner_got(*rest);
  EXPECT_FALSE(q.thief().steal());
  for (std::uint64_t id = 0; id < pushed; ++id) EXPECT_EQ(seen[id], 1) << "item " << id;
  return plan.happened;
}

// Steps through each operation from each small state once per instruction, so the effort is quadratic: small states only.
TEST(split_deque_signal, expose_may_interrupt_any_instruction) {
  if (under_tsan || under_asan) GTEST_SKIP() << "would step through the sanitizer's code, not ours";
  struct plan {
    std::size_t exposes;
    bool steals;
  };
  const handler_guard guard(SIGTRAP, on_step);
  std::size_t interruptions = 0;
  for (const operation op : {operation::push, operation::take, operation::pop_public, operation::expose}) {
    for (std::uint64_t items = 0; items <= most_items(op); ++items) {
      for (std::size_t exposed = 0; exposed <= items; ++exposed) {
        if (op == operation::pop_public && exposed != items) continue;  // it requires that nothing is private
        for (const plan& what : {plan{1, false}, plan{2, true}, plan{0, true}}) {
          interruption now;
          now.exposes = what.exposes;
          now.steals = what.steals;
          now.stolen.reserve(4);
          for (std::size_t k = 0; run_stepped(op, items, exposed, now, k); ++k) {
            ++interruptions;
            if (HasFailure()) {
              FAIL() << "operation " << static_cast<int>(op) << ", items " << items << ", exposed " << exposed
                     << ", handler exposes " << what.exposes << ", steals " << what.steals << ", after " << k
                     << " instructions";
            }
          }
        }
      }
    }
  }
  current_interruption = nullptr;
  EXPECT_GT(interruptions, 1000U) << "single-stepping does not work here";
}

#endif  // __x86_64__

// The owner's queue for the handler, and how often it ran. Only the owner's thread touches them, and its handler.
signal_safe_split_deque<item8>* volatile owned = nullptr;
ext::default_sync::atomic<std::uint64_t> handled{0, "handled"};

void on_request(int /*signal*/, siginfo_t* /*info*/, void* /*context*/) {
  const int saved = errno;
  const std::uint64_t n = handled.load(std::memory_order_relaxed);
  if (auto* const queue = owned) queue->owner().expose(1 + n % 3);
  handled.store(n + 1, std::memory_order_release);
  errno = saved;
}

TEST(split_deque_signal, exposure_by_signals_while_a_thief_steals) {
  SCOPED_TRACE(describe_seed());
  const watchdog dog(std::chrono::seconds(120), "signals", describe_seed);
  const int signal = SIGRTMIN;
  const handler_guard guard(signal, on_request);

  const std::uint64_t items = stress_amount(2'000'000);
  signal_safe_split_deque<item8> q(8);
  std::vector<std::uint64_t> payload(items);  // plain: whoever takes an item must see what the owner wrote
  std::vector<std::uint8_t> by_owner(items);
  std::vector<std::uint8_t> by_thief(items);
  ext::default_sync::atomic<std::uint32_t> stop{0, "stop"};
  handled.store(0, relaxed);
  owned = &q;

  // Asks like a scheduler's thief: when it sees private work, it sends a signal and waits for the handler.
  std::uint64_t sent = 0;
  std::uint64_t last = 0;
  std::string problem;
  std::thread thief([&, owner = ::pthread_self()] {
    while (stop.load(std::memory_order_acquire) == 0) {
      const auto got = q.thief().steal();
      if (got) {
        const std::uint64_t id = id_of(*got);
        if (id >= items || payload[id] != id * 3 + 1 || id < last) {
          problem = "the thief got " + std::to_string(id) + " after " + std::to_string(last);
          return;
        }
        last = id;
        ++by_thief[id];
      } else if (got.status() == ext::steal_status::private_work && handled.load(std::memory_order_acquire) >= sent) {
        if (::pthread_kill(owner, signal) == 0) ++sent;
      } else {
        std::this_thread::yield();  // the owner may need this core
      }
    }
  });

  // The owner pushes and takes at random around a few items, and compares with a stack of its own.
  random_source random(base_seed());
  std::vector<std::uint64_t> stack;
  std::uint64_t next = 0;
  std::uint64_t steps = 0;
  bool in_order = true;
  while (in_order && next < items) {
    if (random.below(16) < 9) {
      payload[next] = next * 3 + 1;
      ASSERT_TRUE(q.owner().push(make_item<item8>(next)));
      stack.push_back(next);
      ++next;
    } else if (const auto got = q.owner().take()) {
      in_order = !stack.empty() && id_of(*got) == stack.back();
      if (in_order) {
        stack.pop_back();
        ++by_owner[id_of(*got)];
      }
    } else {
      stack.clear();  // all of it was stolen
    }
    // Lets the thief run where there is one core; and ThreadSanitizer holds signals back until the thread calls something.
    if (++steps % 256 == 0) ::usleep(under_tsan ? 1 : 0);
  }
  stop.store(1, std::memory_order_release);
  thief.join();
  owned = nullptr;
  EXPECT_TRUE(in_order) << "the owner's order";
  EXPECT_EQ(problem, "");
  std::uint64_t stolen = 0;
  while (const auto got = q.owner().take()) ++by_owner.at(id_of(*got));
  for (std::uint64_t id = 0; id < next; ++id) {
    ASSERT_EQ(by_owner[id] + by_thief[id], 1) << "item " << id;
    stolen += by_thief[id];
  }
  RecordProperty("signals", static_cast<int>(handled.load(relaxed)));
  RecordProperty("stolen", static_cast<int>(stolen));
  EXPECT_GT(handled.load(relaxed), 0U) << "no signal arrived";
  EXPECT_GT(stolen, 0U);
}

}  // namespace
}  // namespace pilfer::test
