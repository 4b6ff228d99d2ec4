// The contests that `pilfer bench fork-join` has as programs, too, run by its schedulers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "lab/peers/contest.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::peers {

inline const std::vector<contest> classic_contests = {contest::fib, contest::nqueens, contest::integrate,
                                                      contest::quicksort};

// Null for the others.
[[nodiscard]] inline std::optional<programs::program> classic_program(contest what) {
  switch (what) {
    case contest::fib: return programs::program::fib;
    case contest::nqueens: return programs::program::nqueens;
    case contest::integrate: return programs::program::integrate;
    case contest::quicksort: return programs::program::quicksort;
    default: return std::nullopt;
  }
}

class classic_session {
 public:
  // One that there is.
  classic_session(std::string_view scheduler, std::size_t workers)
      : session_(schedulers::find_scheduler(scheduler)->make(workers)) {}

  [[nodiscard]] outcome run(programs::program what, std::int64_t size) {
    const programs::timed_answer found = session_->run({what, size});
    return {.seconds = found.seconds, .answer = found.answer};
  }
  [[nodiscard]] std::optional<std::uint64_t> steals_so_far() const { return session_->steals_so_far(); }

 private:
  std::unique_ptr<schedulers::session> session_;
};

}  // namespace pilfer::lab::peers
