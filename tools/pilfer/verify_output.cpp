#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "lab/measure/interrupt.hpp"
#include "lab/measure/table.hpp"
#include "verify_command.hpp"

namespace pilfer::cli {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
constexpr std::string_view erase_line = "\r\x1b[K";
constexpr std::size_t bar_width = 20;

std::size_t terminal_width() noexcept {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

void write_stderr(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

live_output::live_output(bool silent) : silent_(silent), terminal_(::isatty(STDERR_FILENO) == 1) {}

live_output::~live_output() { erase(); }

void live_output::erase() noexcept {
  if (!drawn_) return;
  write_stderr(erase_line);
  drawn_ = false;
}

void live_output::print(std::string_view text) noexcept {
  if (silent_ || error_) return;
  erase();
  try {
    lab::write_stdout(text);
  } catch (const lab::output_error&) {
    error_ = std::current_exception();
    broken_.store(true, std::memory_order_relaxed);
  }
}

void live_output::progress(std::string_view text) noexcept {
  if (!terminal_) return;
  const auto now = clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + redraw_interval;
  drawn_ = true;
  write_stderr(erase_line);
  write_stderr(text.substr(0, terminal_width()));
}

bool live_output::stop() const noexcept {
  return broken_.load(std::memory_order_relaxed) || lab::interrupt_signal() != 0;
}

void live_output::conclude(std::string_view text) {
  erase();
  print(text);
  if (silent_ && lab::interrupt_signal() != 0) write_stderr(text);
  if (error_) std::rethrow_exception(error_);
  lab::throw_if_interrupted();
}

double live_output::seconds() const noexcept { return std::chrono::duration<double>(clock::now() - start_).count(); }

std::string progress_bar(std::size_t done, std::size_t of) {
  const std::size_t filled = of == 0 ? 0 : std::min(done, of) * bar_width / of;
  return fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", bar_width - filled);
}

std::string rate_text(std::uint64_t executions, double seconds) {
  if (seconds <= 0) return "-";
  return lab::short_count(static_cast<std::uint64_t>(static_cast<double>(executions) / seconds)) + " executions/s";
}

std::string blind_spots() {
  return "The checker cannot see load buffering, nor an order S of the seq_cst operations that disagrees with "
         "happens-before: model/README.md.\n";
}

}  // namespace pilfer::cli
