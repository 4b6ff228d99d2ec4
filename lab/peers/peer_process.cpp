#include "lab/peers/peer_process.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "lab/measure/registry.hpp"

namespace pilfer::lab::peers {
namespace {

struct foreign_program {
  std::string name;
  std::string path;  // empty: there is none
  std::string version;
  std::string why_missing;
};

const std::vector<foreign_program>& programs() {
  static const std::vector<foreign_program> all = {
#if defined(PILFER_LAB_GO_PROGRAM)
      {"rayon", PILFER_LAB_RAYON_PROGRAM, PILFER_LAB_RAYON_VERSION, PILFER_LAB_RAYON_MISSING},
      {"crossbeam", PILFER_LAB_CROSSBEAM_PROGRAM, PILFER_LAB_CROSSBEAM_VERSION, PILFER_LAB_CROSSBEAM_MISSING},
      {"tokio", PILFER_LAB_TOKIO_PROGRAM, PILFER_LAB_TOKIO_VERSION, PILFER_LAB_TOKIO_MISSING},
      {"go", PILFER_LAB_GO_PROGRAM, PILFER_LAB_GO_VERSION, PILFER_LAB_GO_MISSING},
#else
      // cmake/PilferPeers.cmake was not included.
      {"rayon", "", "", "left out of a build with a sanitizer"},
      {"crossbeam", "", "", "left out of a build with a sanitizer"},
      {"tokio", "", "", "left out of a build with a sanitizer"},
      {"go", "", "", "left out of a build with a sanitizer"},
#endif
  };
  return all;
}

const foreign_program& program_of(std::string_view name) {
  const foreign_program* const found = find_by_name(programs(), name);
  if (found == nullptr) throw std::runtime_error(fmt::format("there is no peer '{}'", name));
  return *found;
}

const std::string& path_of(std::string_view name) {
  const foreign_program& one = program_of(name);
  if (one.path.empty()) throw std::runtime_error(fmt::format("{}: {}", name, one.why_missing));
  return one.path;
}

}  // namespace

bool available(std::string_view name) { return !program_of(name).path.empty(); }
std::string version_of(std::string_view name) { return program_of(name).version; }
std::string why_missing(std::string_view name) { return program_of(name).why_missing; }

outcome parsed(std::string_view who, const std::string& line) {
  std::vector<double> figures;
  const char* at = line.c_str();
  for (char* end = nullptr;; at = end) {
    const double figure = std::strtod(at, &end);
    if (end == at) break;
    figures.push_back(figure);
  }
  constexpr std::size_t fewest = 4;
  if (*at != '\0' || figures.size() < fewest || !(figures[0] >= 0)) {
    throw std::runtime_error(fmt::format("{} answered '{}'", who, line));
  }
  return {.seconds = figures[0],
          .answer = figures[1],
          .switches = {{static_cast<std::int64_t>(figures[2]), static_cast<std::int64_t>(figures[3])}},
          .more = {figures.begin() + fewest, figures.end()}};
}

peer_process::peer_process(std::string_view name) : name_(name), program_({path_of(name)}) {}

outcome peer_process::run(std::string_view program, std::size_t workers, std::int64_t size,
                          std::optional<double> right) {
  constexpr double tolerance = 1e-9;  // sums of fractions depend on their order
  outcome found = parsed(name_, program_.ask(fmt::format("{} {} {}", program, workers, size)));
  if (right && !(std::abs(found.answer - *right) <= tolerance * std::abs(*right))) {
    throw std::runtime_error(
        fmt::format("{}: {} of {} is {}, but the answer was {}", name_, program, size, *right, found.answer));
  }
  return found;
}

}  // namespace pilfer::lab::peers
