#include "lab/measure/interleave.hpp"

#include <numeric>
#include <random>
#include <utility>

#include "lab/measure/interrupt.hpp"
#include "lab/measure/progress.hpp"

namespace pilfer::lab {

std::vector<std::size_t> shuffled_order(std::size_t contenders, std::size_t repetition) {
  std::vector<std::size_t> order(contenders);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(0x70696c666572 + repetition);
  for (std::size_t left = contenders; left > 1; --left) std::swap(order[left - 1], order[random() % left]);
  return order;
}

sample_matrix run_interleaved(const std::vector<contender>& contenders, std::size_t repetitions,
                              std::string_view title) {
  const std::size_t count = contenders.size();
  sample_matrix samples(count);
  for (auto& own : samples) own.reserve(repetitions);
  progress shown(title, count * repetitions);
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (const std::size_t c : shuffled_order(count, repetition)) {
      throw_if_interrupted();
      shown.step(contenders[c].name);
      samples[c].push_back(contenders[c].sample());
    }
  }
  throw_if_interrupted();
  return samples;
}

}  // namespace pilfer::lab
