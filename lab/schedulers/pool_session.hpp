// A pool as a session.
//   Pool  is made from a number of workers; run(f) calls f in it and returns what f returned.
//   S     fork_join(f, g) for code inside that pool.
#pragma once

#include <memory>
#include <utility>

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

 private:
  Pool pool_;
};

}  // namespace pilfer::lab::schedulers
