#include "lab/page/workloads.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace pilfer::lab::page {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Of the queue: by what it is compared with, or by its name.
bool is_fifo(const row& r) {
  const auto sequential = r.extra.find("sequential");
  if (sequential != r.extra.end() && sequential->is_string()) return contains(sequential->get<std::string>(), "ring");
  const std::string_view impl = r.impl;
  return contains(impl, "fifo") || contains(impl, "ring") || contains(impl, "runqueue") || contains(impl, "bbq");
}

// From params, or from "20%" in the name.
std::optional<double> stolen_share(const row& r) {
  if (r.params.contains("share") && r.params["share"].is_number()) return r.params["share"].get<double>();
  const std::size_t end = r.name.find('%');
  if (end == std::string::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && (r.name[begin - 1] == '.' || (r.name[begin - 1] >= '0' && r.name[begin - 1] <= '9'))) --begin;
  double percent = 0;
  const auto [stop, error] = std::from_chars(r.name.data() + begin, r.name.data() + end, percent);
  if (error != std::errc() || stop != r.name.data() + end) return std::nullopt;
  return percent / 100;
}

bool oversubscribed(const row& r) {
  const auto found = r.extra.find("oversubscribed");
  return found != r.extra.end() && found->is_boolean() && found->get<bool>();
}

std::vector<workload_kind> make_kinds() {
  constexpr double few = 0.1;
  constexpr double many = 0.15;
  const auto shared = [](std::string_view suite) {
    return row_source{.suite = suite, .names = {}, .by = order::any, .on = cores::shared};
  };
  const auto stolen = [](std::string_view suite, double least, double most) {
    return row_source{
        .suite = suite, .names = {}, .by = order::any, .on = cores::own, .least_share = least, .most_share = most};
  };
  return {
      {"nanosecond-fork-join",
       "Fork and join, tasks of nanoseconds",
       "Recursion down to the last call, as in fib: the cost of a fork is all that counts.",
       {{"fork-join", {"fib"}}, {"lcws", {"fib"}}, {"peers", {"fib", "skynet"}}, {"programs", {"fib", "skynet"}}}},
      {"divide-and-conquer",
       "Divide and conquer with a cut-off",
       "Sorting, searching, integrating: recursion that turns to plain code at some size.",
       {{"fork-join", {"quicksort", "nqueens", "integrate"}},
        {"quicksort", {}},
        {"algorithms", {"sort", "merge"}},
        {"lcws", {"quicksort", "nqueens", "integrate"}},
        {"peers", {"sort", "nqueens", "integrate", "matmul"}},
        {"programs", {"sort", "nqueens", "integrate", "matmul", "convex"}}}},
      {"loops",
       "Loops over arrays",
       "The same small step for very many items: map, reduce, scan, filter.",
       {{"algorithms", {"loop", "reduce", "scan", "transform", "filter", "histogram", "min_element", "find_if"}},
        {"programs", {"histogram", "word_count"}}}},
      {"skewed",
       "Skewed load",
       "A few tasks are far longer than the others, or the tree of tasks is lopsided.",
       {{"algorithms", {"skew"}},
        {"load-balance", {"skew"}, order::any, cores::any},
        {"fork-join", {"uts"}},
        {"lcws", {"uts"}},
        {"programs", {"uts", "power"}}}},
      {"small-tasks",
       "Many small tasks, newest first (LIFO)",
       "Owners push and pop all the time and memory should stay warm; order does not matter.",
       {{"queues", {"alone"}, order::lifo}, {"queues-alone", {}, order::lifo}, {"marking", {}}, {"peers", {"spawn"}}}},
      {"fair-order",
       "Fair order, oldest first (FIFO)",
       "Requests should be served about in the order in which they came.",
       {{"queues", {"alone"}, order::fifo},
        {"queues-alone", {}, order::fifo},
        {.suite = "fairness", .names = {}, .on = cores::any, .figures = "variances_us2", .unit = "us²"}}},
      {"few-steals",
       "Few steals",
       "At most a tenth of the tasks move: what does it cost the owner that somebody could steal?",
       {stolen("queues", 0, few), stolen("queues-thieves", 0, few), stolen("batch", 0, few)}},
      {"many-steals",
       "Many steals",
       "A fifth of the tasks or more move: one producer, many consumers.",
       {stolen("queues", many, 1),
        stolen("queues-thieves", many, 1),
        stolen("batch", many, 1),
        {"steal-latency", {"taken"}}}},
      {"shared-cores",
       "Shared cores",
       "Other processes want the same processors, or there are more workers than processors.",
       {shared("two-processes"), shared("fork-join"), shared("lcws"), shared("programs"), shared("priorities"),
        shared("peers"), shared("marking"), shared("json")}},
      {"priorities", "Priorities", "Some tasks are more urgent than others.", {{"priorities", {}}}},
      {"wake-up",
       "Waking up",
       "Work comes after a pause: how soon does a sleeping worker begin?",
       {{"wake-up", {}}, {"fork-join", {"late-leaf"}}, {"peers", {"ping_pong"}}}},
      {"files", "Reading files", "Coroutines that open, read and compare very many files.", {{"dups", {"queues/"}}}},
      {"memory", "Memory", "Little memory for each worker or queue.", {{"memory", {}}}},
      {"whole-programs",
       "Whole programs",
       "Programs with graphs, texts and documents rather than kernels.",
       {{"programs", {"word", "suffix", "bfs", "components", "nearest", "rays", "nbody", "convex"}},
        {"json", {}},
        {"peers", {"json"}},
        {"marking", {}}}},
  };
}

}  // namespace

bool row_source::has(const row& r) const {
  if (!suite.empty() && r.suite != suite) return false;
  if (on != cores::any && oversubscribed(r) != (on == cores::shared)) return false;
  if (!names.empty() && std::ranges::none_of(names, [&](std::string_view n) { return contains(r.name, n); }))
    return false;
  if (by != order::any && is_fifo(r) != (by == order::fifo)) return false;
  const bool any_share = least_share <= 0 && most_share >= 1;
  if (any_share) return true;
  const std::optional<double> share = stolen_share(r);
  return share && *share >= least_share && *share <= most_share;
}

const std::vector<workload_kind>& workload_kinds() {
  static const std::vector<workload_kind> kinds = make_kinds();
  return kinds;
}

}  // namespace pilfer::lab::page
