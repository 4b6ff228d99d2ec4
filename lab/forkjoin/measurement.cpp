#include "lab/forkjoin/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/table.hpp"

namespace pilfer::lab::forkjoin {
namespace {

constexpr double ms_per_second = 1e3;
constexpr double ns_per_second = 1e9;
constexpr std::uint64_t fewest_forks_for_a_price = 1000;  // of the late leaf's 8 forks none is what takes the time

std::vector<double> milliseconds(const std::vector<double>& seconds) {
  std::vector<double> ms(seconds.size());
  std::ranges::transform(seconds, ms.begin(), [](double s) { return s * ms_per_second; });
  return ms;
}

// Nanoseconds per fork: of the whole time, and of what serial code does not need.
struct price {
  double whole = 0;
  double extra = 0;
};

std::optional<price> price_of(const program_result& result, const measurement& one) {
  if (result.forks < fewest_forks_for_a_price) return std::nullopt;
  const double per_fork = ns_per_second / static_cast<double>(result.forks);
  const double serial = median(result.find(schedulers::serial_name, 0)->seconds);
  const double taken = median(one.seconds);
  return price{taken * per_fork, (taken - serial) * per_fork};
}

bool oversubscribed(const program_result& result, const measurement& one) { return one.workers > result.processors; }

std::string workers_text(const program_result& result, const measurement& one) {
  if (one.workers == 0) return "-";
  return fmt::format("{}{}", one.workers, oversubscribed(result, one) ? " OVERSUBSCRIBED" : "");
}

}  // namespace

const measurement* program_result::find(std::string_view name, std::size_t workers) const {
  const auto found = std::ranges::find_if(
      entries, [&](const measurement& one) { return one.who->name == name && one.workers == workers; });
  return found == entries.end() ? nullptr : &*found;
}

const program_result* find_program(const std::vector<program_result>& results, program what) {
  const auto found = std::ranges::find_if(results, [&](const program_result& one) { return one.what.what == what; });
  return found == results.end() ? nullptr : &*found;
}

program_result measure_program(const workload& what, const std::vector<const schedulers::entry*>& who,
                               const std::vector<std::size_t>& workers, std::size_t repetitions) {
  program_result result{
      .what = what, .forks = programs::forks_of(what), .processors = allowed_processors().size(), .entries = {}};
  const double right = programs::answer_of(what);  // found out before anything is timed
  static_cast<void>(right);

  std::vector<std::unique_ptr<schedulers::session>> sessions;
  std::vector<contender> contenders;
  const auto add = [&](const schedulers::entry& one, std::size_t count) {
    sessions.push_back(one.make(std::max<std::size_t>(count, 1)));
    schedulers::session& mine = *sessions.back();
    static_cast<void>(mine.seconds_of(what));  // threads and memory are there from now on
    contenders.push_back({count == 0 ? one.name : fmt::format("{}, {} workers", one.name, count),
                          [&mine, what] { return mine.seconds_of(what); }});
    result.entries.push_back({.who = &one, .workers = count, .seconds = {}, .time_ratio = {}});
  };
  for (const schedulers::entry* one : who) {
    if (!one->make || !one->runs(what.what)) continue;
    if (one->of == schedulers::family::serial) {
      add(*one, 0);
    } else {
      for (const std::size_t count : workers) add(*one, count);
    }
  }

  sample_matrix samples = run_interleaved(contenders, repetitions, programs::name_of(what.what));
  for (std::size_t i = 0; i < samples.size(); ++i) result.entries[i].seconds = std::move(samples[i]);
  const measurement& serial = *result.find(schedulers::serial_name, 0);
  for (measurement& one : result.entries) one.time_ratio = paired_ratio(one.seconds, serial.seconds);
  return result;
}

std::vector<row> rows_of(const program_result& result) {
  std::vector<row> rows;
  const measurement& serial = *result.find(schedulers::serial_name, 0);
  for (const measurement& one : result.entries) {
    row r{.suite = "fork-join",
          .name = std::string(programs::name_of(result.what.what)),
          .impl = one.who->name,
          .params = {{"size", result.what.size}, {"workers", one.workers}},
          .unit = "ms",
          .samples = milliseconds(one.seconds),
          .ratio_to_sequential = paired_ratio(serial.seconds, one.seconds)};
    r.extra["forks"] = result.forks;
    r.extra["time_ratio"] = one.time_ratio.value;
    const std::optional<price> paid = price_of(result, one);
    r.extra["ns_per_fork"] = paid ? json(paid->whole) : json(nullptr);
    r.extra["extra_ns_per_fork"] = paid ? json(paid->extra) : json(nullptr);
    r.extra["oversubscribed"] = oversubscribed(result, one);
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string text_of(const program_result& result) {
  table t({{"scheduler", align::left},
           {"workers"},
           {"ms"},
           {"min"},
           {"time / serial [95 %]"},
           {"ns/fork"},
           {"extra ns/fork"}});
  for (const measurement& one : result.entries) {
    const std::vector<double> ms = milliseconds(one.seconds);
    const std::optional<price> paid = price_of(result, one);
    t.add({one.who->name, workers_text(result, one), fmt::format("{:.2f}", median(ms)),
           fmt::format("{:.2f}", minimum(ms)), one.workers == 0 ? "1" : ratio_with_interval(one.time_ratio),
           paid ? nanoseconds(paid->whole) : "-", paid && one.workers > 0 ? fmt::format("{:.2f}", paid->extra) : "-"});
  }
  return fmt::format("{}: {} forks, {} samples each\n{}", programs::text_of(result.what), result.forks,
                     result.entries.front().seconds.size(), t.text());
}

}  // namespace pilfer::lab::forkjoin
