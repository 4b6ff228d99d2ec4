#include "search.hpp"

#include <exception>
#include <memory>

#include "../topology/groups.hpp"

namespace pilfer::detail {

namespace {

constexpr std::chrono::microseconds patience_us{20};  // before a thief interrupts an owner

// What a victim policy may see.
struct view {
  const roster& all;
  [[nodiscard]] std::size_t size_hint(std::size_t victim) const noexcept { return all.at(victim).forks().size_hint(); }
  [[nodiscard]] bool sample(std::size_t victim, std::uint64_t random) const noexcept {
    return all.at(victim).forks().sample(random);
  }
};

// To ask for them takes milliseconds: only for a policy that makes use of them.
ext::machine_groups groups_for(const std::string& policy, std::size_t places) {
  return policy.ends_with("numa") ? topology::find_groups(places) : ext::machine_groups{};
}

}  // namespace

search::search(const roster& workers, std::string policy, std::size_t places)
    : workers_(workers), policy_(std::move(policy)), groups_(groups_for(policy_, places)) {
  static_cast<void>(victim::any_policy(policy_, {.self = 0, .workers = 1}));  // throws for an unknown name
}

void search::equip(worker& fresh) const {
  const ext::victim_setup setup{
      .self = fresh.index, .workers = std::size_t{fresh.index} + 1, .seed = 0x9e3779b97f4a7c15U, .groups = &groups_};
  fresh.hunt = std::make_unique<worker::hunting>(victim::any_policy(policy_, setup), std::size_t{fresh.index} + 1);
}

// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
std::size_t search::choose_victim(worker& self) const noexcept {
  const std::size_t known = workers_.known();
  if (self.hunt->workers_told != known) {
    try {
      self.hunt->policy.resize(known);
      self.hunt->workers_told = known;
    } catch (const std::exception&) {
      self.hunt->workers_told = 0;  // no memory: the newest are not robbed by us, until we try again
    }
  }
  return self.hunt->policy.choose(view{workers_});
}

// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
job* search::steal_from(worker& self, const worker_face& victim, lane& queue) const noexcept {
  const auto result = try_steal(self, victim, queue, 0, [&] { return queue.steal(self.hunt->random()); });
  if (result) {
    self.hunt->note_theft(victim);
    return *result;
  }
  self.hunt->policy.failed(victim.index);
  return nullptr;
}

bool search::press(worker& self, const worker_face& victim, lane& queue, std::uint64_t mark) noexcept {
  effort made;
  const auto now = std::chrono::steady_clock::now();
  if (self.hunt->asked == nullptr) self.hunt->asked_at = now;
  if (now - self.hunt->asked_at > patience_us) {
    self.hunt->asked_at = now;
    made = queue.insist(mark);
  } else if (self.hunt->asked != &victim) {
    self.counts.requests.add();
    made = queue.ask();
  }
  self.hunt->asked = &victim;
  self.counts.signals.add(made.signal ? 1 : 0);
  self.counts.barriers.add(made.barrier ? 1 : 0);
  return made.exposed != 0;
}

void search::leave_requests(const worker_face& self) const noexcept {
  const std::size_t known = workers_.known();
  for (std::size_t i = 0; i < known; ++i) {
    if (i != self.index) workers_.at(i).leave_requests();
  }
}

bool search::sees_any(const worker_face& self) const noexcept {
  const std::size_t known = workers_.known();
  for (std::size_t i = 0; i < known; ++i) {
    const worker_face& each = workers_.at(i);
    if (i != self.index ? each.has_items() : each.spawned().has_items()) return true;
  }
  return false;
}

}  // namespace pilfer::detail
