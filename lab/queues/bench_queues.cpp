#include "lab/queues/bench_queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

#include "lab/measure/registry.hpp"
#include "lab/queues/alone.hpp"
#include "lab/queues/claims.hpp"
#include "lab/queues/measured_queue.hpp"
#include "lab/queues/thieves.hpp"

namespace pilfer::lab::queues {
namespace {

constexpr std::string_view footer =
    "ns/op counts pushes and pops of the owner. Ratios are of throughputs, medians of pairs from the same repetition, "
    "with\n"
    "their 95 % interval: above 1 is faster. After each operation of an owner stands a compiler barrier, in every row, "
    "so that\n"
    "the sequential stack and ring keep their positions in memory like the others. The loops test the answer of each "
    "push\n"
    "and pop, and go on until the queue says that it is empty.\n";

// What was asked for and can be run, with the baselines it needs, in the order of the tables.
std::vector<const implementation*> chosen(const std::vector<std::string>& names) {
  std::set<std::string> wanted;
  for (const std::string& name : names) {
    const implementation* found = find_implementation(name);
    if (found == nullptr) throw std::invalid_argument(fmt::format("there is no queue '{}'", name));
    wanted.insert(name);
    wanted.insert(found->baseline);
  }
  std::vector<const implementation*> list;
  for (const implementation& one : implementations()) {
    if (one.make && (names.empty() || wanted.contains(one.name))) list.push_back(&one);
  }
  return list;
}

std::string remarks(const std::vector<const implementation*>& who) {
  std::string text;
  for (const implementation* one : who) {
    if (!one->remark.empty()) text += fmt::format("{}: {}.\n", one->name, one->remark);
  }
  return text;
}

std::string missing(const std::vector<std::string>& names) {
  std::string text;
  for (const implementation& one : implementations()) {
    const bool asked = names.empty() || std::ranges::find(names, one.name) != names.end();
    if (asked && !one.make) text += fmt::format("{}: skipped; {}.\n", one.name, why_unavailable(one.name));
  }
  return text;
}

}  // namespace

std::vector<std::string> queue_names() { return names_of(implementations()); }

std::string why_unavailable(std::string_view name) {
  const implementation* found = find_implementation(std::string(name));
  if (found == nullptr) return "there is no such queue";
  return found->make ? "" : found->why_unavailable;
}

report bench_queues(const bench_settings& settings, const std::function<void(std::string_view)>& show) {
  const std::vector<const implementation*> who = chosen(settings.queues);
  report result;
  result.on = describe_machine();
  if (const std::string version = eigen_version(); !version.empty()) result.on.versions["eigen"] = version;
  show(machine_text(result.on) + "\n");

  std::optional<alone_result> alone;
  if (settings.alone) {
    alone = measure_alone(large_geometry, who, settings.repetitions);
    show(text_of(*alone) + "\n");
    const alone_result small = measure_alone(small_geometry, who, settings.repetitions);
    show(text_of(small) + "\n");
    result.add(rows_of(*alone));
    result.add(rows_of(small));
  }

  std::optional<thieves_result> thieves;
  if (settings.thieves) {
    thieves_settings with{
        .thieves = settings.thief_count, .sample = settings.sample, .repetitions = settings.repetitions};
    if (settings.steal_hz > 0) with.frequencies = {settings.steal_hz};
    thieves = measure_thieves(large_geometry, who, with);
    show(text_of(*thieves) + "\n");
    result.add(rows_of(*thieves));
  }

  result.claims = queue_claims(alone ? &*alone : nullptr, thieves ? &*thieves : nullptr);
  show(fmt::format("Figures to reach ({} entries)\n{}\n", capacity_of(large_geometry), claims_text(result.claims)));
  show(fmt::format("{}{}{}", footer, remarks(who), missing(settings.queues)));
  return result;
}

}  // namespace pilfer::lab::queues
