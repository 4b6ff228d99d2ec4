#include "litmus/run.hpp"

#include <model/model_sync.hpp>

namespace pilfer::model::litmus {
namespace {

// Owns no memory: an execution that is cut off leaves it as it stands.
class interpreter {
 public:
  interpreter(const program& what, outcome_set& outcomes) noexcept
      : program_(what),
        outcomes_(outcomes),
        locations_{sync_atomic{0, name(0)}, sync_atomic{0, name(1)}, sync_atomic{0, name(2)}, sync_atomic{0, name(3)}} {
  }

  void thread(std::size_t number) {
    for (const instruction& i : program_.threads[number])
      if (!step(i)) return;
  }

  void finish() {
    for (std::size_t l = 0; l < program_.locations.size(); ++l)
      end_.memory[l] = locations_[l].load(std::memory_order_relaxed);
    outcomes_.insert(end_);
  }

 private:
  using sync_atomic = model_sync::atomic<int>;

  [[nodiscard]] const char* name(std::size_t location) const noexcept {
    return location < program_.locations.size() ? program_.locations[location].c_str() : "unused";
  }

  // False if the thread ends here.
  bool step(const instruction& i) {
    sync_atomic& at = locations_[i.location];
    switch (i.kind) {
      case operation::load: set(i, at.load(i.order)); break;
      case operation::store: at.store(i.operand + (i.from < 0 ? 0 : get(i.from)), i.order); break;
      case operation::fetch_add: set(i, at.fetch_add(i.operand, i.order)); break;
      case operation::exchange: set(i, at.exchange(i.operand, i.order)); break;
      case operation::cas:
      case operation::weak_cas: {
        int value = i.expected;
        if (i.kind == operation::cas) {
          at.compare_exchange(value, i.operand, i.order, i.failure);
        } else {
          at.compare_exchange_weak(value, i.operand, i.order, i.failure);
        }
        set(i, value);
        break;
      }
      case operation::fence:
        if (i.order != std::memory_order_relaxed) model_sync::fence(i.order);
        break;
      case operation::only_if: return (get(i.from) == i.operand) == i.equal;
    }
    return true;
  }

  void set(const instruction& i, int value) noexcept {
    if (i.result >= 0) end_.registers[static_cast<std::size_t>(i.result)] = value;
  }
  [[nodiscard]] int get(int which) const noexcept { return end_.registers[static_cast<std::size_t>(which)]; }

  const program& program_;
  outcome_set& outcomes_;
  std::array<sync_atomic, max_locations> locations_;
  outcome end_;
};

}  // namespace

run_result check_outcomes(const program& what, const options& how) {
  run_result made;
  made.search =
      check_made<interpreter>(how, what.threads.size(), [&](void* at) { new (at) interpreter(what, made.outcomes); });
  return made;
}

}  // namespace pilfer::model::litmus
