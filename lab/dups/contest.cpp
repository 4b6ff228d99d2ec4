#include "lab/dups/contest.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "lab/dups/names.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"

namespace pilfer::lab::dups {
namespace {

constexpr double bytes_per_mb = 1024.0 * 1024.0;

void allow(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int one : processors) CPU_SET(static_cast<std::size_t>(one), &set);
  ::sched_setaffinity(0, sizeof set, &set);  // refused: everybody runs on all of them alike
}

std::vector<std::string> paths_in(const path_groups& groups) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& one : groups) all.insert(all.end(), one.begin(), one.end());
  std::ranges::sort(all);
  return all;
}

// An example for people.
std::string difference(const path_groups& found, const path_groups& expected) {
  std::vector<std::string> missing;
  std::vector<std::string> too_many;
  const std::vector<std::string> has = paths_in(found);
  const std::vector<std::string> should = paths_in(expected);
  std::ranges::set_difference(should, has, std::back_inserter(missing));
  std::ranges::set_difference(has, should, std::back_inserter(too_many));
  std::string text = fmt::format("{} groups instead of {}", found.size(), expected.size());
  if (!missing.empty()) text += fmt::format("; {} files are missing, such as {}", missing.size(), missing.front());
  if (!too_many.empty()) text += fmt::format("; {} are too many, such as {}", too_many.size(), too_many.front());
  return text;
}

template <class From, class Get>
json median_of(const std::vector<From>& runs, Get&& get) {
  std::vector<double> values;
  for (const From& one : runs) {
    if (const std::optional<double> value = get(one)) values.push_back(*value);
  }
  return values.empty() || values.size() != runs.size() ? json(nullptr) : json(median(values));
}

std::optional<double> megabytes(const std::optional<std::uint64_t>& bytes) {
  if (!bytes) return std::nullopt;
  return static_cast<double>(*bytes) / bytes_per_mb;
}

constexpr double patience_factor = 5;  // times the seconds of each, for the least repetitions

}  // namespace

limited_to::limited_to(std::size_t processors) : before_(allowed_processors()) {
  std::vector<int> some = before_;
  some.resize(std::clamp<std::size_t>(processors, 1, some.size()));
  allow(some);
}
limited_to::~limited_to() { allow(before_); }

participant::participant(const finder& who, const scratch_corpus& on, search_request how)
    : who_(who), on_(&on), how_(std::move(how)), label_(who.name + how_.scheduler) {
  how_.root = on.root();
  how_.results_file = on.beside(label_ + ".results");
}

double participant::run_once() {
  const run_place where{.output = on_->beside(label_ + ".out"), .complaints = on_->beside(label_ + ".err")};
  {
    const limited_to processors(how_.workers);
    runs_.push_back(observe(who_.command(how_), where));
  }
  if (runs_.back().exit_code != 0) {
    const int code = runs_.back().exit_code;
    runs_.pop_back();
    throw std::runtime_error(fmt::format("dups: {}{}{}: exit code {}; {}", who_.name,
                                         how_.scheduler.empty() ? "" : " with ", how_.scheduler, code,
                                         text_of(where.complaints)));
  }
  if (who_.name == own_name) own_.push_back(parse_own_statistics(text()));
  return runs_.back().seconds * 1e3;
}

std::string participant::text() const {
  return text_of(who_.writes_results_file ? how_.results_file : on_->beside(label_ + ".out"));
}

path_groups participant::found() const { return normalised(who_.parse(text()), on_->plan(), on_->root()); }

row participant::row_named(const std::string& name) const {
  row r{.suite = suite_name,
        .name = name,
        .impl = how_.scheduler.empty() ? who_.name : how_.scheduler,
        .params = {{"workers", how_.workers}},
        .unit = "ms",
        .samples = {},
        .ratio_to_sequential = {}};
  if (how_.load_us_per_file > 0) r.params["load_us_per_file"] = how_.load_us_per_file;
  for (const observed_run& one : runs_) r.samples.push_back(one.seconds * 1e3);
  using run = observed_run;
  r.extra["cpu_ms"] = median_of(runs_, [](const run& one) { return std::optional(one.used.processor_seconds * 1e3); });
  r.extra["peak_mb"] = median_of(
      runs_, [](const run& one) { return std::optional(static_cast<double>(one.used.peak_kilobytes) / 1024.0); });
  // A ring's reads are not in the kernel's count: ours counts them itself.
  const json own_count = median_of(own_, [](const own_statistics& one) { return one.bytes_read; });
  r.extra["read_mb"] = own_count.is_number()
                           ? json(own_count.get<double>() / bytes_per_mb)
                           : median_of(runs_, [](const run& one) { return megabytes(one.bytes_read); });
  r.extra["disk_mb"] = median_of(runs_, [](const run& one) { return megabytes(one.bytes_from_disk); });
  r.extra["voluntary_switches"] =
      median_of(runs_, [](const run& one) { return std::optional(static_cast<double>(one.used.voluntary_switches)); });
  r.extra["involuntary_switches"] = median_of(
      runs_, [](const run& one) { return std::optional(static_cast<double>(one.used.involuntary_switches)); });
  r.extra["tasks_stolen"] = median_of(own_, [](const own_statistics& one) { return one.tasks_stolen; });
  r.extra["io_continuations_stolen"] = median_of(own_, [](const own_statistics& one) { return one.io_stolen; });
  r.extra["oversubscribed"] = how_.workers > allowed_processors().size();
  return r;
}

row check(participant& who, const path_groups& expected) {
  who.run_once();
  const path_groups found = who.found();
  row r = who.row_named("");
  r.unit = "same";
  r.samples = {found == expected ? 1.0 : 0.0};
  r.extra = json::object();
  r.extra["groups"] = found.size();
  if (found != expected) r.extra["difference"] = difference(found, expected);
  return r;
}

void compete(std::vector<participant>& all, const contest_rules& rules) {
  const auto takes_part = [&](std::size_t who, std::size_t repetition) {
    if (repetition == 0 || !rules.seconds_each) return true;
    const std::vector<observed_run>& runs = all[who].runs();
    if (runs.size() < repetition) return false;
    double used = 0;
    for (std::size_t i = 0; i < repetition; ++i) used += runs[i].seconds;
    return used < *rules.seconds_each * (repetition < rules.least_repetitions ? patience_factor : 1.0);
  };
  const auto anybody = [&](std::size_t repetition) {
    for (std::size_t who = 1; who < all.size(); ++who) {
      if (takes_part(who, repetition)) return true;
    }
    return all.size() == 1 && takes_part(0, repetition);
  };
  std::vector<contender> contenders;
  contenders.reserve(all.size());
  std::vector<std::size_t> calls(all.size(), 0);
  for (std::size_t who = 0; who < all.size(); ++who) {
    contenders.push_back({all[who].who().name, [&, who] {
                            const std::size_t repetition = calls[who]++;
                            if (!(who == 0 ? anybody(repetition) : takes_part(who, repetition))) return 0.0;
                            if (rules.before_each) rules.before_each();
                            return all[who].run_once();
                          }});
  }
  static_cast<void>(run_interleaved(contenders, rules.most_repetitions, rules.title));
}

}  // namespace pilfer::lab::dups
