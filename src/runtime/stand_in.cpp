#include "stand_in.hpp"

#include <chrono>
#include <cstddef>
#include <thread>

#include "../sync/stack_room.hpp"
#include "patience.hpp"
#include "rest.hpp"

namespace pilfer::detail {

// What thieves cannot get at while the thread sleeps is given away: what it waits for may depend on it.
pool_places::vacated stand_in::begin_block(worker& self, const pool_places::block& how) noexcept {
  told_.completions.leave(self);
  if (self.tasks.hide_some()) told_.ready.give_away(self);
  self.note(how.bed != nullptr ? activity::waits : activity::blocked);
  return told_.members.begin_block(self, how);
}
bool stand_in::end_block(worker& self) noexcept {
  self.note(activity::runs);
  return told_.members.end_block(self);
}

bool stand_in::may_run_stranger(const worker& self) const noexcept {
  return is_allowed_ && self.tasks.exist() && self.depth < worker::max_depth && has_stack_room();
}

// At the last level of nesting only the resumption of a coroutine, which may be what the waits below need.
stand_in::outcome stand_in::run_stranger(worker& self) noexcept {
  if (!may_run_stranger(self)) return outcome::no_room;
  constexpr unsigned most_put_back = 64;
  const bool is_last_level = self.depth + 1 == worker::max_depth;
  const reentry here(self);
  const auto since = std::chrono::steady_clock::now();
  self.hunt->asked = nullptr;
  unsigned put_back = 0;
  while (put_back < most_put_back) {
    job* const found = told_.ready.find_stranger(self);  // not of its own forks: their joins look for them in its queue
    if (found == nullptr) {  // private work of a thread that sleeps comes free after a while
      if (std::chrono::steady_clock::now() - since > spin_before_sleep_us) break;
      std::this_thread::yield();
      continue;
    }
    if (is_last_level && found->type.kind != job_kind::resumed) {
      told_.ready.inject(&self, *found);
      ++put_back;
      continue;
    }
    self.counts.ran_strangers.add();
    told_.runs.run_nested(self, *found);
    return outcome::run;
  }
  return put_back == 0 ? outcome::none : outcome::no_room;
}

std::uint64_t stand_in::count_started() const noexcept {
  std::uint64_t sum = 0;
  const std::size_t known = told_.workers.known();
  for (std::size_t i = 0; i < known; ++i) sum += told_.workers.at(i).counted().tasks.value();
  return sum;
}

}  // namespace pilfer::detail
