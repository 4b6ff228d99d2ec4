// rayon: lab/peers/rayon/main.rs, a program of its own that is asked over a pipe. It times itself; its programs are those
// of lab/programs, written again in Rust, and so are compared with our serial code.
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "lab/schedulers/child_process.hpp"
#include "lab/schedulers/registry.hpp"

namespace pilfer::lab::schedulers {
namespace {

constexpr const char* description = "rayon, join";

#if defined(PILFER_LAB_RAYON_PROGRAM)

class rayon_session final : public session {
 public:
  explicit rayon_session(std::size_t workers) : program_({PILFER_LAB_RAYON_PROGRAM}), workers_(workers) {}

  programs::timed_answer run(const workload& what) override {
    const std::string text = program_.ask(fmt::format("{} {} {}", programs::name_of(what.what), workers_, what.size));
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    char* last = nullptr;
    const double answer = std::strtod(end, &last);
    if (last == end) throw std::runtime_error(fmt::format("rayon answered '{}'", text));
    return {seconds, answer};
  }

 private:
  child_process program_;
  std::size_t workers_;
};

#endif

}  // namespace

std::vector<entry> rayon_entries() {
  entry rayon{.name = "rayon", .description = description, .of = family::peer};
#if defined(PILFER_LAB_RAYON_PROGRAM)
  rayon.version = PILFER_LAB_RAYON_VERSION;
  // The trees (a SHA-1 and more) would be more Rust than they are worth.
  rayon.only = {program::fib, program::nqueens, program::integrate, program::quicksort, program::late_leaf};
  rayon.make = [](std::size_t workers) { return std::make_unique<rayon_session>(workers); };
#else
  rayon.why_unavailable = "not installed when this was built (lab/setup-peers)";
#endif
  return {rayon};
}

}  // namespace pilfer::lab::schedulers
