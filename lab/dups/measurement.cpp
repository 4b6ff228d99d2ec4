#include "lab/dups/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <pilfer/pool.hpp>

#include "lab/dups/contest.hpp"
#include "lab/dups/names.hpp"

namespace pilfer::lab::dups {
namespace {

using experiments::by_effort;
using experiments::effort;
using experiments::findings;
using experiments::settings;
using eviction = scratch_corpus::eviction;

constexpr std::uint64_t load_us = 50;

search_request request(std::size_t workers, std::string scheduler = {}, std::uint64_t load = 0) {
  return {
      .root = {}, .workers = workers, .scheduler = std::move(scheduler), .load_us_per_file = load, .results_file = {}};
}

// True: all found the same, which is what is there. Who cannot be run is left out of `all`, unless it is ours.
bool check_all(std::vector<participant>& all, const scratch_corpus& on, const std::string& corpus, findings& found) {
  const path_groups expected = expected_groups(on.plan());
  bool same = true;
  std::vector<participant> able;
  for (participant& one : all) {
    row r;
    try {
      r = check(one, expected);
    } catch (const std::runtime_error& wrong) {
      if (one.who().name == own_name) throw;
      found.notes.push_back(fmt::format("{}: left out of {}: {}", one.who().name, corpus, wrong.what()));
      continue;
    }
    r.name = same_prefix + corpus;
    if (r.samples.front() != 1) {
      same = false;
      found.notes.push_back(fmt::format("{}: {} found something else: {}; nothing was timed", corpus, r.impl,
                                        r.extra["difference"].get<std::string>()));
    }
    found.rows.push_back(std::move(r));
    able.push_back(std::move(one));
  }
  all = std::move(able);
  return same;
}

// Without the runs so far.
std::vector<participant> anew(const std::vector<participant>& from, const scratch_corpus& on, std::size_t workers) {
  std::vector<participant> all;
  all.reserve(from.size());
  for (const participant& one : from) all.emplace_back(one.who(), on, request(workers));
  return all;
}

std::vector<std::size_t> numbers_of_workers(const settings& given) {
  // Tests want all of it to happen, and not everything twice.
  if (given.processors < 2) return {1};
  return given.how == effort::tiny ? std::vector<std::size_t>{2} : std::vector<std::size_t>{1, 2};
}

// Who is not timed here, because that alone would take longer than all else.
std::string why_too_slow(const std::string& who, const std::string& corpus, std::string_view cache,
                         const settings& given) {
  if (given.how == effort::full || who == own_name) return {};
  if (who == "rmlint" && (corpus == "skewed" || (corpus == "thesis" && cache == cold))) return "takes many seconds";
  if (corpus == "skewed" && cache == cold && who != "jdupes") return "takes seconds, jdupes less";
  return {};
}

bool takes_part(const finder& one, const std::string& corpus, std::string_view cache, const settings& given,
                findings& found) {
  std::string why = one.why_unavailable;
  if (why.empty()) {
    why = why_too_slow(one.name, corpus, cache, given);
    if (why.empty()) return true;
    why += "; with --full only";
  }
  found.notes.push_back(fmt::format("{}: left out of {}: {}", one.name, case_name(corpus, cache), why));
  return false;
}

void add_case(const std::vector<participant>& who, const scratch_corpus& on, const std::string& corpus,
              std::string_view cache, std::size_t workers, eviction how, const settings& given, findings& found) {
  std::vector<participant> all = anew(who, on, workers);
  compete(all, {.title = case_name(corpus, cache),
                .most_repetitions = by_effort<std::size_t>(given, 1, 7, 21),
                .seconds_each = by_effort(given, 0.0, 0.2, 10.0),
                .least_repetitions = by_effort<std::size_t>(given, 1, 3, 3),
                .before_each = cache == cold ? std::function<void()>([&] { on.evict(how); }) : nullptr});
  for (const participant& one : all) {
    row r = one.row_named(case_name(corpus, cache));
    if (cache == cold) r.extra["evicted_by"] = name_of(how);
    found.rows.push_back(std::move(r));
  }
}

}  // namespace

corpus_plan plan_of(const std::string& corpus, const settings& given) {
  using std::size_t;
  using std::uint64_t;
  constexpr uint64_t kib = 1024;
  constexpr uint64_t mib = 1024 * kib;
  if (corpus == "thesis") {
    return thesis_corpus({.folders = by_effort<size_t>(given, 20, 600, 600),
                          .files = by_effort<size_t>(given, 120, 2500, 2500),
                          .bytes = by_effort<uint64_t>(given, 1, 256, 256) * mib});
  }
  if (corpus == "skewed") {
    return skewed_corpus({.tiny_files = by_effort<size_t>(given, 200, 20'000, 1'000'000),
                          .huge_bytes = by_effort<uint64_t>(given, 1, 64, 1024) * mib});
  }
  if (corpus == "adversarial") {
    return adversarial_corpus({.files = by_effort<size_t>(given, 30, 300, 960),
                               .bytes_each = by_effort<uint64_t>(given, 32, 512, 1024) * kib});
  }
  throw std::invalid_argument(fmt::format("there is no corpus '{}'", corpus));
}

const scratch_corpus& workbench::corpus(const std::string& name, const settings& given) {
  if (!at_hand_ || at_hand_->plan().name != name) {
    at_hand_.reset();
    at_hand_ = std::make_unique<scratch_corpus>(plan_of(name, given));
    if (given.how != effort::tiny) at_hand_->sync();
  }
  return *at_hand_;
}

findings measure_queues(workbench& on, const std::vector<std::string>& tool, bool with_load, const settings& given) {
  findings found;
  const finder ours = own_finder(tool);
  if (!ours.why_unavailable.empty()) {
    found.notes.push_back(fmt::format("queues: left out: {}", ours.why_unavailable));
    return found;
  }
  const scratch_corpus& files = on.corpus("thesis", given);
  const std::string name = queue_loads[with_load ? 1 : 0];
  const auto everybody = [&] {
    std::vector<participant> all;
    for (const std::string& scheduler : scheduler_names())
      all.emplace_back(ours, files, request(given.processors, scheduler, with_load ? load_us : 0));
    return all;
  };
  files.warm_up();
  std::vector<participant> checked = everybody();
  if (!check_all(checked, files, name, found)) return found;
  std::vector<participant> all = everybody();
  compete(all, {.title = name, .most_repetitions = by_effort<std::size_t>(given, 1, with_load ? 5 : 7, 31)});
  for (const participant& one : all) found.rows.push_back(one.row_named(queues_prefix + name));
  return found;
}

findings measure_rivals(workbench& on, const std::vector<std::string>& tool, const std::string& corpus,
                        const settings& given) {
  findings found;
  std::vector<finder> finders = rivals();
  finders.insert(finders.begin(), own_finder(tool));
  if (!finders.front().why_unavailable.empty()) {
    found.notes.push_back(fmt::format("{}: left out: {}", corpus, finders.front().why_unavailable));
    return found;
  }
  for (const finder& one : finders) {
    if (!one.version.empty()) found.versions[one.name] = one.version;
  }
  const scratch_corpus& files = on.corpus(corpus, given);
  std::vector<participant> all;
  for (const finder& one : finders) {
    if (takes_part(one, corpus, warm, given, found)) all.emplace_back(one, files, request(given.processors));
  }
  files.warm_up();
  if (!check_all(all, files, corpus, found)) return found;
  for (const std::size_t workers : numbers_of_workers(given))
    add_case(all, files, corpus, warm, workers, eviction::none, given, found);

  const eviction how = files.find_eviction();
  if (how == eviction::none) {
    found.notes.push_back(fmt::format(
        "{}: a cold cache cannot be shown: files stay in memory, because {} is no disk or nobody may evict them",
        corpus, files.root()));
    return found;
  }
  found.notes.push_back(fmt::format("{}: cold by {}", corpus, name_of(how)));
  std::vector<participant> some;
  for (const participant& one : all) {
    if (takes_part(one.who(), corpus, cold, given, found)) some.push_back(one);
  }
  for (const std::size_t workers : numbers_of_workers(given))
    add_case(some, files, corpus, cold, workers, how, given, found);
  return found;
}

}  // namespace pilfer::lab::dups
