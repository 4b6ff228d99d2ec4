#include "lab/peers/measurement.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lab/measure/interleave.hpp"
#include "lab/measure/run_log.hpp"

namespace pilfer::lab::peers {
namespace {

constexpr double ms_per_second = 1e3;

// An entrant with its workers, and what is to be known of its runs besides their times.
class runner {
 public:
  runner(const entrant& who, std::size_t workers, const contest_plan& plan)
      : who_(&who), workers_(workers), what_(plan.what), size_(plan.size), team_(who.make(workers)) {
    static_cast<void>(sample());  // threads and memory are there from now on
    log_.clear();
  }

  double sample() {
    run_costs costs;
    const outcome found =
        watched([&] { return team_->run(what_, size_); }, [&] { return team_->steals_so_far(); }, costs);
    if (found.switches) costs = {found.switches->voluntary, found.switches->involuntary, std::nullopt};
    log_.add(costs);
    check_answer(what_, size_, found.answer, who_->name);
    return found.seconds * ms_per_second;
  }

  [[nodiscard]] const entrant& who() const noexcept { return *who_; }

  [[nodiscard]] row result(std::vector<double> samples, std::size_t processors) const {
    row r{.suite = suite_name,
          .name = std::string(name_of(what_)),
          .impl = who_->name,
          .params = {{"size", size_}, {"workers", who_->sequential() ? 0 : workers_}},
          .unit = "ms",
          .samples = std::move(samples),
          .ratio_to_sequential = {},
          .extra = {{"own_sequential", who_->own_sequential},
                    {"ratio_to_own_sequential", nullptr},
                    {"oversubscribed", workers_ > processors}}};
    log_.write_to(r.extra);
    return r;
  }

 private:
  const entrant* who_;
  std::size_t workers_;
  contest what_;
  std::int64_t size_;
  std::unique_ptr<team> team_;
  run_log log_;
};

const row* row_of(const std::vector<row>& rows, const std::string& impl) {
  const auto found = std::ranges::find(rows, impl, &row::impl);
  return found == rows.end() ? nullptr : &*found;
}

void compare_with_sequential_code(std::vector<row>& rows) {
  const row* const serial = row_of(rows, serial_name);
  for (row& one : rows) {
    if (serial != nullptr) one.ratio_to_sequential = paired_ratio(serial->samples, one.samples);
    if (const row* const own = row_of(rows, one.extra.at("own_sequential").get<std::string>())) {
      one.extra["ratio_to_own_sequential"] = paired_ratio(own->samples, one.samples).value;
    }
  }
}

}  // namespace

experiments::findings measure_contest(const contest_plan& plan) {
  experiments::findings found;
  std::vector<std::unique_ptr<runner>> runners;
  for (const entrant& one : entrants()) {
    if (!one.takes_part(plan.what)) continue;
    if (!one.make) {
      if (one.contests.front() == plan.what) found.notes.push_back(fmt::format("{}: {}", one.name, one.why_missing));
      continue;
    }
    if (!one.version.empty()) found.versions[one.name] = one.version;
    if (one.sequential()) {
      runners.push_back(std::make_unique<runner>(one, 1, plan));
    } else {
      for (const std::size_t count : plan.workers) runners.push_back(std::make_unique<runner>(one, count, plan));
    }
  }
  std::vector<contender> contenders;
  contenders.reserve(runners.size());
  for (const auto& one : runners) contenders.push_back({one->who().name, [&mine = *one] { return mine.sample(); }});
  sample_matrix samples = run_interleaved(contenders, plan.repetitions, name_of(plan.what));
  for (std::size_t i = 0; i < runners.size(); ++i) {
    found.rows.push_back(runners[i]->result(std::move(samples[i]), plan.processors));
  }
  compare_with_sequential_code(found.rows);
  return found;
}

}  // namespace pilfer::lab::peers
