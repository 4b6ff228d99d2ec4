#include "lab/schedulers/registry.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lab/measure/registry.hpp"

namespace pilfer::lab::schedulers {

double session::seconds_of(const workload& what) {
  const programs::timed_answer found = run(what);
  programs::check_answer(what, found.answer, name_);
  return found.seconds;
}

bool entry::runs(program what) const { return only.empty() || std::ranges::find(only, what) != only.end(); }

const std::vector<entry>& registry() {
  static const std::vector<entry> all = [] {
    std::vector<entry> list;
    for (auto part : {serial_entries, users_pool_entries, classic_entries, block_entries, split_entries, light_entries,
                      switched_entries, tbb_entries, openmp_entries, rayon_entries}) {
      std::ranges::move(part(), std::back_inserter(list));
    }
    for (entry& one : list) {
      if (!one.make) continue;
      one.make = [name = one.name, make = std::move(one.make)](std::size_t workers) {
        std::unique_ptr<session> made = make(workers);
        made->set_name(name);
        return made;
      };
    }
    return list;
  }();
  return all;
}

const entry* find_scheduler(std::string_view name) { return find_by_name(registry(), name); }

const std::vector<counted_entry>& counted_registry() {
  static const std::vector<counted_entry> all = [] {
    std::vector<counted_entry> list = counted_classic_entries();
    std::ranges::move(counted_split_entries(), std::back_inserter(list));
    return list;
  }();
  return all;
}

}  // namespace pilfer::lab::schedulers
