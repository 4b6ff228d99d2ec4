// A thief finds the scope and level of the item that it steals, while the owner goes in and out of tasks.
//
// Scripts    owner: e begins a task with a scope and a level of its own, P ends it, + forks (exposed at once), - joins its newest
//            fork, p does so and meanwhile, if it was stolen, goes in and out of another task. Thieves: s steal one.
// Property   the scope and the level that are found are those of the task that forked the item.
#pragma once

#include <array>
#include <utility>

#include <pilfer/queue/fork_deque.hpp>

#include "protocols/orders.hpp"
#include "verify/fork_orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class scopes_fault : std::uint8_t {
  none,
  looked_after,  // the thief looks after its claim
  level_after,   // it looks for the scope before, and for the level after
  entered_late,  // a task's scope is entered after its first fork
  low_mark,      // the mark is one too low
  left_early,    // a task's scope is left before its last join
};

template <scopes_fault Fault = scopes_fault::none>
class scopes_scenario {
  using deque = queue::fork_deque<std::uint32_t, model_sync, verify::fork_variable, 2048>;
  struct scope {
    unsigned number;
  };
  using stack = pilfer::detail::scope_stack<scope, model_sync, scope_variable, 1>;
  using place = typename stack::place;

 public:
  explicit scopes_scenario(const verify::run& what) : run_(&what), deque_(4) {
    for (unsigned i = 0; i < most; ++i) scopes_[i].number = i;
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      if (number == 0) {
        own(script[i]);
      } else {
        steal();
      }
    }
  }
  void finish() {}

 private:
  static constexpr std::size_t most = 8;
  static constexpr unsigned none = most;  // no task around it
  // Each has another, and none has that of a fresh entry.
  [[nodiscard]] static constexpr std::uint8_t level_of(unsigned number) {
    return static_cast<std::uint8_t>(number + 1);
  }

  void own(char what) {
    switch (what) {
      case 'e': begin(); break;
      case 'P': end(); break;
      case '+': fork(); break;
      default: join(what == 'p'); break;
    }
  }
  void begin() {
    inside_[++depth_] = begun_++;
    if constexpr (Fault == scopes_fault::entered_late) {
      late_ = true;
    } else {
      enter();
    }
  }
  void enter() {
    const std::uint64_t mark = deque_.owner().mark();
    push_place(Fault == scopes_fault::low_mark && mark != 0 ? mark - 1 : mark);
  }
  void push_place(std::uint64_t mark) {
    const unsigned number = inside_[depth_];
    stack_.push(mark, &scopes_[number], level_of(number));
  }
  void end() {
    --depth_;
    stack_.pop();
  }
  void fork() {
    const std::uint32_t item = ++pushed_;
    forked_in_[item] = inside_[depth_];
    require(deque_.owner().push(item), "there is room");
    deque_.owner().expose(1);
    forks_[open_++] = item;
    if (std::exchange(late_, false)) push_place(deque_.owner().mark() - 1);
  }
  void join(bool runs_others) {
    const std::uint32_t item = forks_[--open_];
    auto* const at = deque_.cursor() - 1;
    if (Fault == scopes_fault::left_early && open_ == 0) end();
    if (deque_.pop_at(at) || deque_.look_up_before_pop(at).outcome != deque::pop_outcome::stolen) return;
    if (runs_others) {
      begin();
      end();
    }
    while (done_[item].load(std::memory_order_acquire) == 0) model_sync::pause();
  }

  void steal() {
    constexpr place outside{nullptr, level_of(none)};
    place found = outside;
    std::uint64_t index = 0;
    const auto got = deque_.steal_with_index(0, [&](std::uint64_t at) noexcept {
      index = at;
      if constexpr (Fault != scopes_fault::looked_after) found = stack_.place_of(at, outside);
    });
    if (!got) return;
    if constexpr (Fault == scopes_fault::looked_after) found = stack_.place_of(index, outside);
    if constexpr (Fault == scopes_fault::level_after) found.level = stack_.place_of(index, outside).level;
    const unsigned number = found.scope != nullptr ? found.scope->number : none;
    require(number == forked_in_[*got], "the scope is that of the task that forked the item");
    require(found.level == level_of(forked_in_[*got]), "the level is that of the task that forked the item");
    done_[*got].store(1, std::memory_order_release);
  }

  struct named_flag : model_sync::atomic<std::uint32_t> {
    named_flag() noexcept : model_sync::atomic<std::uint32_t>(0, "done") {}
  };
  const verify::run* run_;
  deque deque_;
  stack stack_;
  std::array<scope, most> scopes_{};
  std::array<named_flag, most> done_;
  std::array<unsigned, most> forked_in_{};
  std::array<unsigned, most> inside_{none};  // by depth
  std::array<std::uint32_t, most> forks_{};
  std::size_t open_ = 0;
  std::size_t depth_ = 0;
  unsigned begun_ = 0;
  std::uint32_t pushed_ = 0;
  bool late_ = false;
};

}  // namespace pilfer::model::protocols
