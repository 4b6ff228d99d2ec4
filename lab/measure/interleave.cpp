#include "lab/measure/interleave.hpp"

#include "lab/measure/interrupt.hpp"
#include "lab/measure/progress.hpp"

namespace pilfer::lab {

sample_matrix run_interleaved(const std::vector<contender>& contenders, std::size_t repetitions,
                              std::string_view title) {
  const std::size_t count = contenders.size();
  sample_matrix samples(count);
  for (auto& own : samples) own.reserve(repetitions);
  progress shown(title, count * repetitions);
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t c = rotated(place, repetition, count);
      throw_if_interrupted();
      shown.step(contenders[c].name);
      samples[c].push_back(contenders[c].sample());
    }
  }
  throw_if_interrupted();
  return samples;
}

}  // namespace pilfer::lab
