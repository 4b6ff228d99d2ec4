// Any pool behind one interface, so that a test program is compiled once and not once per configuration.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <pilfer/pool_options.hpp>
#include <pilfer/statistics.hpp>

namespace pilfer::test {

// A callable without result that somebody else keeps.
class task_ref {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, task_ref>)
  task_ref(F&& f) noexcept  // NOLINT(google-explicit-constructor): a lambda is an argument
      : self_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* self) { (*static_cast<std::remove_reference_t<F>*>(self))(); }) {}
  void operator()() const { call_(self_); }

 private:
  void* self_;
  void (*call_)(void*);
};

class any_pool {
 public:
  any_pool() = default;
  any_pool(const any_pool&) = delete;
  any_pool& operator=(const any_pool&) = delete;
  virtual ~any_pool() = default;

  virtual void run(task_ref f) = 0;
  // fork_join of the innermost pool that the caller is in; this one's configuration.
  virtual void fork(task_ref first, task_ref second) = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual pool_statistics statistics() const = 0;
  // What needs the pool's type: results of all kinds (result_checks.hpp). From outside.
  virtual void check_results() = 0;

  [[nodiscard]] worker_statistics total() const { return statistics().total(); }
};

// One way to make pools.
struct pool_kind {
  std::string label;      // in a test's name
  std::string scheduler;  // in the statistics
  std::function<std::unique_ptr<any_pool>(const pool_options&)> make;

  [[nodiscard]] std::unique_ptr<any_pool> operator()(std::size_t workers, waiting wait = waiting::descendants) const {
    return make(pool_options{.workers = workers, .wait = wait});
  }
  [[nodiscard]] bool is_one_of(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (scheduler == name) return true;
    }
    return false;
  }
  // The owner is asked for work at its next fork, and not before.
  [[nodiscard]] bool polled() const { return is_one_of({"lcws-user", "lace"}); }
  [[nodiscard]] bool signals() const { return is_one_of({"lcws-signal", "lcws-conservative", "lcws-half"}); }
  [[nodiscard]] bool split() const { return polled() || signals() || scheduler == "default"; }
};
inline void PrintTo(const pool_kind& kind, std::ostream* out) { *out << kind.label; }
struct kind_label {
  template <class Info>
  std::string operator()(const Info& parameter) const {
    return parameter.param.label;
  }
};

// basic_pool of each configuration.
[[nodiscard]] const std::vector<pool_kind>& basic_kinds();
// pilfer::pool: as it is, and switched to each name by an option.
[[nodiscard]] const std::vector<pool_kind>& users_kinds();
[[nodiscard]] const std::vector<pool_kind>& all_kinds();
// basic_pool of each of tested_schedulers(), and the default pool: what differs in its code.
[[nodiscard]] const std::vector<pool_kind>& distinct_kinds();

// In the files that instantiate them.
[[nodiscard]] std::vector<pool_kind> classical_kinds();
[[nodiscard]] std::vector<pool_kind> block_kinds();
[[nodiscard]] std::vector<pool_kind> polled_kinds();
[[nodiscard]] std::vector<pool_kind> signal_kinds();

inline constexpr std::size_t worker_counts[] = {1, 2, 4, 16};

// Waits inside a pool, and forks meanwhile: an owner that is asked only at its next fork, or gives only what is not its last
// job, can answer then.
template <class Done>
void wait_forking(any_pool& pool, Done done) {
  while (!done()) {
    pool.fork(
        [&] {
          for (int i = 0; i < 20 && !done(); ++i) std::this_thread::yield();
        },
        [] {});
  }
}

// Waits without a fork.
template <class Done>
void wait_spinning(Done done) {
  while (!done()) std::this_thread::yield();
}

}  // namespace pilfer::test
