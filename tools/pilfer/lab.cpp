// pilfer lab
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "command.hpp"
#include "lab/coroutines/experiment.hpp"
#include "lab/experiments/folder.hpp"
#include "lab/experiments/runner.hpp"
#include "lab/idle/experiments.hpp"
#include "lab/lightweight/experiments.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/disturbance.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/nearest.hpp"
#include "lab/measure/output.hpp"
#include "lab/measure/registry.hpp"
#include "lab/measure/table.hpp"
#include "lab/tasks/experiment.hpp"

namespace pilfer::cli {
namespace {

namespace experiments = lab::experiments;
using experiments::effort;
using experiments::experiment;

constexpr const char* lab_description =
    "The papers' experiments on this machine, and a report to look at.\n"
    "\n"
    "Examples:\n"
    "  pilfer lab run                               everything, in about five minutes; prints where the report is\n"
    "  pilfer lab run queues-alone lcws --full      two experiments, as in the papers\n"
    "  pilfer lab run --out DIR                     into this folder; goes on where an interrupted run stopped\n"
    "  pilfer lab list                              what there is, and which figure of which paper it repeats\n"
    "  pilfer lab report DIR                        makes DIR/report.html again from DIR/results.json\n"
    "\n"
    "See docs/lab.md.\n";

constexpr const char* run_description =
    "Run experiments; results.json and report.html go to lab-results/DATE, or to --out.\n"
    "\n"
    "Examples:\n"
    "  pilfer lab run                               everything, in about five minutes\n"
    "  pilfer lab run steal-latency victims         two experiments\n"
    "  pilfer lab run --full --out paper            as in the papers: hours\n"
    "  pilfer lab run --json -                      results also to standard output\n"
    "\n"
    "Ctrl-C keeps what has been measured: the same command goes on from there. A folder that was measured by another\n"
    "build or with another effort is not mixed with this one: name another, or measure --again.\n";

struct run_options {
  std::vector<std::string> names;
  bool quick = false;
  bool full = false;
  bool tiny = false;
  bool again = false;
  std::string out;
  std::string json;
};

std::vector<std::string> experiment_names() { return lab::names_of(experiments::registry()); }

void require_experiments(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (lab::contains(experiment_names(), name)) continue;
    refuse(fmt::format("there is no experiment '{}'; the nearest are: {}; `pilfer lab list` has all", name,
                       listed(lab::nearest_names(name, experiment_names()))));
  }
}

std::vector<const experiment*> chosen_experiments(const std::vector<std::string>& names) {
  std::vector<const experiment*> chosen;
  for (const experiment& one : experiments::registry()) {
    if (names.empty() || lab::contains(names, one.name)) chosen.push_back(&one);
  }
  return chosen;
}

effort effort_of(const run_options& given) {
  if (given.tiny) return effort::tiny;
  return given.full ? effort::full : effort::quick;
}

void warn_if_busy() {
  const lab::disturbance others;
  constexpr std::chrono::milliseconds look{300};
  std::this_thread::sleep_for(look);
  if (const double share = others.share(); share >= lab::busy_share) {
    fmt::print(stderr, "pilfer: the machine is busy: others use {} of its processors; figures will be noisy\n",
               lab::percent(share));
  }
}

// What is to be added to: an earlier run's results of this build, or none yet.
experiments::results started(const run_options& given, const experiments::folder& place,
                             const std::vector<const experiment*>& chosen, experiments::results all) {
  std::optional<experiments::results> earlier = place.earlier();
  if (!earlier) return all;
  if (const std::string why = why_not_together(*earlier, all); !why.empty()) {
    if (!given.again) {
      refuse(fmt::format("{} holds another run: {}. Name another folder with --out, or measure --again", place.path(),
                         why));
    }
    return all;
  }
  if (given.again) {
    std::erase_if(earlier->experiments, [&](const experiments::experiment_record& one) {
      return std::ranges::any_of(chosen, [&](const experiment* c) { return c->name == one.name; });
    });
  }
  return std::move(*earlier);
}

// In the order of the registry, whatever was measured first.
void sort_by_registry(experiments::results& all) {
  const std::vector<std::string> order = experiment_names();
  std::ranges::sort(all.experiments, {}, [&](const experiments::experiment_record& one) {
    return std::pair(std::ranges::find(order, one.name) - order.begin(), one.name);
  });
}

std::string verdicts(const std::vector<lab::claim>& claims) {
  std::size_t met = 0;
  std::size_t missed = 0;
  std::size_t reported = 0;
  std::size_t not_shown = 0;
  for (const lab::claim& c : claims) {
    if (!c.measured) {
      ++not_shown;
    } else if (!c.goal) {
      ++reported;
    } else {
      ++(c.met().value_or(false) ? met : missed);
    }
  }
  return fmt::format("{} figures: {} met, {} missed, {} without a goal, {} cannot be shown here", claims.size(), met,
                     missed, reported, not_shown);
}

int run_lab(const run_options& given) {
  const std::vector<const experiment*> chosen = chosen_experiments(given.names);
  std::vector<std::string> names;
  names.reserve(chosen.size());
  for (const experiment* one : chosen) names.push_back(one->name);
  std::optional<lab::output_file> copy;
  if (!given.json.empty()) copy.emplace(given.json);
  const experiments::results now{.on = lab::describe_machine(),
                                 .given = {.how = effort_of(given), .processors = lab::allowed_processors().size()}};
  const experiments::folder place(given.out.empty() ? experiments::usual_folder(names, now) : given.out);
  experiments::results all = started(given, place, chosen, now);
  const bool to_stdout = copy && copy->is_stdout();
  const auto say = [&](const std::string& text) {
    if (!to_stdout) lab::write_stdout(text);
  };
  lab::note_interrupts();
  say(machine_text(all.on));
  warn_if_busy();

  const auto finish = [&] {
    sort_by_registry(all);
    if (all.experiments.empty()) return;
    place.save(all);
    place.save_report(all);
  };
  experiments::outcome done;
  try {
    done = run_experiments(
        chosen, all,
        {.save = [&](const experiments::results& so_far) { place.save(so_far, experiments::claims_are::to_be_judged); },
         .tell = [](std::string_view line) { fmt::print(stderr, "{}\n", line); }});
  } catch (const lab::interrupted& signal) {
    finish();
    fmt::print(stderr,
               "pilfer: interrupted; {} has what was measured so far. The same command with --out {} goes on.\n",
               place.results_path(), place.path());
    return 128 + signal.signal();
  }
  finish();
  if (copy) copy->write(json_text(all));
  const std::vector<lab::claim> claims = claims_of(all);
  say(fmt::format("\n{}\n{}.\n", claims_text(claims), verdicts(claims)));
  if (done.measured == 0 && done.failed == 0)
    say(fmt::format("All of it had been measured before; --again measures anew.\n"));
  if (const double share = all.disturbed(); share >= lab::busy_share)
    say(fmt::format("The machine was busy: others used {} of its processors' time.\n", lab::percent(share)));
  say(fmt::format("results: {}\nreport:  {}\n", place.results_path(), place.report_path()));
  return done.failed == 0 ? success : failure;
}

int list() {
  lab::table t({{"experiment", lab::align::left}, {"what", lab::align::left}, {"repeats", lab::align::left}});
  for (const experiment& one : experiments::registry()) t.add({one.name, one.title, one.source});
  std::string text = t.text() + "\n";
  for (const std::string& paper : experiments::papers()) text += paper + "\n";
  lab::write_stdout(text);
  return success;
}

int make_report(const std::string& where) {
  const auto say_missing = [&] {
    fmt::print(stderr, "pilfer: {} has no results.json; `pilfer lab run --out {}` makes one\n", where, where);
    return failure;
  };
  if (!std::filesystem::exists(where + "/results.json")) return say_missing();
  const experiments::folder place(where);
  const std::optional<experiments::results> found = place.earlier();
  if (!found) return say_missing();  // it has gone meanwhile
  place.save_report(*found);
  lab::write_stdout(fmt::format("report:  {}\n", place.report_path()));
  return success;
}

void add_run(CLI::App& to, action& chosen) {
  auto given = std::make_shared<run_options>();
  CLI::App* command = to.add_subcommand("run", run_description);
  command->add_option("NAME", given->names, "Experiments; none: all of them");
  CLI::Option* quick = command->add_flag("--quick", given->quick, "All experiments within five minutes (the default)");
  command->add_flag("--full", given->full, "As in the papers: hours")->excludes(quick);
  command->add_flag("--tiny", given->tiny)->group("");  // for tests: everything happens, nothing is measured well
  command->add_option("--out", given->out, "Folder for results.json and report.html (lab-results/DATE)")
      ->type_name("DIR")
      ->check([](const std::string& text) { return text.empty() ? "--out: a folder needs a name" : ""; });
  command->add_option("--json", given->json, "Write the results to this file, too; - is standard output")
      ->type_name("FILE");
  command->add_flag("--again", given->again, "Measure anew what the folder has already");
  command->callback([given, &chosen] {
    require_experiments(given->names);
    chosen = [given] { return run_lab(*given); };
  });
}

// What the experiments start as a process of its own: this program again.
int run_child(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "memory")
    return experiments::run_memory_child({arguments.begin() + 1, arguments.end()});
  if (!arguments.empty() && arguments.front() == "spawn")
    return experiments::run_spawn_child({arguments.begin() + 1, arguments.end()});
  if (!arguments.empty() && arguments.front() == "resume")
    return experiments::run_resume_child({arguments.begin() + 1, arguments.end()});
  return lab::lightweight::run_child(arguments, std::cin, std::cout, std::cerr);
}

}  // namespace

void add_lab(CLI::App& to, action& chosen) {
  CLI::App* lab_command = to.add_subcommand("lab", lab_description);
  CLI::App* list_command = lab_command->add_subcommand("list", "List the experiments and what they repeat");
  list_command->callback([&chosen] { chosen = list; });
  add_run(*lab_command, chosen);
  auto where = std::make_shared<std::string>();
  CLI::App* report_command =
      lab_command->add_subcommand("report", "Make the report again from a folder's results.json");
  report_command->add_option("DIR", *where, "The folder")->required();
  report_command->callback([where, &chosen] { chosen = [where] { return make_report(*where); }; });
  auto arguments = std::make_shared<std::vector<std::string>>();
  CLI::App* child_command = lab_command->add_subcommand("child")->group("");  // not for people
  child_command->add_option("ARGUMENTS", *arguments);
  child_command->callback([arguments, &chosen] { chosen = [arguments] { return run_child(*arguments); }; });
}

}  // namespace pilfer::cli
