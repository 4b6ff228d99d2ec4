#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "lab/applications/application.hpp"
#include "lab/applications/kit_session.hpp"

namespace pilfer::lab::applications {
namespace {

template <class... Programs>
std::vector<application_entry> entries_of(type_list<Programs...> /*all*/) {
  return {{Programs::name, [](effort how) { return std::make_unique<application_of<Programs>>(how); }}...};
}

}  // namespace

void wrong(std::string_view who, std::string_view program, std::string_view what) {
  throw std::runtime_error(fmt::format("{}: {}: {}", who, program, what));
}

const std::vector<application_entry>& applications() {
  static const std::vector<application_entry> all = entries_of(program_list{});
  return all;
}

const std::vector<kit_entry>& kits() {
  static const std::vector<kit_entry> all = {serial_kit_entry(), pilfer_kit_entry(), tbb_kit_entry(),
                                             openmp_kit_entry(), std_par_kit_entry()};
  return all;
}

std::string name_of(const variant& how) {
  return how.block_entries == 0 ? how.scheduler : fmt::format("{}({})", how.scheduler, how.block_entries);
}

const kit_entry* find_kit(std::string_view name) {
  const auto found = std::ranges::find(kits(), name, &kit_entry::name);
  return found == kits().end() ? nullptr : &*found;
}

double session::run(application& what, run_log& log) {
  what.reset();
  const double seconds = log.watch([&] { return time(what); }, [&] { return stolen_so_far(); });
  calm_down();
  what.check(name_);
  return seconds;
}

}  // namespace pilfer::lab::applications
