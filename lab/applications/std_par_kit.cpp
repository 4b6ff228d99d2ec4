// std::execution::par as libstdc++ has it, PSTL on oneTBB: only programs that are one standard algorithm.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdeprecated-declarations"  // as in merge_sort.cpp
#endif

#include "lab/applications/application.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(PILFER_LAB_HAS_TBB)

#include <algorithm>
#include <execution>

#include "lab/applications/kit_session.hpp"
#include "lab/schedulers/tbb_pool.hpp"

namespace pilfer::lab::applications {
namespace {

template <class Program>
concept standard_program = requires(Program& program) { program.run_std(std::execution::par); };

bool is_standard(const application& what) {
  bool found = false;
  // Only asked for its type.
  visit_program(const_cast<application&>(what), program_list{},  // NOLINT(cppcoreguidelines-pro-type-const-cast)
                [&]<class P>(P& /*program*/) { found = standard_program<P>; });
  return found;
}

class std_par_session final : public session {
 public:
  explicit std_par_session(std::size_t workers) : session(std_par_name), pool_(workers) {}

 protected:
  double time(application& what) override {
    double seconds = 0;
    visit_program(what, program_list{}, [&]<class P>(P& program) {
      if constexpr (standard_program<P>) {
        seconds = seconds_taken_by([&] { pool_.run([&program] { program.run_std(std::execution::par); }); });
      } else {
        throw std::logic_error(std::string("no standard algorithm: ") + P::name);
      }
    });
    return seconds;
  }
  void calm_down() const override { std::this_thread::sleep_for(schedulers::tbb_calms_down_in); }

 private:
  schedulers::tbb_pool pool_;
};

}  // namespace

kit_entry std_par_kit_entry() {
  return {.name = std_par_name,
          .version = schedulers::tbb_version(),
          .can_run = is_standard,
          .make = [](std::size_t workers, const variant&) { return std::make_unique<std_par_session>(workers); }};
}

}  // namespace pilfer::lab::applications

#else

namespace pilfer::lab::applications {

kit_entry std_par_kit_entry() { return {.name = std_par_name, .why_unavailable = schedulers::why_no_tbb}; }

}  // namespace pilfer::lab::applications

#endif
