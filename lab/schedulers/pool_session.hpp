// A pool as a session.
//   Pool  is made from a number of workers; run(f) calls f in it and returns what f returned. One of ours has statistics().
//   S     fork_join(f, g) for code inside that pool.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <pilfer/statistics.hpp>

#include "lab/programs/run_program.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::schedulers {

template <class Pool, class S>
class pool_session final : public session {
 public:
  template <class... Arguments>
  explicit pool_session(Arguments&&... arguments) : pool_(std::forward<Arguments>(arguments)...) {}

  programs::timed_answer run(const workload& what) override {
    return programs::run_program<S>(what, [this](auto program) { return pool_.run(program); });
  }

  [[nodiscard]] std::optional<std::uint64_t> steals_so_far() const override {
    if constexpr (requires(const Pool& one) { one.statistics(); }) {
      return pool_.statistics().total().steals_taken;
    } else {
      return std::nullopt;
    }
  }

 private:
  Pool pool_;
};

// One whose threads go on for a while after their work: they are waited for.
template <class Pool, class S, std::chrono::milliseconds::rep Milliseconds>
class calming_session final : public session {
 public:
  explicit calming_session(std::size_t workers) : inner_(workers) {}

  programs::timed_answer run(const workload& what) override {
    const programs::timed_answer found = inner_.run(what);
    std::this_thread::sleep_for(std::chrono::milliseconds(Milliseconds));
    return found;
  }

 private:
  pool_session<Pool, S> inner_;
};

}  // namespace pilfer::lab::schedulers
