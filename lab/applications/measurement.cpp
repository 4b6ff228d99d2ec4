#include "lab/applications/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/comparison.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/stopwatch.hpp"

namespace pilfer::lab::applications {
namespace {

// A contestant with its threads.
struct participant {
  contestant who;
  std::unique_ptr<session> with;
};

row row_of_participant(const char* suite, const application& what, const comparison& all, const measurement& times,
                       const participant& one) {
  row r = row_of({.suite = suite, .name = std::string(what.name()), .size = what.size()}, all, times);
  r.params["kit"] = one.who.kit->name;
  if (one.who.how.block_entries != 0) r.params["block_entries"] = one.who.how.block_entries;
  return r;
}

// How often everybody runs, from how long it took once.
std::size_t repetitions_of(const endurance& how_long, double seconds_of_one) {
  const double fit = how_long.seconds / std::max(seconds_of_one, 1e-6);
  return static_cast<std::size_t>(
      std::clamp(fit, static_cast<double>(how_long.least_repetitions), static_cast<double>(how_long.most_repetitions)));
}

}  // namespace

endurance endurance_of(const experiments::settings& given, double quick_seconds, double full_seconds) {
  using experiments::by_effort;
  return {.seconds = by_effort(given, 0.0, quick_seconds, full_seconds),
          .least_repetitions = by_effort<std::size_t>(given, 1, 3, 5),
          .most_repetitions = by_effort<std::size_t>(given, 1, 15, 25),
          .warm_up = given.how != effort::tiny};
}

std::vector<row> measure(const char* suite, application& what, const std::vector<contestant>& who,
                         const endurance& how_long) {
  std::vector<participant> all;
  all.reserve(who.size());
  for (const contestant& one : who) all.push_back({one, one.kit->make(one.workers, one.how)});

  std::size_t repetitions = how_long.least_repetitions;
  if (how_long.warm_up) {
    const double once = seconds_taken_by([&] {
      for (participant& one : all) {
        throw_if_interrupted();
        run_log not_kept;
        static_cast<void>(one.with->run(what, not_kept));
      }
    });
    repetitions = repetitions_of(how_long, once);
  }

  comparison compared{.processors = allowed_processors().size(), .entries = {}};
  compared.entries.reserve(all.size());  // contenders write into them
  std::vector<contender> contenders;
  for (participant& one : all) {
    measurement& into = compared.entries.emplace_back(measurement{.name = one.who.name(), .workers = one.who.workers});
    contenders.push_back({fmt::format("{}, {} workers", one.who.name(), one.who.workers),
                          [&one, &into, &what] { return one.with->run(what, into.costs); }});
  }
  sample_matrix samples = run_interleaved(contenders, repetitions, what.name());
  for (std::size_t i = 0; i < all.size(); ++i) compared.entries[i].seconds = std::move(samples[i]);
  const measurement& serial = compared.serial();
  for (measurement& one : compared.entries) one.time_ratio = paired_ratio(one.seconds, serial.seconds);
  std::vector<row> rows;
  rows.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows.push_back(row_of_participant(suite, what, compared, compared.entries[i], all[i]));
  }
  return rows;
}

namespace {

std::string_view kit_of(const row& r) {
  const auto found = r.params.find("kit");
  return found == r.params.end() || !found->is_string() ? std::string_view()
                                                        : std::string_view(found->get_ref<const std::string&>());
}

}  // namespace

bool is_ours(const row& r) { return kit_of(r) == pilfer_name; }
bool is_peer(const row& r) {
  const std::string_view kit = kit_of(r);
  return kit == tbb_name || kit == openmp_name || kit == std_par_name;
}

std::size_t most_workers(const std::vector<row>& rows, std::string_view program) {
  double most = 0;
  for (const row& r : rows) {
    if (r.name == program) most = std::max(most, experiments::workers_of(r));
  }
  return static_cast<std::size_t>(most);
}

void describe_peers(experiments::findings& found) {
  for (const kit_entry& kit : kits()) {
    if (!kit.version.empty()) found.versions[kit.name] = kit.version;
    if (!kit.make) found.notes.push_back(fmt::format("{}: {}", kit.name, kit.why_unavailable));
  }
}

}  // namespace pilfer::lab::applications
