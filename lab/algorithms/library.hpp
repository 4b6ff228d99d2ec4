// The libraries by name, serial code and ours among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/algorithms/problems.hpp"

namespace pilfer::lab::algorithms {

class session {
 public:
  session() = default;
  virtual ~session() = default;
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  // Prepares the problem, runs it, and checks the answer; seconds of one pass.
  //   Throws  std::runtime_error if the answer is wrong; std::logic_error if the library has no such algorithm.
  virtual double seconds_of(problem& what) = 0;
  // How many tasks were stolen so far; none: the library does not say.
  [[nodiscard]] virtual std::optional<std::uint64_t> steals_so_far() const { return std::nullopt; }
};

struct library {
  std::string name;
  std::string description;
  std::string why_unavailable;                                        // of one that is not in this build
  std::string version;                                                // of a peer
  bool serial = false;                                                // then there are no workers
  bool variant = false;                                               // of another, for a few problems
  std::function<bool(const problem& what)> has;                       // such an algorithm
  std::function<std::unique_ptr<session>(std::size_t workers)> make;  // empty: see why_unavailable
};

inline constexpr const char* serial_name = "serial";
inline constexpr const char* pilfer_name = "pilfer";
inline constexpr const char* tbb_name = "onetbb";

// All of them, in the order of the tables.
[[nodiscard]] const std::vector<library>& libraries();

// One that is not in this build.
[[nodiscard]] library absent_library(const char* name, const char* description, const char* why);

// By file.
[[nodiscard]] std::vector<library> serial_library();
[[nodiscard]] std::vector<library> pilfer_library();
[[nodiscard]] std::vector<library> tbb_library();
[[nodiscard]] std::vector<library> openmp_libraries();
[[nodiscard]] std::vector<library> std_par_library();

}  // namespace pilfer::lab::algorithms
