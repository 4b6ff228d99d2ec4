// pilfer: the command line tool.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "command.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/machine.hpp"
#include "lab/measure/output.hpp"

namespace pilfer::cli {
namespace {

constexpr const char* pilfer_description =
    "pilfer: a work-stealing runtime, measured and model-checked.\n"
    "\n"
    "Examples:\n"
    "  pilfer lab run                               the papers' experiments on this machine: a report in five minutes\n"
    "  pilfer tune -- ./my-program                  which scheduler suits a program of yours\n"
    "  pilfer dups ~/photos                         equal files, how much they waste, and what to do about them\n"
    "  pilfer serve --root DIR                      an HTTP server: files below DIR, or an echo\n"
    "  pilfer bench queues --quick                  compare all queues, in under a minute\n"
    "  pilfer bench queues --queue bwos-lifo,abp    compare two of them\n"
    "  pilfer bench queues --json result.json       keep the samples\n"
    "  pilfer bench fork-join --quick               what a fork costs, beside serial code and other libraries\n"
    "  pilfer bench algorithms --quick              loops, sorts, reductions and scans beside other libraries\n"
    "  pilfer bench priorities --quick              what priorities cost, and what they bring\n"
    "  pilfer verify                                check every queue in all ways that C++20 allows, in minutes\n"
    "  pilfer verify --weaken abp                   which memory orders of a queue are needed, and who says so\n";

int dispatch(int argc, char** argv) {
  CLI::App app(pilfer_description, "pilfer");
  action chosen;
  app.formatter(help_formatter());  // subcommands inherit it
  app.set_version_flag("--version", "pilfer " + lab::build_version(), "Print the version and exit");
  add_lab(app, chosen);
  add_tune(app, chosen);
  add_dups(app, chosen);
  add_serve(app, chosen);
  add_bench(app, chosen);
  add_verify(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    lab::write_stdout(app.help());
    return success;
  } catch (const CLI::CallForVersion& version) {
    lab::write_stdout(fmt::format("{}\n", version.what()));
    return success;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}", explain(error, app));
    return wrong_usage;
  }
  if (!chosen) {  // `pilfer` or `pilfer bench`: which one is not said
    fmt::print(stderr, "{}", app.help());
    return wrong_usage;
  }
  return chosen();
}

int run_main(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const lab::interrupted& error) {
    fmt::print(stderr, "pilfer: interrupted, no report was written\n");
    return 128 + error.signal();
  } catch (const CLI::ParseError& error) {  // what only shows when the work begins
    fmt::print(stderr, "pilfer: {}\n", error.what());
    return wrong_usage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pilfer: {}\n", error.what());
    return failure;
  }
}

}  // namespace
}  // namespace pilfer::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left is an error of writing, not a silent end
  pilfer::lab::reserve_standard_descriptors();
  return pilfer::cli::run_main(argc, argv);
}
