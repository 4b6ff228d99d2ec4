#include "lab/measure/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace pilfer::lab {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
constexpr std::string_view erase_line = "\r\x1b[K";

}  // namespace

progress::progress(std::string_view title, std::size_t steps)
    : title_(title), steps_(steps), visible_(::isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  if (drawn_) fmt::print(stderr, "{}", erase_line);
}

void progress::step(std::string_view what) {
  const std::size_t done = begun_++;
  if (!visible_) return;
  const auto now = clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + redraw_interval;
  drawn_ = true;
  std::string left;
  if (done > 0) {
    const double spent = std::chrono::duration<double>(now - start_).count();
    left = fmt::format(", {:.0f} s left", spent / static_cast<double>(done) * static_cast<double>(steps_ - done));
  }
  fmt::print(stderr, "{}{}: {} % ({}{})", erase_line, title_, done * 100 / steps_, what, left);
  std::fflush(stderr);
}

}  // namespace pilfer::lab
