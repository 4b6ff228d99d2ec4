// While a worker runs a task: whose group it is, for what the task makes, and for thieves of what it forks.
#pragma once

#include <cstdint>

#include <pilfer/detail/worker.hpp>

namespace pilfer::detail {

class inside_scope {
 public:
  inside_scope(worker& self, std::uint64_t mark, task_scope* scope) noexcept : self_(self), outer_(self.scope) {
    self.scopes.push(mark, scope);
    self.scope = scope;
  }
  ~inside_scope() {
    self_.scope = outer_;
    self_.scopes.pop();
  }
  inside_scope(const inside_scope&) = delete;
  inside_scope& operator=(const inside_scope&) = delete;

 private:
  worker& self_;
  task_scope* const outer_;
};

}  // namespace pilfer::detail
