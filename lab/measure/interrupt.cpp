#include "lab/measure/interrupt.hpp"

#include <csignal>

namespace pilfer::lab {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

extern "C" void note_signal(int signal) { noted_signal = signal; }

}  // namespace

void note_interrupts() {
  struct sigaction action{};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int interrupt_signal() noexcept { return noted_signal; }

void throw_if_interrupted() {
  if (const int signal = interrupt_signal(); signal != 0) throw interrupted(signal);
}

}  // namespace pilfer::lab
