// Ctrl-C, so that a long measurement ends at once and leaves nothing half-written behind.
#pragma once

#include <stdexcept>

namespace pilfer::lab {

// From now on SIGINT and SIGTERM are only noted; a second one ends the process the hard way.
void note_interrupts();

// The signal noted so far, 0 if none. Cheap: one load.
[[nodiscard]] int interrupt_signal() noexcept;

// Unwinds a measurement; the program then ends with 128 + signal.
class interrupted : public std::runtime_error {
 public:
  explicit interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  [[nodiscard]] int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

// Throws `interrupted` if a signal was noted.
void throw_if_interrupted();

}  // namespace pilfer::lab
