// pilfer verify: its command line.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "command.hpp"
#include "verify_command.hpp"

namespace pilfer::cli {
namespace {

namespace verify = model::verify;

constexpr std::string_view verify_description =
    "Check the queues in every way that C++20's memory model lets them run.\n"
    "\n"
    "Examples:\n"
    "  pilfer verify                                   every queue and the litmus tests, in minutes\n"
    "  pilfer verify abp bwos-lifo                     two queues\n"
    "  pilfer verify abp --client {client:<21}one client of one queue\n"
    "  pilfer verify split --bound preemptions=3       schedules with at most 3 preemptions\n"
    "  pilfer verify --bound random=1000000,seed=7     random executions, a million for each client\n"
    "  pilfer verify --full --json result.json         also what takes up to an hour; see docs/json-schema.md\n"
    "  pilfer verify --replay STRING                   one execution again, as printed with a failure\n"
    "  pilfer verify --weaken abp                      weaken each memory order of a queue, alone: is it caught?\n"
    "  pilfer verify --mutants                         the same for each half of each named edge\n"
    "  pilfer verify --litmus                          the checker itself: known answers\n"
    "  pilfer verify --differential 100000             the checker itself: random programs against an oracle\n"
    "\n"
    "The queues' shipped headers are run, with atomics of the checker; model/README.md says what it cannot see.\n"
    "\n"
    "Queues: {queues}\n"
    "\n"
    "Clients (--list says which queue has which, and explains the known faults):\n"
    "{clients}";

// What --bound can say.
struct bound {
  std::string name;
  std::uint64_t least;
  std::uint64_t most;
  void (*set)(verify::bounds&, std::uint64_t);
};

const std::vector<bound>& all_bounds() {
  constexpr std::uint64_t many = 1'000'000'000'000;
  static const std::vector<bound> all = {
      {"preemptions", 0, 1000, [](verify::bounds& b, std::uint64_t n) { b.preemptions = static_cast<int>(n); }},
      {"executions", 1, many, [](verify::bounds& b, std::uint64_t n) { b.executions = n; }},
      {"seconds", 1, 1'000'000, [](verify::bounds& b, std::uint64_t n) { b.seconds = static_cast<double>(n); }},
      {"random", 1, many, [](verify::bounds& b, std::uint64_t n) { b.random = n; }},
      {"seed", 0, std::numeric_limits<std::uint64_t>::max(), [](verify::bounds& b, std::uint64_t n) { b.seed = n; }},
  };
  return all;
}

void set_bound(verify::bounds& to, const std::string& text) {
  const auto equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto found = std::ranges::find(all_bounds(), name, &bound::name);
  if (found == all_bounds().end()) {
    std::vector<std::string> names;
    for (const bound& each : all_bounds()) names.push_back(each.name);
    refuse(fmt::format("--bound: there is no bound '{}'; the bounds are: {}", name, listed(names)));
  }
  if (equals == std::string::npos) refuse(fmt::format("--bound: '{0}' needs a value: {0}=N", name));
  found->set(to, whole_number("--bound: " + name, text.substr(equals + 1), found->least, found->most));
  if (to.random > 0 && to.preemptions >= 0) refuse("--bound: random executions have no bound of preemptions");
}

void choose_queues(verify::settings& settings, const std::vector<std::string>& names) {
  const std::vector<std::string> known = verify::queue_names();
  bool all = false;
  for (const std::string& name : names) {
    if (name == "all") {
      all = true;
    } else if (std::ranges::find(known, name) == known.end()) {
      refuse(fmt::format("there is no queue '{}'; the queues are: {}", name, listed(known)));
    } else if (std::ranges::find(settings.queues, name) == settings.queues.end()) {
      settings.queues.push_back(name);
    }
  }
  if (all) settings.queues.clear();
}

void choose_client(verify::settings& settings, const std::string& name) {
  const std::vector<std::string> known = verify::client_names();
  if (std::ranges::find(known, name) == known.end())
    refuse(fmt::format("--client: there is no client '{}'; the clients are: {}", name, listed(known)));
  settings.client = name;
}

// Every queue that was named has the client.
void check_combination(const verify::settings& settings) {
  if (settings.client.empty()) return;
  for (const std::string& queue : settings.queues) {
    const std::vector<std::string> clients = clients_of(queue);
    if (std::ranges::find(clients, settings.client) != clients.end()) continue;
    refuse(
        fmt::format("--client: '{}' has no client '{}'; its clients are: {}", queue, settings.client, listed(clients)));
  }
}

// Something else to do than to run clients, and what makes no sense with it.
struct job {
  CLI::Option* option;
  int (*run)(const verify_options&);
  std::vector<CLI::Option*> not_with;
};

const job* the_one_asked_for(const std::vector<job>& jobs) {
  const job* asked = nullptr;
  for (const job& each : jobs) {
    if (each.option->count() == 0) continue;
    const auto refuse_both = [&](const CLI::Option& other) {
      refuse(fmt::format("{} does not go with {}", each.option->get_name(), other.get_name()));
    };
    if (asked != nullptr) refuse_both(*asked->option);
    for (const CLI::Option* other : each.not_with) {
      if (other->count() > 0) refuse_both(*other);
    }
    asked = &each;
  }
  return asked;
}

// --weaken and --mutants look at shipped queues, and search in their own way.
void check_orders_job(const verify_options& given, const std::string& name) {
  for (const std::string& queue : given.settings.queues) {
    if (!verify::is_queue(queue))
      refuse(fmt::format("{}: '{}' is no queue; the queues are: {}", name, queue, listed(real_queues())));
  }
  for (const std::string& bound : given.bounds) {
    if (bound != "seconds") refuse(fmt::format("{} has only the bound seconds, for each run", name));
  }
}

std::string description_text() {
  std::string clients;
  for (const std::string& client : verify::client_names()) {
    const bool known_fault = std::ranges::any_of(verify::queue_names(), [&](const std::string& name) {
      return !verify::is_queue(name) && verify::has_client(name, client);
    });
    if (!known_fault) clients += fmt::format("  {:<18} {}\n", client, verify::client_description(client));
  }
  return fmt::format(fmt::runtime(verify_description), fmt::arg("client", verify::client_names().front()),
                     fmt::arg("queues", listed_in_lines(verify::queue_names(), 8, 100)), fmt::arg("clients", clients));
}

}  // namespace

std::vector<std::string> real_queues() {
  std::vector<std::string> names = verify::queue_names();
  std::erase_if(names, [](const std::string& name) { return !verify::is_queue(name); });
  return names;
}

std::vector<std::string> clients_of(const std::string& queue) {
  std::vector<std::string> names = verify::client_names();
  std::erase_if(names, [&](const std::string& name) {
    try {
      return !verify::has_client(queue, name);
    } catch (const std::invalid_argument&) {  // a known fault, and not of this group
      return true;
    }
  });
  return names;
}

void add_verify(CLI::App& to, action& chosen) {
  auto given = std::make_shared<verify_options>();
  CLI::App* command = to.add_subcommand("verify", description_text());

  CLI::Option* queues =
      command
          ->add_option_function<std::vector<std::string>>(
              "QUEUE", [given](const std::vector<std::string>& names) { choose_queues(given->settings, names); },
              "Only these; `all` is all of them")
          ->delimiter(',')
          ->type_name("");
  CLI::Option* client = command
                            ->add_option_function<std::string>(
                                "--client", [given](const std::string& name) { choose_client(given->settings, name); },
                                "Only this client")
                            ->type_name("NAME");
  CLI::Option* bounds =
      command
          ->add_option_function<std::vector<std::string>>(
              "--bound",
              [given](const std::vector<std::string>& all) {
                for (const std::string& text : all) {
                  set_bound(given->settings.limits, text);
                  given->bounds.push_back(text.substr(0, text.find('=')));
                }
              },
              "Of each client's search, separated by commas: preemptions=N, executions=N, seconds=N, or random=N "
              "executions with seed=N")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("NAME=N");
  CLI::Option* full =
      command->add_flag("--full", given->settings.full, "Also the clients that take minutes: up to an hour in all");
  add_number(
      *command, "--jobs", 1, 256, [given](std::uint64_t n) { given->settings.jobs = static_cast<unsigned>(n); },
      "Threads that search (as many as there are processors)");
  CLI::Option* json =
      command->add_option("--json", given->json, "Write a report; - is standard output, then without tables")
          ->type_name("FILE");

  // Flags, but for two that take a value.
  const auto flag = [&](const std::string& name, const std::string& text) {
    return command->add_flag(name, text)->disable_flag_override();
  };
  std::vector<job> jobs;
  jobs.push_back({command->add_option("--replay", given->replay, "Run one execution, as printed with a failure")
                      ->type_name("STRING"),
                  verify_replay,
                  {queues, client, bounds, full, json}});
  jobs.push_back({flag("--weaken", "Weaken each memory order of the queues, alone; beside the paper's Table 2"),
                  verify_weaken,
                  {client, full, json}});
  jobs.push_back({flag("--mutants", "Make each half of each edge of the queues relaxed, alone"),
                  verify_mutants,
                  {client, full, json}});
  jobs.push_back({flag("--litmus", "Only the litmus tests"), verify_litmus, {queues, client, bounds, full}});
  CLI::Option* differential = add_number(
      *command, "--differential", 1, 1'000'000'000, [given](std::uint64_t n) { given->differential = n; },
      "Compare the checker with the oracle on N random programs");
  jobs.push_back({differential, verify_differential, {queues, client, bounds, full, json}});
  CLI::Option* seed = add_number(
      *command, "--seed", 0, std::numeric_limits<std::uint64_t>::max(), [given](std::uint64_t n) { given->seed = n; },
      "Of the first random program of --differential (1)");
  jobs.push_back({flag("--list", "Say which queue has which clients"),
                  [](const verify_options&) { return list_clients(); },
                  {queues, client, bounds, full, json}});

  command->callback([given, jobs, differential, seed, &chosen] {
    if (seed->count() > 0 && differential->count() == 0) refuse("--seed goes with --differential");
    check_combination(given->settings);
    const job* const asked = the_one_asked_for(jobs);
    if (asked != nullptr && (asked->run == verify_weaken || asked->run == verify_mutants))
      check_orders_job(*given, asked->option->get_name());
    chosen = [given, run = asked == nullptr ? verify_clients : asked->run] { return run(*given); };
  });
}

}  // namespace pilfer::cli
