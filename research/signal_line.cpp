// The signal variants' line from a thief to a lane's owner: exposure.hpp on signal_exposure.hpp.
#include "research/exposure.hpp"
#include "research/signal_exposure.hpp"

namespace pilfer::research {

struct signal_line::inside {
  signal_exposure signal;
  signal_mailbox box;
};

signal_line::signal_line() : inside_(std::make_unique<inside>()) {}
signal_line::~signal_line() = default;

void signal_line::bind(handler expose, void* queue) noexcept { inside_->box.bind({.expose = expose, .queue = queue}); }
void signal_line::unbind() noexcept { inside_->box.unbind(); }
bool signal_line::request() noexcept { return inside_->box.request(); }
void signal_line::answered() noexcept { inside_->box.answered(); }

}  // namespace pilfer::research
