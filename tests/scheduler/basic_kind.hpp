// basic_pool<Config> as an any_pool.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "research/basic_pool.hpp"
#include "scheduler/any_pool.hpp"
#include "scheduler/result_checks.hpp"

namespace pilfer::test {

template <class Config>
class basic_adapter final : public any_pool {
  using pool_type = pilfer::research::basic_pool<Config>;

 public:
  explicit basic_adapter(const pool_options& options) : pool_(options) {}
  void run(task_ref f) override { pool_.run(f); }
  void fork(task_ref first, task_ref second) override { pool_type::fork_join(first, second); }
  [[nodiscard]] std::size_t size() const override { return pool_.size(); }
  [[nodiscard]] pool_statistics statistics() const override { return pool_.statistics(); }
  void check_results() override {
    result_checks(*this, [](auto&& f, auto&& g) {
      return pool_type::fork_join(std::forward<decltype(f)>(f), std::forward<decltype(g)>(g));
    }).all();
    check_results_of_run(*this, pool_);
  }

 private:
  pool_type pool_;
};

template <class Config>
[[nodiscard]] pool_kind basic_kind() {
  std::string label = std::string("basic_") + Config::name;
  std::replace(label.begin(), label.end(), '-', '_');
  return {label, Config::name,
          [](const pool_options& options) { return std::make_unique<basic_adapter<Config>>(options); }};
}

}  // namespace pilfer::test
