#include "lab/details/queue_pool.hpp"

#include <type_traits>

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>

#include "lab/details/owner_loops.hpp"
#include "lab/queues/registry.hpp"
#include "lab/queues/sequential.hpp"
#include "src/runtime/any_policy.hpp"

namespace pilfer::lab::details {
namespace {

using clock = std::chrono::steady_clock;
using queues::payload;
using queues::seq_ring_name;
using queues::seq_stack_name;
using queues::tally;

template <class Queue>
class pool_of final : public queue_pool {
 public:
  explicit pool_of(const queues::geometry& shape) : capacity_(queues::capacity_of(shape)) {
    for (std::size_t i = 0; i < pool_queues; ++i) {
      if constexpr (std::is_constructible_v<Queue, queues::geometry>) {
        queues_.push_back(std::make_unique<Queue>(shape));
      } else {
        queues_.push_back(std::make_unique<Queue>(capacity_));
      }
    }
  }

  pool_work work(std::size_t thread, const pool_plan& plan) override {
    const auto attempts = static_cast<std::uint64_t>(plan.balancing * static_cast<double>(capacity_));
    std::vector<victim::any_policy> policies = policies_of(thread, plan);
    pool_work done;
    const auto start = clock::now();
    auto now = start;
    do {
      for (std::size_t q = thread; q < pool_queues; q += plan.threads)
        done.pushed += fill_queue(*queues_[q], capacity_);
      for (std::size_t q = thread; q < pool_queues; q += plan.threads) {
        done.popped += empty_queue(*queues_[q]);
        if constexpr (has_thieves) steal(policies[q / plan.threads], attempts, done);
      }
      now = clock::now();
    } while (now < plan.deadline);
    done.ns = std::chrono::duration<double, std::nano>(now - start).count();
    return done;
  }

  tally drain() override {
    tally left;
    for (const auto& one : queues_) left += drain_queue(*one);
    return left;
  }

 private:
  static constexpr bool has_thieves = requires(Queue& queue) { queue.thief(); };

  struct view {
    const std::vector<std::unique_ptr<Queue>>* queues;
    [[nodiscard]] std::size_t size_hint(std::size_t victim) const { return (*queues)[victim]->thief().size_hint(); }
    [[nodiscard]] bool sample(std::size_t victim, std::uint64_t random) const {
      return (*queues)[victim]->thief().sample(random);
    }
  };

  // One for each owner that this thread plays.
  static std::vector<victim::any_policy> policies_of(std::size_t thread, const pool_plan& plan) {
    std::vector<victim::any_policy> policies;
    for (std::size_t q = thread; q < pool_queues; q += plan.threads) {
      policies.emplace_back(
          plan.policy,
          ext::victim_setup{.self = q, .workers = pool_queues, .seed = 0x70696c666572, .groups = plan.groups});
    }
    return policies;
  }

  void steal(victim::any_policy& policy, std::uint64_t attempts, pool_work& done)
    requires(has_thieves)
  {
    for (std::uint64_t i = 0; i < attempts; ++i) {
      const std::size_t victim = policy.choose(view{&queues_});
      if (const auto item = queues_[victim]->thief().steal()) {
        done.stolen += {1, *item};
        policy.stole(victim);
      } else {
        policy.failed(victim);
      }
    }
    done.attempts += attempts;
  }

  std::size_t capacity_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

template <class Queue>
pool_kind make_pool_kind(const char* name, const char* baseline) {
  return {.name = name,
          .baseline = baseline,
          .sequential = std::string_view(name) == baseline,
          .make = [](const queues::geometry& shape) -> std::unique_ptr<queue_pool> {
            return std::make_unique<pool_of<Queue>>(shape);
          }};
}

}  // namespace

const std::vector<pool_kind>& pool_kinds() {
  static const std::vector<pool_kind> kinds = {
      make_pool_kind<queues::seq_stack<payload>>(seq_stack_name, seq_stack_name),
      make_pool_kind<queues::seq_ring<payload>>(seq_ring_name, seq_ring_name),
      make_pool_kind<queue::abp_deque<payload>>("abp", seq_stack_name),
      make_pool_kind<queue::chase_lev_deque<payload>>("chase-lev", seq_stack_name),
      make_pool_kind<queue::bwos_lifo<payload>>("bwos-lifo", seq_stack_name),
      make_pool_kind<queue::bwos_fifo<payload>>("bwos-fifo", seq_ring_name),
  };
  return kinds;
}

std::vector<std::string_view> pool_policies() {
  const auto names = victim::policy_names();
  return {names.begin(), names.end()};
}

}  // namespace pilfer::lab::details
