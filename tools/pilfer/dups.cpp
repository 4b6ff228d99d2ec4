// pilfer dups
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <stdexcept>

#include "command.hpp"
#include "lab/measure/registry.hpp"
#include "tools/dups/command.hpp"
#include "tools/dups/words.hpp"

namespace pilfer::cli {
namespace {

using dups::action_kind;
using dups::command_options;

constexpr std::uint64_t dups_most_workers = 256;
constexpr int most_paths = 1 << 29;  // CLI11's own limit
constexpr std::uint64_t most_depth = 1'000'000;
constexpr std::uint64_t most_load_us = 1'000'000;

constexpr const char* dups_description =
    "Find files with the same content, and what to do about them.\n"
    "\n"
    "Examples:\n"
    "  pilfer dups ~/photos                               groups of equal files, and how much they waste\n"
    "  pilfer dups --min-size 1M --sort wasted ~ /srv     large ones, the worst first\n"
    "  pilfer dups --format json ~/photos                 for programs; also csv, and fdupes for its scripts\n"
    "  pilfer dups --delete --dry-run ~/photos            what would be deleted; nothing is\n"
    "  pilfer dups --hard-link --keep oldest ~/photos     one copy on disk, all names stay; asks first\n"
    "  pilfer dups --delete --reference ~/photos /media/card   delete from the card what ~/photos has\n"
    "  find . -name '*.iso' -print0 | pilfer dups --files-from - -0\n"
    "\n"
    "Whatever is done to a file, it and the one that is kept are compared once more, byte for byte. At least one of "
    "each\n"
    "group stays, and everything in a reference folder. What cannot be done as told is left alone and reported.\n"
    "\n"
    "Exit: 0, with or without duplicates; 1 if something could not be read or done; 2 for options that make no sense, "
    "before\n"
    "anything is touched; 130 after Ctrl-C, with a report of what was found so far. See docs/dups.md.\n";

// One of several words. CLI11's own check would print a table.
template <class T>
CLI::Option* add_word(CLI::App& command, const std::string& name, const std::vector<std::pair<std::string, T>>& words,
                      const std::function<void(T)>& set, const std::string& text) {
  const auto parse = [name, words, set](const std::string& given) {
    std::vector<std::string> known;
    for (const auto& [word, value] : words) {
      if (word == given) return set(value);
      known.push_back(word);
    }
    refuse(fmt::format("{}: '{}' is none of {}", name, given, listed(known)));
  };
  return command.add_option_function<std::string>(name, parse, text)->type_name("WORD");
}

struct command_line {
  command_options options;
  // Those that may be given several times, taken as they are: a name may be "[a,b]", which CLI11 would take apart.
  std::vector<std::pair<const CLI::Option*, std::vector<std::string>*>> repeated = {};
  std::vector<std::string> interpreted = {};

