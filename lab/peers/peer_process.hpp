// Peers that are programs of their own: lab/peers/rayon, crossbeam, tokio and go. They are asked over a pipe, one line for one
// line, and time themselves; lab/peers/rust/protocol.rs has the protocol.
//
//   peer_process tokio("tokio");
//   const outcome found = tokio.run("spawn", 2, 100'000, 100'000);   // the last: the right answer
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/peers/contest.hpp"
#include "lab/schedulers/child_process.hpp"

namespace pilfer::lab::peers {

// "rayon", "crossbeam", "tokio", "go": whether this build has it.
[[nodiscard]] bool available(std::string_view name);
// Empty if it is not available.
[[nodiscard]] std::string version_of(std::string_view name);
// Why it is not available: "not installed (lab/setup-peers)".
[[nodiscard]] std::string why_missing(std::string_view name);

// What the program said: seconds, the answer, two counts of context switches, and perhaps more.
//   Throws  std::runtime_error that names `who` for anything else.
[[nodiscard]] outcome parsed(std::string_view who, const std::string& line);

class peer_process {
 public:
  //   Throws  std::runtime_error if it is not available; std::system_error if it does not start.
  explicit peer_process(std::string_view name);

  // No workers: sequential code of its language.
  //   Throws  std::runtime_error if the program complains, ends, or gives another answer than `right`.
  [[nodiscard]] outcome run(std::string_view program, std::size_t workers, std::int64_t size,
                            std::optional<double> right = std::nullopt);

 private:
  std::string name_;
  schedulers::child_process program_;
};

}  // namespace pilfer::lab::peers
