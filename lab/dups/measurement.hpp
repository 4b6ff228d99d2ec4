// The parts of `dups`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/dups/scratch.hpp"
#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::dups {

// How large a corpus of that name is.
[[nodiscard]] corpus_plan plan_of(const std::string& corpus, const experiments::settings& given);

// The corpus at hand: parts that need the same one find it there, and there is never more than one on the disk.
class workbench {
 public:
  [[nodiscard]] const scratch_corpus& corpus(const std::string& name, const experiments::settings& given);
  void clear() noexcept { at_hand_.reset(); }

 private:
  std::unique_ptr<scratch_corpus> at_hand_;
};

// Every scheduler on 000's corpus, with a load per file or without.
[[nodiscard]] experiments::findings measure_queues(workbench& on, const std::vector<std::string>& tool, bool with_load,
                                                   const experiments::settings& given);
// Ours and all rivals on one corpus, warm and cold, with one worker and two.
[[nodiscard]] experiments::findings measure_rivals(workbench& on, const std::vector<std::string>& tool,
                                                   const std::string& corpus, const experiments::settings& given);

}  // namespace pilfer::lab::dups
