// What the subcommands have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pilfer::cli {

// Codes of exit; 128 + signal when interrupted.
inline constexpr int success = 0;
inline constexpr int failure = 1;      // the work could not be done: a file, the system, a queue that lost an item
inline constexpr int wrong_usage = 2;  // an option, a name or a number that makes no sense

// What the chosen subcommand does; set while the command line is parsed, called afterwards. Returns a code of exit.
using action = std::function<int()>;

// Each adds one subcommand.
void add_bench(CLI::App& to, action& chosen);
void add_bench_algorithms(CLI::App& to, action& chosen);
void add_bench_fork_join(CLI::App& to, action& chosen);
void add_bench_priorities(CLI::App& to, action& chosen);
void add_bench_queues(CLI::App& to, action& chosen);
void add_dups(CLI::App& to, action& chosen);
void add_lab(CLI::App& to, action& chosen);
void add_serve(CLI::App& to, action& chosen);
void add_tune(CLI::App& to, action& chosen);
void add_verify(CLI::App& to, action& chosen);

// Ends the parsing of the command line with this message; the code of exit is wrong_usage.
[[noreturn]] void refuse(const std::string& message);

// The text as a whole number within [least, most], or an error that says so and names it.
[[nodiscard]] std::uint64_t whole_number(const std::string& name, const std::string& text, std::uint64_t least,
                                         std::uint64_t most);

// An option whose value is a whole number within [least, most]. Anything else is an error that says so.
CLI::Option* add_number(CLI::App& command, const std::string& name, std::uint64_t least, std::uint64_t most,
                        const std::function<void(std::uint64_t)>& set, const std::string& description);

// "a, b, c"
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

// The same in lines of at most `width` characters, all but the first indented.
[[nodiscard]] std::string listed_in_lines(const std::vector<std::string>& names, std::size_t indent, std::size_t width);

// Help as we want it: a list of subcommands shows the first line of each description, which may go on with examples.
[[nodiscard]] std::shared_ptr<CLI::Formatter> help_formatter();

// What to print for a command line that was not understood, with the names that would have been.
[[nodiscard]] std::string explain(const CLI::ParseError& error, const CLI::App& root);

// The subcommand that the command line got to.
[[nodiscard]] const CLI::App& deepest(const CLI::App& root);

}  // namespace pilfer::cli
