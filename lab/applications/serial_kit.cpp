// No scheduler: what the others are compared with.
#include "lab/applications/serial_kit.hpp"

#include "lab/applications/kit_session.hpp"

namespace pilfer::lab::applications {
namespace {

class serial_session final : public session {
 public:
  using session::session;

 protected:
  double time(application& what) override {
    double seconds = 0;
    visit_program(what, program_list{}, [&]<class P>(P& program) {
      if constexpr (requires { program.run_serial(); }) {
        seconds = seconds_taken_by([&] { program.run_serial(); });
      } else {
        seconds = seconds_taken_by([&] { program.template run<serial_kit>(); });
      }
    });
    return seconds;
  }
};

}  // namespace

kit_entry serial_kit_entry() {
  return {.name = serial_name, .of = kind::serial, .make = [](std::size_t /*workers*/, const variant& /*how*/) {
            return std::make_unique<serial_session>(serial_name);
          }};
}

}  // namespace pilfer::lab::applications
