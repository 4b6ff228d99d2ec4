#include "lab/priorities/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lab/measure/registry.hpp"
#include "lab/measure/xorshift.hpp"
#include "lab/programs/fib.hpp"

namespace pilfer::lab::priorities {
namespace {

constexpr std::uint64_t seed_of_inputs = 0x30d3;
constexpr std::uint64_t seed_of_orders = 0x9e3779b97f4a7c15;

// In a single deque the levels lie mixed, unless the program says otherwise.
void shuffle(std::vector<share>& shares) {
  xorshift random(seed_of_orders);
  for (share& mine : shares) {
    for (std::size_t i = mine.size(); i > 1; --i) std::swap(mine[i - 1], mine[random.next() % i]);
  }
}

// Which of the parts a place falls into, if part p comes weights[p] times in a row, again and again.
std::size_t part_at(std::size_t place, const std::vector<std::size_t>& weights) {
  std::size_t sum = 0;
  for (const std::size_t each : weights) sum += each;
  place %= sum;
  std::size_t part = 0;
  while (place >= weights[part]) place -= weights[part++];
  return part;
}

std::vector<share> mixed(std::vector<share> shares) {
  shuffle(shares);
  return shares;
}

// Everybody has as many tasks, and as many of each level.
std::vector<share> evenly(const program& what, std::size_t workers) {
  std::vector<share> shares(workers);
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    shares[i % workers].push_back({static_cast<unsigned>(i / workers % what.levels), what.inputs[i]});
  }
  return mixed(std::move(shares));
}

// Everybody has as many tasks, but of one worker's levels each is larger than another, and each worker has others that are.
std::vector<share> by_uneven_levels(const program& what, std::size_t workers) {
  std::vector<share> shares(workers);
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    const std::size_t worker = i % workers;
    std::vector<std::size_t> weights(what.levels);
    for (std::size_t level = 0; level < weights.size(); ++level) weights[level] = 1 + (level + worker) % what.levels;
    shares[worker].push_back({static_cast<unsigned>(part_at(i / workers, weights)), what.inputs[i]});
  }
  return mixed(std::move(shares));
}

// Three quarters of level 0 are the first worker's; of the others, the last worker has most.
std::vector<share> unevenly(const program& what, std::size_t workers) {
  std::vector<std::size_t> most_urgent(workers, 1);
  std::vector<std::size_t> others(workers);
  most_urgent[0] = workers == 1 ? 1 : 3 * (workers - 1);
  for (std::size_t worker = 0; worker < workers; ++worker) others[worker] = worker + 1;
  std::vector<share> shares(workers);
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    const auto level = static_cast<unsigned>(i % what.levels);
    const std::size_t worker = part_at(i / what.levels, level == 0 ? most_urgent : others);
    shares[worker].push_back({level, what.inputs[i]});
  }
  return mixed(std::move(shares));
}

// The smaller the input, the more urgent.
std::vector<share> by_input(const program& what, std::size_t workers) {
  std::vector<share> shares(workers);
  const auto range = static_cast<unsigned>(what.largest - what.smallest + 1);
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    const auto above = static_cast<unsigned>(what.inputs[i] - what.smallest);
    shares[i % workers].push_back({above * what.levels / range, what.inputs[i]});
  }
  return shares;
}

std::vector<share> level0_first(const program& what, std::size_t workers) {
  std::vector<share> shares(workers);
  const std::size_t most_urgent = what.inputs.size() / 8;
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    const auto level = i < most_urgent ? 0 : 1 + static_cast<unsigned>(i / workers % (what.levels - 1));
    shares[i % workers].push_back({level, what.inputs[i]});
  }
  return shares;
}

struct program_recipe {
  std::string name;
  std::size_t tiny;  // tasks; multiples of 48, so that 16 workers and three levels share them evenly
  std::size_t quick;
  std::size_t full;
  int smallest;  // inputs, drawn evenly
  int largest;
  const char* how;
  std::vector<share> (*deal)(const program& what, std::size_t workers);
};

const std::vector<program_recipe>& program_recipes() {
  static const std::vector<program_recipe> all = {
      {"scenario_1", 96, 960, 2880, 20, 20, "as many for each worker and level", &evenly},
      {"scenario_2", 96, 960, 2880, 15, 22, "as many for each worker and level, of any length", &evenly},
      {"scenario_3", 96, 960, 2880, 20, 20, "as many for each worker, not for each level", &by_uneven_levels},
      {"scenario_4", 96, 960, 2880, 20, 20, "3/4 of level 0 are the first worker's, the others uneven, too", &unevenly},
      {"fib", 96, 960, 2880, 15, 22, "as many for each worker, the level goes by the length", &by_input},
      {"scaling_fib_2880", 96, 2880, 2880, 20, 20, "divided by the number of workers", &evenly},
      {"scaling_fib_144", 48, 144, 144, 20, 20, "divided by the number of workers", &evenly},
      {"priority_inversion", 480, 4800, 14400, 16, 16, "many and small", &evenly},
      {level0_first_name, 96, 960, 2880, 20, 20, "level 0 is one eighth and was pushed first", &level0_first},
  };
  return all;
}

std::size_t size_of(const program_recipe& one, scale how) {
  if (how == scale::tiny) return one.tiny;
  return how == scale::quick ? one.quick : one.full;
}

std::vector<int> inputs_of(const program_recipe& one, std::size_t count) {
  xorshift random(seed_of_inputs);
  std::vector<int> inputs(count);
  const auto range = static_cast<unsigned>(one.largest - one.smallest + 1);
  std::ranges::generate(inputs, [&] { return one.smallest + static_cast<int>((random.next() >> 20) % range); });
  return inputs;
}

}  // namespace

const std::vector<std::string>& scenario_names() {
  static const std::vector<std::string> names = names_of(program_recipes());
  return names;
}

program make_program(std::string_view name, scale how, unsigned levels) {
  const program_recipe* const one = find_by_name(program_recipes(), name);
  if (one == nullptr) throw std::invalid_argument(fmt::format("there is no program '{}'", name));
  const std::size_t count = size_of(*one, how);
  const std::string length = one->smallest == one->largest ? fmt::format("fib({})", one->smallest)
                                                           : fmt::format("fib({} to {})", one->smallest, one->largest);
  std::vector<int> inputs = inputs_of(*one, count);
  std::int64_t sum = 0;
  for (const int n : inputs) sum += programs::fib_number(n);
  return {.name = one->name,
          .text = fmt::format("{} tasks of {}, {} levels, {}", count, length, levels, one->how),
          .levels = levels,
          .inputs = std::move(inputs),
          .sum = sum,
          .smallest = one->smallest,
          .largest = one->largest,
          .full_size = count == one->full,
          .deal = one->deal};
}

std::int64_t fib_of(int n) noexcept { return programs::serial_fib(n); }

}  // namespace pilfer::lab::priorities
