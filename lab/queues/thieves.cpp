#include "lab/queues/thieves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/table.hpp"
#include "lab/queues/alone.hpp"
#include "lab/queues/thief_crew.hpp"

namespace pilfer::lab::queues {
namespace {

using clock = std::chrono::steady_clock;

// The owner keeps the last processor for itself; thieves share the others.
std::vector<int> thief_processors(const std::vector<int>& allowed, std::size_t thieves) {
  const std::size_t others = std::max<std::size_t>(allowed.size() - 1, 1);
  std::vector<int> processors;
  processors.reserve(thieves);
  for (std::size_t i = 0; i < thieves; ++i) processors.push_back(allowed[i % others]);
  return processors;
}

void check_conserved(const std::string& name, const tally& pushed, const tally& popped, const tally& stolen,
                     const tally& left) {
  const tally found = popped + stolen + left;
  if (found == pushed) return;
  throw std::runtime_error(fmt::format("{}: {} items pushed, but {} popped + {} stolen + {} left{}", name, pushed.count,
                                       popped.count, stolen.count, left.count,
                                       found.count == pushed.count ? ": not the same items" : ""));
}

// The same among thieves, item by item: what adds up may still be other items. Not timed.
void check_items(const thieves_result::entry& entry, measured_queue& queue, thief_crew& crew,
                 const thieves_settings& settings) {
  constexpr int least_rounds = 2;
  constexpr int part_of_sample = 20;
  traffic with;
  owner_totals owner;
  crew.begin(queue, with,
             {.share = entry.share / static_cast<double>(settings.thieves), .hz = entry.hz, .checks = true});
  const auto deadline = clock::now() + settings.sample / part_of_sample;
  for (int i = 0; (i < least_rounds || clock::now() < deadline) && interrupt_signal() == 0; ++i)
    queue.check_round(with, owner);
  const thief_totals stolen = crew.finish();
  throw_if_interrupted();
  const tally left = queue.drain();
  check_conserved(entry.who->name, owner.pushed, owner.popped, stolen.taken, left);
  if (!owner.pushed.same_items(owner.popped + stolen.taken + left)) {
    throw std::runtime_error(
        fmt::format("{}: number and sum are right, but they are not the same items", entry.who->name));
  }
}

// One sample: fills `totals` in and returns the owner's ns per operation.
double sample(thieves_result::entry& entry, measured_queue& queue, thief_crew& crew, const thieves_settings& settings) {
  owner_totals warm_up;
  traffic nobody;
  queue.run_round(nobody, warm_up);  // not run_alone: a request of the last sample's thieves may still be answered
  check_conserved(entry.who->name, warm_up.pushed, warm_up.popped, {}, queue.drain());

  traffic with;
  owner_totals owner;
  const auto thieves = static_cast<double>(settings.thieves);
  crew.begin(
      queue, with,
      {.share = entry.share / thieves, .hz = entry.hz, .times = settings.times_kept > 0 ? &entry.times : nullptr});
  const auto start = clock::now();
  const auto deadline = start + settings.sample;
  auto now = start;
  while (now < deadline && interrupt_signal() == 0) {
    queue.run_round(with, owner);
    now = clock::now();
  }
  const thief_totals stolen = crew.finish();
  throw_if_interrupted();
  const tally left = queue.drain();
  check_conserved(entry.who->name, owner.pushed, owner.popped, stolen.taken, left);

  entry.owner.pushed += owner.pushed;
  entry.owner.popped += owner.popped;
  entry.thieves += stolen;
  entry.left += left.count;
  check_items(entry, queue, crew, settings);
  const double ns = std::chrono::duration<double, std::nano>(now - start).count();
  entry.stolen_per_us.push_back(static_cast<double>(stolen.taken.count) * 1e3 / ns);
  return ns / static_cast<double>(owner.operations());
}

bool by_frequency(const thieves_settings& settings) { return !settings.frequencies.empty(); }

std::vector<thieves_result::entry> planned_entries(const std::vector<const implementation*>& who,
                                                   const thieves_settings& settings) {
  std::vector<thieves_result::entry> entries;
  for (const implementation* one : who) {
    entries.push_back({.who = one});
    if (one->sequential) continue;
    for (const std::uint64_t hz : settings.frequencies) entries.push_back({.who = one, .hz = hz});
    if (by_frequency(settings)) continue;
    for (const double share : settings.shares) {
      if (share > 0) entries.push_back({.who = one, .share = share});
    }
  }
  return entries;
}

std::string target_text(const thieves_result::entry& entry, const thieves_settings& settings) {
  return by_frequency(settings) ? fmt::format("{} Hz", entry.hz) : fmt::format("{:.0f} %", entry.share * 100);
}

std::string row_name(const thieves_result::entry& entry, const thieves_settings& settings) {
  return by_frequency(settings) ? fmt::format("thieves/{}hz", entry.hz)
                                : fmt::format("thieves/{:.0f}%", entry.share * 100);
}

}  // namespace

double thieves_result::entry::achieved_share() const {
  return owner.pushed.count == 0 ? 0
                                 : static_cast<double>(thieves.taken.count) / static_cast<double>(owner.pushed.count);
}

const thieves_result::entry* thieves_result::find(std::string_view name, double share) const {
  const auto found = std::ranges::find_if(
      entries, [&](const entry& e) { return e.who->name == name && e.share == share && e.hz == 0; });
  return found == entries.end() ? nullptr : &*found;
}

thieves_result measure_thieves(const geometry& shape, const std::vector<const implementation*>& who,
                               const thieves_settings& settings) {
  if (settings.times_kept > 0 && settings.thieves != 1) {
    throw std::invalid_argument("measure_thieves: times can be kept of one thief only");
  }
  const std::vector<int> allowed = allowed_processors();
  const pinned here(allowed.back());
  thieves_result result{.settings = settings,
                        .shape = shape,
                        .oversubscribed = settings.thieves + 1 > allowed.size(),
                        .pinned = true,
                        .entries = planned_entries(who, settings)};

  std::vector<std::unique_ptr<measured_queue>> queues;
  thief_crew crew(thief_processors(allowed, settings.thieves));
  std::vector<contender> contenders;
  const implementation* last = nullptr;
  for (auto& entry : result.entries) {
    if (entry.who != last) queues.push_back(entry.who->make(shape));
    last = entry.who;
    entry.times.limit = settings.times_kept;
    contenders.push_back({fmt::format("{}, {}", entry.who->name, target_text(entry, settings)),
                          [&, queue = queues.back().get()] { return sample(entry, *queue, crew, settings); }});
  }
  sample_matrix samples = run_interleaved(contenders, settings.repetitions, "thieves");
  result.pinned = here.succeeded() && crew.pinned();

  for (std::size_t i = 0; i < result.entries.size(); ++i) result.entries[i].ns = std::move(samples[i]);
  for (auto& entry : result.entries) {
    if (const auto* undisturbed = result.find(entry.who->name, 0); undisturbed != nullptr && entry.stealing()) {
      entry.relative = paired_ratio(undisturbed->ns, entry.ns);
    }
    if (const auto* baseline = result.find(entry.who->baseline, 0)) entry.ratio = paired_ratio(baseline->ns, entry.ns);
  }
  return result;
}

std::vector<row> rows_of(const thieves_result& result) {
  std::vector<row> rows;
  rows.reserve(result.entries.size());
  for (const auto& entry : result.entries) {
    json params = geometry_params(result.shape, *entry.who);
    params["thieves"] = result.settings.thieves;
    params["duration_ms"] = result.settings.sample.count();
    if (by_frequency(result.settings)) {
      params["steal_hz"] = entry.hz;
    } else {
      params["share"] = entry.share;
    }
    json extra = {
        {"sequential", entry.who->baseline},
        {"achieved_share", entry.achieved_share()},
        {"relative_throughput", entry.relative ? json(entry.relative->value) : json(nullptr)},
        {"relative_ci_low", entry.relative ? json(entry.relative->low) : json(nullptr)},
        {"relative_ci_high", entry.relative ? json(entry.relative->high) : json(nullptr)},
        {"counts",
         {{"pushed", entry.owner.pushed.count},
          {"popped", entry.owner.popped.count},
          {"left", entry.left},
          {"taken", entry.thieves.taken.count},
          {"steals", entry.thieves.steals},
          {"empty", entry.thieves.empty},
          {"lost", entry.thieves.lost},
          {"private_work", entry.thieves.private_work}}},
        {"stolen_per_us", entry.stolen_per_us},
        {"oversubscribed", result.oversubscribed},
        {"pinned", result.pinned},
    };
    if (entry.hz > 0 && entry.thieves.attempts() > 0) {
      extra["steal_ns"] = static_cast<double>(entry.thieves.attempt_ns) / static_cast<double>(entry.thieves.attempts());
    }
    rows.push_back({.suite = "queues",
                    .name = row_name(entry, result.settings),
                    .impl = entry.who->name,
                    .params = std::move(params),
                    .unit = "ns/op",
                    .samples = entry.ns,
                    .ratio_to_sequential = entry.ratio,
                    .extra = std::move(extra)});
  }
  return rows;
}

std::string text_of(const thieves_result& result) {
  table t({{"queue", align::left},
           {"target"},
           {"stolen"},
           {"ns/op"},
           {"throughput / no theft"},
           {"taken"},
           {"steals"},
           {"empty"},
           {"lost"},
           {"private"}});
  const implementation* last = nullptr;
  for (const auto& entry : result.entries) {
    const bool first = entry.who != last;
    if (first && last != nullptr && !last->sequential) t.add_rule();
    last = entry.who;
    t.add({first ? entry.who->name : "", target_text(entry, result.settings), percent(entry.achieved_share()),
           nanoseconds(median(entry.ns)), entry.relative ? ratio_with_interval(*entry.relative) : "-",
           short_count(entry.thieves.taken.count), short_count(entry.thieves.steals), short_count(entry.thieves.empty),
           short_count(entry.thieves.lost), short_count(entry.thieves.private_work)});
  }
  std::string text = fmt::format(
      "Thieves: owner's ns per push or pop, {} entries ({} blocks of {}), {} thie{}{}; median of {} interleaved "
      "samples of {} ms\n{}",
      capacity_of(result.shape), result.shape.blocks, result.shape.entries, result.settings.thieves,
      result.settings.thieves == 1 ? "f" : "ves",
      by_frequency(result.settings)
          ? fmt::format(", each trying {} times a second", fmt::join(result.settings.frequencies, " or "))
          : "",
      result.settings.repetitions, result.settings.sample.count(), t.text());
  if (result.oversubscribed)
    text += "OVERSUBSCRIBED: more threads than processors; these figures say little about the queues.\n";
  if (!result.pinned) text += "The system did not allow threads to be bound to processors.\n";
  return text;
}

}  // namespace pilfer::lab::queues
