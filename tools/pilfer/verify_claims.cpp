#include <algorithm>

#include "verify_command.hpp"

namespace pilfer::cli {
namespace {

constexpr double executions_goal = 1e6;
constexpr std::size_t queues_goal = 8;
constexpr double seconds_goal = 300;
constexpr double full_seconds_goal = 3600;
constexpr double litmus_rate_goal = 1e5;

// Counted, not estimated.
lab::estimate exactly(double value) { return {value, value, value}; }

}  // namespace

std::vector<lab::claim> verify_claims(const verify_facts& of) {
  const auto claim = [](const char* id, const char* text, double goal, lab::goal_side side) {
    return lab::claim{.id = id, .text = text, .paper = {}, .goal = goal, .measured = {}, .note = {}, .goal_is = side};
  };
  const auto at_least = lab::goal_side::at_least;
  const auto at_most = lab::goal_side::at_most;

  lab::claim executions = claim("executions", "complete executions in total", executions_goal, at_least);
  lab::claim queues = claim("queues_passed", "queues all of whose clients came out as they should",
                            static_cast<double>(std::max(queues_goal, of.queues)), at_least);
  lab::claim failed = claim("litmus_failed", "litmus tests that differ from the table", 0, at_most);
  lab::claim seconds = claim("seconds", "of the whole run", of.full ? full_seconds_goal : seconds_goal, at_most);
  lab::claim rate = claim("litmus_executions_per_second", "complete executions of litmus tests per second, on one core",
                          litmus_rate_goal, at_least);

  if (of.not_whole.empty()) {
    executions.measured = exactly(static_cast<double>(of.executions));
    queues.measured = exactly(static_cast<double>(of.queues_passed));
    seconds.measured = exactly(of.seconds);
  } else {
    for (lab::claim* c : {&executions, &queues, &seconds}) c->note = of.not_whole;
  }
  if (of.litmus != nullptr) {
    failed.measured = exactly(static_cast<double>(of.litmus->failed));
    rate.measured = of.litmus->executions_per_second;
  } else {
    for (lab::claim* c : {&failed, &rate}) c->note = "the litmus set runs with `pilfer verify` and with --litmus";
  }
  return {executions, queues, failed, seconds, rate};
}

}  // namespace pilfer::cli
