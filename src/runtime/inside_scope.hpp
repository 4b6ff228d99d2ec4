// While a worker runs a task: whose group it is and how urgent, for what the task makes, and for thieves of what it forks.
#pragma once

#include <cstdint>

#include "worker.hpp"

namespace pilfer::detail {

class inside_scope : immovable {
 public:
  inside_scope(worker& self, const job* work, task_scope* scope, std::uint64_t mark, task_level level) noexcept
      : self_(self), work_(work), scope_(scope), around_(self.innermost), outer_(self.scope), outer_level_(self.level) {
    self.scopes.push(mark, scope, level.bits());
    self.innermost = this;
    self.scope = scope;
    self.level = level;
  }
  ~inside_scope() {
    self_.innermost = around_;
    self_.level = outer_level_;
    self_.scope = outer_;
    self_.scopes.pop();
  }

  // For several tasks of one scope that run one after the other: the one that begins; null when it has ended.
  void begin(const job* work) noexcept { work_ = work; }

  // Null for the resumption of a coroutine.
  [[nodiscard]] const job* work() const noexcept { return work_; }
  [[nodiscard]] const task_scope* scope() const noexcept { return scope_; }
  // The task or stolen fork below it on the same worker's stack. Null: none.
  [[nodiscard]] const inside_scope* around() const noexcept { return around_; }

 private:
  worker& self_;
  const job* work_;
  const task_scope* const scope_;
  const inside_scope* const around_;
  task_scope* const outer_;
  const task_level outer_level_;
};

}  // namespace pilfer::detail
