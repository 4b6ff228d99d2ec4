// pilfer bench queues
#include "lab/queues/bench_queues.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "bench_command.hpp"
#include "command.hpp"

namespace pilfer::cli {
namespace {

constexpr std::size_t quick_repetitions = 41;

constexpr std::string_view bench_queues_description =
    "Compare the work-stealing queues, alone and with thieves.\n"
    "\n"
    "Examples:\n"
    "  pilfer bench queues --quick                          everything, in under a minute\n"
    "  pilfer bench queues --queue bwos-lifo,abp            two queues (and the sequential one they are compared "
    "with)\n"
    "  pilfer bench queues --only alone --repetitions 401   only without thieves, more samples\n"
    "  pilfer bench queues --thieves 2 --steal-hz 100000    two thieves that try 100000 times a second each\n"
    "  pilfer bench queues --json result.json               with all samples, see docs/json-schema.md\n"
    "\n"
    "alone    The owner fills 8192 (then 1024) entries in 8 blocks, then takes them all, again and again.\n"
    "thieves  The same while thieves steal 0, 1, 5, 10, 20 and 50 % of the items; the owner's time is measured.\n"
    "\n"
    "Samples of all queues are interleaved; ratios are of samples taken close together. After each operation of an\n"
    "owner stands a compiler barrier, for every queue and for the sequential stack and ring alike: their positions\n"
    "live in memory, as in an object the compiler cannot see through. See docs/benchmarking.md.\n"
    "\n"
    "Queues: {}\n";

struct bench_queues_options {
  lab::queues::bench_settings settings;
  bool quick = false;
  std::optional<std::size_t> repetitions;
  std::string only;
  std::string json;
};

int run_bench_queues(const bench_queues_options& chosen) {
  lab::queues::bench_settings settings = chosen.settings;
  if (chosen.quick) settings.repetitions = quick_repetitions;
  if (chosen.repetitions) settings.repetitions = *chosen.repetitions;
  settings.alone = chosen.only != "thieves";
  settings.thieves = chosen.only != "alone";

  return run_suite(chosen.json, [&](const shower& show) { return lab::queues::bench_queues(settings, show); });
}

}  // namespace

void add_bench_queues(CLI::App& to, action& chosen) {
  auto given = std::make_shared<bench_queues_options>();
  const std::string all_names = listed_in_lines(lab::queues::queue_names(), 8, 100);
  CLI::App* queues = to.add_subcommand("queues", fmt::format(fmt::runtime(bench_queues_description), all_names));

  add_names(*queues,
            {.option = "--queue",
             .kind = "queue",
             .kinds = "queues",
             .known = lab::queues::queue_names(),
             .why_unavailable = lab::queues::why_unavailable},
            given->settings.queues, "Only these, separated by commas, and the sequential ones they are compared with");
  queues->add_option("--only", given->only, "Run one experiment only")
      ->check(CLI::IsMember({"alone", "thieves"}))
      ->type_name("EXPERIMENT");
  add_number(
      *queues, "--thieves", 1, 256, [given](std::uint64_t n) { given->settings.thief_count = n; },
      "Number of thieves (1)");
  add_number(
      *queues, "--steal-hz", 1, 1'000'000'000, [given](std::uint64_t n) { given->settings.steal_hz = n; },
      "Thieves try N times a second each, one item at a time, instead of aiming at a share");
  add_number(
      *queues, "--duration-ms", 1, 600'000,
      [given](std::uint64_t n) { given->settings.sample = std::chrono::milliseconds(n); },
      fmt::format("Length of one sample with thieves ({})", given->settings.sample.count()));
  add_number(
      *queues, "--repetitions", 1, 100'000, [given](std::uint64_t n) { given->repetitions = n; },
      fmt::format("Samples of each queue ({}, with --quick {})", given->settings.repetitions, quick_repetitions));
  queues->add_flag("--quick", given->quick, "Fewer repetitions: about 40 seconds instead of 3 minutes");
  add_json(*queues, given->json);
  queues->callback([given, &chosen] { chosen = [given] { return run_bench_queues(*given); }; });
}

}  // namespace pilfer::cli
