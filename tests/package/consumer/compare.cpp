// A program that compares schedulers: it finds all of them, before main, too, by its link line alone.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>

namespace {

bool runs_on(const std::string& scheduler) {
  pilfer::pool pool({.workers = 2, .scheduler = scheduler});
  return pool.run([] {
    const auto [left, right] = pilfer::fork_join([] { return 20; }, [] { return 22; });
    return left + right;
  }) == 42;
}

const bool before_main = runs_on("lace");

bool refuses(const std::string& scheduler) {
  try {
    const pilfer::pool pool({.scheduler = scheduler});
  } catch (const std::invalid_argument& error) {
    return std::string(error.what()).find("choose one of default") != std::string::npos;
  }
  return false;
}

}  // namespace

int main() {
  for (const std::string& name : pilfer::scheduler_names()) {
    if (!runs_on(name)) return 1;
  }
  const pilfer::pool global(
      {.workers = 2, .levels = 2, .rule = pilfer::priority_rule::global, .count_inversions = true});
  setenv("PILFER_SCHEDULER", "ws-global", 1);  // NOLINT(concurrency-mt-unsafe): no other thread reads it
  return before_main && pilfer::scheduler_names().size() == 13 && runs_on("") && refuses("none-such") ? 0 : 1;
}
