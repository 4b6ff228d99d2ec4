// Empty tasks on the only worker of a pool.
#include <malloc.h>

#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "lab/measure/interleave.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/tasks/count_one.hpp"
#include "lab/tasks/experiment.hpp"

namespace pilfer::lab::experiments {
namespace tasks {
namespace {

std::size_t by_calls(pool& home, std::size_t rounds) {
  std::size_t sum = 0;
  home.run([&] {
    for (std::size_t i = 0; i < rounds * tasks_of_round; ++i) count_one(sum);
  });
  return sum;
}
std::size_t by_group(pool& home, std::size_t rounds) {
  std::size_t sum = 0;
  home.run([&] {
    task_group group;
    for (std::size_t i = 0; i < rounds; ++i) {
      for (std::size_t k = 0; k < tasks_of_round; ++k) group.spawn([&sum] { count_one(sum); });
      group.wait();
    }
  });
  return sum;
}
std::size_t by_futures(pool& home, std::size_t rounds) {
  std::size_t sum = 0;
  home.run([&] {
    for (std::size_t i = 0; i < rounds * tasks_of_round; ++i) home.submit([&sum] { count_one(sum); }).get();
  });
  return sum;
}

struct kind {
  const char* name;
  std::size_t (*run)(pool& home, std::size_t rounds);
};
constexpr kind kinds[] = {{call_impl, &by_calls}, {group_impl, &by_group}, {future_impl, &by_futures}};

double ns_per_task(pool& home, const kind& of, std::size_t rounds) {
  std::size_t sum = 0;
  const double seconds = seconds_taken_by([&] { sum = of.run(home, rounds); });
  if (sum != rounds * tasks_of_round) throw std::runtime_error(std::string("tasks: wrong count: ") + of.name);
  return seconds * 1e9 / static_cast<double>(sum);
}

std::size_t bytes_in_use() {
  const auto now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

}  // namespace

findings measure_spawns(const settings& given) {
  const auto rounds = by_effort<std::size_t>(given, 1, 100, 1000);
  const auto repetitions = by_effort<std::size_t>(given, 2, 21, 51);
  pool home(pool_options{.workers = 1});
  std::vector<contender> contenders;
  for (const kind& each : kinds) {
    static_cast<void>(ns_per_task(home, each, rounds));  // memory is there
    contenders.push_back({each.name, [&] { return ns_per_task(home, each, rounds); }});
  }
  const sample_matrix samples = run_interleaved(contenders, repetitions, spawn_row);
  findings found;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    found.rows.push_back({.suite = suite_name,
                          .name = spawn_row,
                          .impl = contenders[i].name,
                          .params = {{"tasks", rounds * tasks_of_round}, {"workers", 1}},
                          .unit = "ns",
                          .samples = samples[i],
                          .ratio_to_sequential = {}});
  }
  return found;
}

findings measure_bytes(const settings& given) {
  const auto pending = by_effort<std::size_t>(given, 1000, 1'000'000, 1'000'000);
  const auto repetitions = by_effort<std::size_t>(given, 1, 3, 5);
  findings found;
  row one{.suite = suite_name,
          .name = bytes_row,
          .impl = group_impl,
          .params = {{"tasks", pending}, {"workers", 1}},
          .unit = "bytes",
          .samples = {},
          .ratio_to_sequential = {}};
  for (std::size_t i = 0; i < repetitions; ++i) {
    pool home(pool_options{.workers = 1});
    home.run([&] {
      std::size_t sum = 0;
      task_group group;
      const std::size_t before = bytes_in_use();
      for (std::size_t k = 0; k < pending; ++k) group.spawn([&sum] { count_one(sum); });
      one.samples.push_back(static_cast<double>(bytes_in_use() - before) / static_cast<double>(pending));
      group.wait();
      if (sum != pending) throw std::runtime_error("tasks: wrong count of pending tasks");
    });
  }
  found.rows.push_back(std::move(one));
  return found;
}

}  // namespace tasks

int run_spawn_child(const std::vector<std::string>& arguments) {
  std::size_t rounds = 0;
  if (arguments.size() != 1) return 2;
  const std::string& text = arguments.front();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rounds);
  if (error != std::errc() || end != text.data() + text.size()) return 2;
  pool home(pool_options{.workers = 1});
  home.run([&] {
    task_group group;
    for (std::size_t i = 0; i < rounds; ++i) {
      for (std::size_t k = 0; k < tasks::tasks_of_round; ++k) group.spawn([] {});
      group.wait();
    }
  });
  return 0;
}

}  // namespace pilfer::lab::experiments
