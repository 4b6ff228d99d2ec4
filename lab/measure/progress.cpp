#include "lab/measure/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace pilfer::lab {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
constexpr std::string_view erase_line = "\r\x1b[K";
constexpr std::size_t bar_width = 24;
constexpr double most_of_a_measurement = 0.97;  // one that takes longer than expected stays there

// One at a time, set and read by the thread that measures.
const overall_progress* the_only_one = nullptr;

}  // namespace

overall_progress::overall_progress(double seconds) : total_(std::max(seconds, 1e-3)) { the_only_one = this; }

overall_progress::~overall_progress() { the_only_one = nullptr; }

void overall_progress::begin(std::string title, double expected_seconds) {
  done_ += expected_;
  expected_ = expected_seconds;
  began_ = seconds_since_start();
  title_ = std::move(title);
}

overall_progress::state overall_progress::at(double now) const noexcept {
  // Machines differ: if what has ended took twice as long as expected, so will the rest.
  const double pace = done_ > 0 ? std::max(began_ / done_, 1e-3) : 1;
  const double here = std::min((now - began_) / pace, most_of_a_measurement * expected_);
  const double share = std::clamp((done_ + here) / total_, 0.0, 1.0);
  return {share, std::max(0.0, (total_ - done_ - here) * pace)};
}

std::string overall_progress::line(double now, std::string_view what) const {
  const state known = at(now);
  const auto full = static_cast<std::size_t>(known.share * static_cast<double>(bar_width));
  std::string text = fmt::format("[{}{}] {:3.0f} %  {}", std::string(full, '#'), std::string(bar_width - full, '.'),
                                 known.share * 100, title_);
  if (!what.empty()) text += fmt::format(" ({})", what);
  return text + fmt::format(", {:.0f} s left", known.seconds_left);
}

double overall_progress::seconds_since_start() const noexcept {
  return std::chrono::duration<double>(clock::now() - start_).count();
}

const overall_progress* overall_progress::current() noexcept { return the_only_one; }

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
  if (const overall_progress* all = overall_progress::current(); all != nullptr) {
    fmt::print(stderr, "{}{}", erase_line, all->line(all->seconds_since_start(), what));
    std::fflush(stderr);
    return;
  }
  std::string left;
  if (done > 0) {
    const double spent = std::chrono::duration<double>(now - start_).count();
    left = fmt::format(", {:.0f} s left", spent / static_cast<double>(done) * static_cast<double>(steps_ - done));
  }
  fmt::print(stderr, "{}{}: {} % ({}{})", erase_line, title_, done * 100 / steps_, what, left);
  std::fflush(stderr);
}

}  // namespace pilfer::lab
