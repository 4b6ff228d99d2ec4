// Experiment `serve`: `pilfer serve` against an echo server on Hyper and Tokio, both driven by wrk (001, section 6.3).
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/serve/contenders.hpp"

namespace pilfer::lab::experiments {

// With what there is: this program itself, if it is the command-line tool; Hyper's, if it was built; wrk, if it is installed.
[[nodiscard]] experiment serve_experiment();
[[nodiscard]] experiment serve_experiment(std::vector<serve::contestant> who);

// Of rows alone.
[[nodiscard]] std::vector<claim> serve_claims(const std::vector<row>& rows, const settings& given);
[[nodiscard]] std::vector<page::chart> serve_charts(const std::vector<row>& rows);

}  // namespace pilfer::lab::experiments
