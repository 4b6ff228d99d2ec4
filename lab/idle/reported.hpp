#pragma once

#include "lab/measure/report.hpp"

namespace pilfer::lab::experiments {

// A claim without a goal: its figure is only shown.
[[nodiscard]] inline claim reported(const char* id, const char* text) {
  return {.id = id, .text = text, .paper = {}, .goal = {}, .measured = {}, .note = {}};
}

}  // namespace pilfer::lab::experiments