  CLI::Option* add(CLI::App& command, const char* name, const char* type, std::vector<std::string>& into,
                   const char* text) {
    CLI::Option* option = command.add_option(name, interpreted, text)->type_name(type)->allow_extra_args(false);
    repeated.emplace_back(option, &into);
    return option;
  }
  // What stands alone. CLI11 hands over as many words as are said to be needed; none is missed if there are fewer.
  void add_positional(CLI::App& command, const char* name, std::vector<std::string>& into, const char* text) {
    add(command, name, "", into, text)
        ->expected(most_paths, most_paths)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  void collect() {
    for (const auto& [option, into] : repeated) *into = option->results();
  }
};

void add_bytes(CLI::App& command, const std::string& name, std::uint64_t& into, const std::string& text) {
  const auto parse = [name, &into](const std::string& given) {
    const std::optional<std::uint64_t> bytes = dups::parse_bytes(given);
    if (!bytes) refuse(fmt::format("{}: '{}' is no size such as 4096, 64K, 10M or 2G", name, given));
    into = *bytes;
  };
  command.add_option_function<std::string>(name, parse, text)->type_name("SIZE");
}

void add_search_options(CLI::App& command, command_line& line) {
  command_options& given = line.options;
  dups::search_options& search = given.search;
  line.add_positional(command, "PATHS", search.paths,
                      "Folders and files (the current folder); -- before a name that begins with -");
  line.add(command, "--reference", "PATH", search.reference_paths,
           "A folder whose files are looked at and never changed; its copy is kept. May be repeated");
  command.add_flag("--only-with-reference", search.only_with_reference, "Only groups that have a reference file");
  command
      .add_option_function<std::string>(
          "--files-from", [&given](const std::string& name) { given.files_from = name; },
          "Read further paths from this file, one in a line; - is standard input")
      ->type_name("FILE");
  command.add_flag("-0,--null", given.null_separated, "That list ends its names with a 0 byte, as of find -print0");
  add_bytes(command, "--min-size", search.min_size,
            "Leave out smaller files: bytes, or with K, M, G, T for KiB and so on");
  add_bytes(command, "--max-size", search.max_size, "Leave out larger files");
  command.add_flag("--empty", search.empty_files, "Empty files are duplicates of each other, too");
  line.add(command, "--include", "GLOB", search.include,
           "Only files that match; with a slash the path must, otherwise the name");
  line.add(command, "--exclude", "GLOB", search.exclude, "Leave out files and folders that match");
  command.add_flag_callback(
      "--no-hidden", [&search] { search.hidden = false; }, "Leave out names that begin with a dot");
  command.add_flag("-x,--one-file-system", search.one_file_system, "Do not enter other file systems");
  add_number(
      command, "--max-depth", 0, most_depth,
      [&search](std::uint64_t n) { search.max_depth = static_cast<unsigned>(n); },
      "How far to descend: 1 is files directly in the folders named");
  command.add_flag("-L,--follow-symlinks", search.follow_symlinks, "Follow symbolic links");
  command.add_flag("--hard-links", search.hard_links_are_duplicates,
                   "Names of one inode are duplicates, though they waste nothing");
  command.add_flag_callback(
      "--hash-only", [&search] { search.compare = dups::comparison::hash_only; },
      "Equal hashes are enough (XXH3, 128 bits): without comparing bytes");
  command.add_option("--cache", search.cache_file, "Keep hashes in this file, for the next time")->type_name("FILE");
  add_number(
      command, "--load-us", 0, most_load_us,
      [&search](std::uint64_t n) { search.load_per_file = std::chrono::microseconds(n); }, "")
      ->group("");  // for the lab
}

void add_output_options(CLI::App& command, command_options& given) {
  using dups::format;
  add_word<format>(
      command, "--format",
      {{"text", format::text}, {"json", format::json}, {"csv", format::csv}, {"fdupes", format::fdupes}},
      [&given](format as) { given.as = as; }, "text, json, csv or fdupes (text)");
  command.add_option("--output", given.output, "Write the report to this file; - is standard output")
      ->type_name("FILE");
  add_word<bool>(
      command, "--sort", {{"path", false}, {"wasted", true}},
      [&given](bool wasted) { given.most_wasted_first = wasted; },
      "Order of groups: path, or wasted for most wasted bytes first (path)");
  command.add_flag("--summary", given.summary_only, "Only the summary, no groups");
  command.add_flag_callback("--no-progress", [&given] { given.progress = false; }, "No line of progress on a terminal");
}

void add_action_options(CLI::App& command, command_options& given) {
  const auto add = [&](const char* name, action_kind kind, const char* text) {
    command.add_flag_callback(name, [&given, kind] { given.actions.push_back(kind); }, text);
  };
  add("--delete", action_kind::remove, "Delete all but one of each group");
  add("--hard-link", action_kind::hard_link, "Replace all but one by hard links to it");
  add("--reflink", action_kind::reflink, "Let all share the blocks of one, where the file system can (FIDEDUPERANGE)");
  command
      .add_option_function<std::string>(
          "--move",
          [&given](const std::string& folder) {
            given.folder = folder;
            given.actions.push_back(action_kind::move);
          },
          "Move all but one into this folder, each with its absolute path")
      ->type_name("DIR");
  using dups::keep_rule;
  add_word<keep_rule>(
      command, "--keep",
      {{"first", keep_rule::first},
       {"newest", keep_rule::newest},
       {"oldest", keep_rule::oldest},
       {"shortest-path", keep_rule::shortest_path}},
      [&given](keep_rule rule) { given.keep = rule; },
      "Which one stays: first, newest, oldest or shortest-path (first, by path); a reference before any other");
  command.add_flag("--dry-run", given.dry_run, "Check everything, change nothing, say what would be done");
  command.add_flag("--yes", given.yes, "Do not ask; needed without a terminal");
}

void add_pool_options(CLI::App& command, command_options& given) {
  command
      .add_option_function<std::string>(
          "--scheduler",
          [&given](const std::string& name) {
            if (!lab::contains(scheduler_names(), name)) {
              refuse(fmt::format("--scheduler: there is no scheduler '{}'; the schedulers are: {}", name,
                                 listed(scheduler_names())));
            }
            given.scheduler = name;
          },
          "Of the pool, by name; `pilfer tune --help` has them (PILFER_SCHEDULER, or the default)")
      ->type_name("NAME");
  add_number(
      command, "--workers", 1, dups_most_workers, [&given](std::uint64_t n) { given.workers = n; },
      "Threads (as many as this process may use)");
  using io::backend_choice;
  add_word<backend_choice>(
      command, "--io",
      {{"auto", backend_choice::automatic}, {"uring", backend_choice::uring}, {"threads", backend_choice::threads}},
      [&given](backend_choice choice) { given.io = choice; },
      "auto, uring or threads: how files are read (auto: io_uring where the system allows it)");
}

int run_dups(const command_options& options) {
  try {
    return dups::run_command(options);
  } catch (const std::invalid_argument& error) {  // what only shows when a list was read, or the environment
    std::string why = error.what();
    if (why.starts_with("pilfer: ")) why.erase(0, 8);  // as the library begins, and main.cpp too
    refuse(why);
  }
}

}  // namespace

void add_dups(CLI::App& to, action& chosen) {
  auto line = std::make_shared<command_line>();
  command_options& given = line->options;
  CLI::App* command = to.add_subcommand("dups", dups_description);
  to.require_subcommand(0, 1);  // a path that is called "lab" is no second command
  add_search_options(*command, *line);
  add_output_options(*command, given);
  add_action_options(*command, given);
  add_pool_options(*command, given);
  command->callback([line, &chosen] {
    line->collect();
    if (const std::string why = dups::why_contradictory(line->options); !why.empty()) refuse(why);
    chosen = [line] { return run_dups(line->options); };
  });
}

}  // namespace pilfer::cli
