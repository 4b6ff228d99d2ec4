// Random interleavings of an owner and two thieves, deterministic and in one thread: before any access to shared memory, an
// operation of another role may run from start to end, and be interrupted in turn. Finds what depends on where a thread stands
// still, such as a thief that has claimed an item and not yet read it; says nothing about weak memory, which is the checker's.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

#include "support/any_queue.hpp"
#include "support/environment.hpp"
#include "support/interleaving_sync.hpp"

namespace pilfer::test {
namespace {

// One scenario on one fresh queue.
class scenario {
 public:
  scenario(const queue_case& kind, const queue_variant& made, std::uint64_t seed)
      : traits_(kind.traits),
        withdrawn_(kind.barrier_withdrawn),
        block_(made.block),
        queue_(made.make()),
        random_(seed),
        calm_(2 + random_.below(12)) {
    interleaving_sync::hook() = [this] { maybe_interrupt(); };
  }
  ~scenario() { interleaving_sync::hook() = nullptr; }
  scenario(const scenario&) = delete;
  scenario& operator=(const scenario&) = delete;

  void run(int operations) {
    for (int i = 0; i < operations && ok(); ++i) start(random_.below(handler));
    interleaving_sync::hook() = nullptr;
    finish();
    if (!ok()) {
      std::string story;
      for (const event& e : log_) {
        story += std::string(2 * e.depth, ' ') + name(e.role) + " " + e.what +
                 (e.number == none ? "" : " " + std::to_string(e.number)) + "\n";
      }
      ADD_FAILURE() << "what happened (indented: inside what stands above):\n" << story;
    }
  }

 private:
  static constexpr std::size_t owner = 0;    // the others are thieves,
  static constexpr std::size_t handler = 3;  // but for the owner's signal handler
  static constexpr std::size_t roles = 4;

  [[nodiscard]] static bool ok() { return !::testing::Test::HasFailure(); }

  // A queue that is split and has no requests is the form whose exposure may come from a signal handler.
  [[nodiscard]] bool has_handler() const { return traits_.split && !traits_.requests; }

  void maybe_interrupt() {
    if (!random_.one_in(calm_)) return;
    const std::size_t role = random_.below(has_handler() ? roles : handler);
    if (busy_[role]) return;
    if (role == owner && busy_[handler]) return;  // its own thread: the owner stands still until the handler returns
    start(role);
  }

  void start(std::size_t role) {
    busy_[role] = true;
    ++depth_;
    ++started_;
    if (role == owner) {
      owner_operation();
    } else if (role == handler) {
      expose(handler, 1 + random_.below(2));
    } else {
      thief_operation(role);
    }
    --depth_;
    busy_[role] = false;
  }

  [[nodiscard]] static std::string name(std::size_t role) {
    return role == owner ? "owner" : role == handler ? "handler" : "thief " + std::to_string(role);
  }

  struct event {
    std::size_t depth;
    std::size_t role;
    const char* what;
    std::uint64_t number;
  };
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  void say(std::size_t role, const char* what, std::uint64_t number = none) {
    log_.push_back({depth_ - 1, role, what, number});
  }

  void owner_operation() {
    const std::uint64_t choice = random_.below(16);
    if (choice < 7) {
      push();
    } else if (choice < 14 || !traits_.split) {
      take();
    } else {
      expose(owner, random_.below(3));
    }
  }

  void expose(std::size_t role, std::size_t n) {
    say(role, "exposes", n);
    queue_->expose(n);
  }

  void push() {
    const std::uint64_t id = taken_.size();
    say(owner, "pushes", id);
    taken_.push_back(false);  // a thief may get it before push returns
    const bool accepted = queue_->push(id);
    if (accepted) {
      ++outstanding_;
      stack_.push_back(id);
    } else {
      say(owner, "is refused");
      EXPECT_FALSE(taken_.back()) << "refused and given away";
      EXPECT_TRUE(traits_.bounded) << "a growing queue refused an item";
      EXPECT_FALSE(saw_empty_) << "empty and full at once";
      taken_.pop_back();
    }
    saw_empty_ = false;
  }

  void take() {
    say(owner, "takes");
    const auto got = queue_->take();
    if (got) {
      say(owner, "got", *got);
      mark(*got);
      if (traits_.order == ext::queue_order::lifo) {
        EXPECT_TRUE(!stack_.empty() && *got == stack_.back()) << "the owner's order";
        if (!stack_.empty()) stack_.pop_back();
      } else {
        EXPECT_GE(*got, next_for_owner_) << "the owner's order";
        next_for_owner_ = *got + 1;
      }
      saw_empty_ = false;
    } else {
      say(owner, "found nothing");
      EXPECT_LE(outstanding_, claims_) << "spuriously empty";
      stack_.clear();
      saw_empty_ = true;
    }
  }

  void thief_operation(std::size_t role) {
    const std::uint64_t choice = random_.below(8);
    if (choice < 2 && traits_.batch) {
      return steal_batch(role, 1 + random_.below(block_ + 1));
    }
    if (choice == 2 && traits_.requests) {
      say(role, "requests");
      return queue_->request();
    }
    steal(role, choice < 5 && traits_.random_start);
  }

