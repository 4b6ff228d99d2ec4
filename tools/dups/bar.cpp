#include "bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "lab/measure/interrupt.hpp"
#include "words.hpp"

namespace pilfer::dups {
namespace {

constexpr std::chrono::milliseconds bar_look_interval{30};  // how late Ctrl-C may be noticed
constexpr unsigned looks_per_drawing = 4;
constexpr std::size_t bar_width = 20;
constexpr double smoothing_seconds = 3;
constexpr std::string_view erase_line = "\r\x1b[K";

void write_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

}  // namespace

std::string bar_line(const bar_state& of, std::size_t width) {
  std::string line;
  if (of.stage == search_stage::walking) {
    line = fmt::format("looking: {}, {}", counted(of.files_found, "file"), counted(of.folders_found, "folder"));
  } else {
    const double share = of.bytes_to_do == 0
                             ? 1
                             : std::min(1.0, static_cast<double>(of.bytes_done) / static_cast<double>(of.bytes_to_do));
    const auto filled = static_cast<std::size_t>(share * bar_width);
    line = fmt::format("[{:#<{}}{:.<{}}] {:3.0f} % of {}", "", filled, "", bar_width - filled, share * 100,
                       bytes_text(of.bytes_to_do));
    if (of.seconds_left) line += fmt::format(", {} left", seconds_text(*of.seconds_left));
    if (of.groups_found > 0)
      line += fmt::format("; {}, {} wasted", counted(of.groups_found, "group"), bytes_text(of.wasted_bytes));
  }
  return line.substr(0, width);
}

void time_estimate::note(double now, std::uint64_t bytes_done) {
  const double elapsed = now - last_.value_or(now);
  if (!last_) {
    last_ = now;
    done_ = bytes_done;
  }
  if (elapsed <= 0) return;
  const double rate = static_cast<double>(bytes_done - std::min(bytes_done, done_)) / elapsed;
  const double weight = std::min(1.0, elapsed / smoothing_seconds);
  rate_ = rate_ ? *rate_ + weight * (rate - *rate_) : rate;
  last_ = now;
  done_ = bytes_done;
}

std::optional<double> time_estimate::left(std::uint64_t bytes_to_do) const noexcept {
  if (!rate_ || *rate_ < 1) return std::nullopt;
  return static_cast<double>(bytes_to_do - std::min(bytes_to_do, done_)) / *rate_;
}

watcher::watcher(const progress& seen, bool draw)
    : seen_(seen), draw_(draw), thread_([this](const std::stop_token& end) { watch(end); }) {}

watcher::~watcher() {
  thread_.request_stop();
  thread_.join();
  if (drawn_) write_stderr(erase_line);
}

void watcher::say(std::string_view text) {
  const std::lock_guard guard(mutex_);
  if (std::exchange(drawn_, false)) write_stderr(erase_line);
  write_stderr(text);
}

void watcher::watch(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  for (unsigned looks = 1; !end.stop_requested(); ++looks) {
    wake_.wait_for(lock, end, bar_look_interval, [] { return false; });
    if (lab::interrupt_signal() != 0) source_.request_stop();
    if (draw_ && looks % looks_per_drawing == 0 && !end.stop_requested()) redraw();
  }
}

void watcher::redraw() {
  constexpr auto relaxed = std::memory_order_relaxed;  // numbers to look at, nothing depends on them
  bar_state now{.stage = seen_.stage.load(relaxed),
                .files_found = seen_.files_found.load(relaxed),
                .folders_found = seen_.folders_found.load(relaxed),
                .bytes_done = seen_.bytes_done.load(relaxed),
                .bytes_to_do = seen_.bytes_to_do.load(relaxed),
                .groups_found = seen_.groups_found.load(relaxed),
                .wasted_bytes = seen_.wasted_bytes.load(relaxed)};
  if (now.stage != search_stage::walking) {
    estimate_.note(std::chrono::duration<double>(clock::now() - start_).count(), now.bytes_done);
    now.seconds_left = estimate_.left(now.bytes_to_do);
  }
  drawn_ = true;
  write_stderr(std::string(erase_line) + bar_line(now, terminal_width()));
}

}  // namespace pilfer::dups
