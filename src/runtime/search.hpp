// Thieves: which victim is next, what a theft counts, and how private work is asked for. What is stolen first, forks or the tasks of which
// level, the ready set decides.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <pilfer/ext/machine_groups.hpp>
#include <pilfer/ext/random.hpp>

#include "any_policy.hpp"
#include "roster.hpp"

namespace pilfer::detail {

// What a thief remembers between two attempts.
struct worker::hunting {
  hunting(victim::any_policy chosen, std::uint64_t seed) : policy(std::move(chosen)), random(seed) {}

  victim::any_policy policy;
  ext::random_source random;
  std::size_t workers_told = 0;  // to the policy
  // The request that is under way: to which worker, and since when.
  const worker_face* asked = nullptr;
  std::chrono::steady_clock::time_point asked_at;
  unsigned looks = 0;  // for work

  void note_theft(const worker_face& victim) {
    policy.stole(victim.index);
    asked = nullptr;
  }
};

class search : immovable {
 public:
  // `policy` is a name of victim::policy_names(). `places` of the pool, for policies that know the machine.
  //   Throws  std::invalid_argument for any other name.
  search(const roster& workers, std::string policy, std::size_t places);

  // Gives a new worker what it needs as a thief.
  //   Throws  std::bad_alloc
  void equip(worker& fresh) const;

  // The number of the policy's next victim. ext::npos: it has none.
  [[nodiscard]] std::size_t choose_victim(worker& self) const noexcept;
  // Steals one job of that queue, and tells the policy of the outcome. Returns null if the attempt failed.
  [[nodiscard]] job* steal_from(worker& self, const worker_face& victim, lane& queue) const noexcept;
  // One theft, with what is counted of it. `steal` is called again as long as the thief gets private work exposed.
  template <class Steal>
  [[nodiscard]] static ext::steal_result<job*> try_steal(worker& self, const worker_face& victim, lane& queue,
                                                         std::uint64_t mark, Steal&& steal) noexcept {
    for (;;) {
      const ext::steal_result<job*> result = steal();
      switch (result.status()) {
        case ext::steal_status::taken:
          self.counts.steals_taken.add();
          if (queue.exposes()) self.counts.exposed.add();
          return result;
        case ext::steal_status::empty: self.counts.steals_empty.add(); return result;
        case ext::steal_status::lost: self.counts.steals_lost.add(); return result;
        case ext::steal_status::private_work:
          self.counts.steals_private.add();
          if (!press(self, victim, queue, mark)) return result;
      }
    }
  }

  // Before a worker sleeps: the owner's next push or pop notices it.
  void leave_requests(const worker_face& self) const noexcept;
  // Is there anything in a queue of tasks, or in another worker's queue of forks?
  [[nodiscard]] bool sees_any(const worker_face& self) const noexcept;

 private:
  // There is work that its owner has not exposed: asks for it, and when that goes unanswered for long, interrupts. Returns true if it is
  // exposed now.
  [[nodiscard]] static bool press(worker& self, const worker_face& victim, lane& queue, std::uint64_t mark) noexcept;

  const roster& workers_;
  const std::string policy_;
  const ext::machine_groups groups_;
};

}  // namespace pilfer::detail