  void steal(std::size_t role, bool anywhere) {
    say(role, "steals");
    const std::uint64_t before = started_;
    ++claims_;
    const steal_outcome got = anywhere ? queue_->steal_at(random_()) : queue_->steal();
    --claims_;
    check_status(role, got.status, before);
    if (got.status == ext::steal_status::taken) stolen(role, got.id);
  }

  void steal_batch(std::size_t role, std::size_t span) {
    say(role, "steals up to", span);
    const std::uint64_t before = started_;
    claims_ += span;
    const batch_outcome got = queue_->steal_batch(span);
    claims_ -= span;
    check_status(role, got.result.status, before);
    for (const std::uint64_t id : got.ids) stolen(role, id);
  }

  void check_status(std::size_t role, ext::steal_status status, std::uint64_t started_before) {
    say(role, to_string(status));
    if (status == ext::steal_status::lost && !withdrawn_) {
      EXPECT_TRUE(depth_ > 1 || started_ > started_before) << "lost a race against nobody";
    }
  }

  void stolen(std::size_t role, std::uint64_t id) {
    say(role, "got", id);
    mark(id);
    if (traits_.order == ext::queue_order::lifo || !traits_.batch) {
      EXPECT_GE(id, next_for_[role]) << "the thieves' order";
      next_for_[role] = id + 1;
    }
  }

  void mark(std::uint64_t id) {
    if (id >= taken_.size()) {
      ADD_FAILURE() << "item " << id << " was never pushed";
      return;
    }
    EXPECT_FALSE(taken_[id]) << "item " << id << " was taken twice";
    taken_[id] = true;
    --outstanding_;
  }

  // Nobody stands in the middle of anything now: thieves get all that is not the owner's, the owner gets the rest.
  void finish() {
    if (ok() && traits_.split) queue_->expose(taken_.size());
    while (ok()) {
      const steal_outcome got = queue_->steal();
      if (got.status != ext::steal_status::taken) break;
      mark(got.id);
    }
    if (!withdrawn_) {
      EXPECT_LE(outstanding_, static_cast<std::int64_t>(block_)) << "out of the thieves' reach";
    }
    while (ok()) {
      const auto got = queue_->take();
      if (!got) break;
      mark(*got);
    }
    EXPECT_EQ(outstanding_, 0) << "lost";
  }

  const ext::queue_traits traits_;
  const bool withdrawn_;
  const std::size_t block_;
  std::unique_ptr<any_queue> queue_;
  random_source random_;
  const std::uint64_t calm_;  // one access in so many is interrupted
  std::array<bool, roles> busy_{};
  std::size_t depth_ = 0;
  std::uint64_t started_ = 0;
  std::int64_t outstanding_ = 0;  // pushed and not yet handed to anybody; while push runs, may be short by its item
  std::int64_t claims_ = 0;       // what thieves in the middle of an operation may hold
  std::vector<bool> taken_;
  std::vector<std::uint64_t> stack_;  // what the owner may get next, unless thieves took all
  std::array<std::uint64_t, roles> next_for_{};
  std::uint64_t next_for_owner_ = 0;
  bool saw_empty_ = false;
  std::vector<event> log_;
};

class interleaving : public ::testing::TestWithParam<queue_case> {};

TEST_P(interleaving, every_item_exactly_once) {
  for (const queue_variant& made : GetParam().variants) {
    if (made.block > 3) continue;  // small ones change blocks often
    for (std::size_t run = 0; more_stress(run, 4000, 3); ++run) {
      scenario(GetParam(), made, base_seed() + run).run(20 + static_cast<int>(run % 60));
      if (HasFailure()) FAIL() << made.name << ", run " << run << ", " << describe_seed();
    }
  }
}

using sync = interleaving_sync;

// Promises a barrier, and then refuses it.
struct interleaved_withdrawing_sync : interleaving_sync {
  [[nodiscard]] static bool heavy_fence() noexcept {
    step();
    return false;
  }
};

queue_case withdrawn_barrier() {
  queue_case kind =
      power_of_two<queue::asymmetric_deque<item8, interleaved_withdrawing_sync>>("asymmetric_deque_withdrawn");
  kind.barrier_withdrawn = true;
  return kind;
}

using queue::exposure_rule;
using queue::fencing;

INSTANTIATE_TEST_SUITE_P(
    queues, interleaving,
    ::testing::Values(
        any_capacity<queue::abp_deque<item8, sync>>("abp_deque"),
        power_of_two<queue::chase_lev_deque<item8, sync>>("chase_lev_deque"),
        power_of_two<queue::bounded_chase_lev_deque<item16, sync>>("bounded_chase_lev_deque"),
        blocks<queue::bwos_lifo<item8, sync>>("bwos_lifo"), blocks<queue::bwos_fifo<item8, sync>>("bwos_fifo"),
        power_of_two<queue::split_deque<item8, sync>>("split_deque", exposure_rule::one, exposure_rule::conservative,
                                                      exposure_rule::half, exposure_rule::lace),
        power_of_two<queue::signal_safe_split_deque<item8, sync>>("signal_safe_split_deque"),
        power_of_two<queue::asymmetric_deque<item16, sync>>("asymmetric_deque", fencing::automatic, fencing::always),
        withdrawn_barrier()),
    case_label());

}  // namespace
}  // namespace pilfer::test
