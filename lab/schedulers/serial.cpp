// No scheduler: what the others are compared with.
#include "lab/schedulers/registry.hpp"

namespace pilfer::lab::schedulers {
namespace {

class serial_session final : public session {
 public:
  programs::timed_answer run(const workload& what) override { return programs::run_serially(what); }
};

}  // namespace

std::vector<entry> serial_entries() {
  return {{.name = serial_name,
           .description = "plain serial code, no scheduler",
           .of = family::serial,
           .make = [](std::size_t /*workers*/) { return std::make_unique<serial_session>(); }}};
}

}  // namespace pilfer::lab::schedulers
