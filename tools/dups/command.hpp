// `pilfer dups` behind its command line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <pilfer/io/backend.hpp>

#include "actions.hpp"
#include "finder.hpp"
#include "output.hpp"

namespace pilfer::dups {

struct command_options {
  search_options search;
  std::optional<std::string> files_from = {};  // "-" is standard input
  bool null_separated = false;

  format as = format::text;
  std::string output = {};  // a file; empty: standard output
  bool summary_only = false;
  bool most_wasted_first = false;
  bool progress = true;  // if standard error is a terminal

  std::vector<action_kind> actions = {};  // one, or none
  std::string folder = {};                // of move
  std::optional<keep_rule> keep = {};
  bool dry_run = false;
  bool yes = false;

  std::string scheduler = {};
  std::size_t workers = 0;
  io::backend_choice io = io::backend_choice::automatic;
};

// Why these options make no sense together; empty if they do. Looks at folders, changes nothing.
[[nodiscard]] std::string why_contradictory(const command_options& given);

// The names in a list; empty ones are left out.
[[nodiscard]] std::vector<std::string> names_in(const std::string& list, char separator);

// Does it all and returns a code of exit: 0; 1 if something could not be read, done or reported; 128 + signal.
//   Throws  lab::output_error, std::system_error, std::invalid_argument: no file was changed then. If the report fails after a file was, the
//           steps that it lacks are on standard error, what was not done yet is left alone, and the code is 1.
[[nodiscard]] int run_command(const command_options& options);

}  // namespace pilfer::dups
