// Experiment `thieves`: the owner fills and empties while thieves steal (001 Fig. 10 and 11, 000 Fig. 5.3 to 5.9).
//
// The stolen share is steered: the owner publishes once a round how much it has pushed, and a thief steals while it has got
// less than its share of that. The owner never waits. What a queue cannot deliver shows as an achieved share below the target.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::queues {

struct thieves_settings {
  std::size_t thieves = 1;
  std::vector<double> shares{0.01, 0.05, 0.10, 0.20, 0.50};  // targets; none stolen is always measured, too
  std::vector<std::uint64_t> frequencies{};                  // if any: attempts per second of each thief, not shares
  std::chrono::milliseconds sample{10};
  std::size_t repetitions = 1;
  std::size_t times_kept = 0;  // with frequencies and one thief: of so many attempts of either kind the time is kept
};

struct thieves_result {
  struct entry {
    const implementation* who;
    double share = 0;  // target; meaningless with a frequency
    std::uint64_t hz = 0;
    std::vector<double> ns;            // of the owner, per operation, one per repetition
    std::optional<estimate> relative;  // owner's throughput relative to no stealing in the same repetition
    std::optional<estimate> ratio;     // relative to the sequential baseline
    owner_totals owner{};              // over all repetitions, as are the next two
    thief_totals thieves{};
    std::uint64_t left = 0;
    std::vector<double> stolen_per_us{};  // items that all thieves took per microsecond, one per repetition
    steal_times times{};                  // of all repetitions

    [[nodiscard]] double achieved_share() const;
    [[nodiscard]] bool stealing() const noexcept { return share > 0 || hz > 0; }
  };
  thieves_settings settings;
  geometry shape;
  bool oversubscribed = false;  // more threads than processors
  bool pinned = true;
  std::vector<entry> entries;

  // Null if it was not measured.
  [[nodiscard]] const entry* find(std::string_view name, double share) const;
};

//   Throws  std::invalid_argument if times are to be kept of several thieves; std::runtime_error if pushed = popped +
//           stolen + left does not hold; `interrupted`.
[[nodiscard]] thieves_result measure_thieves(const geometry& shape, const std::vector<const implementation*>& who,
                                             const thieves_settings& settings);

[[nodiscard]] std::vector<row> rows_of(const thieves_result& result);
[[nodiscard]] std::string text_of(const thieves_result& result);

}  // namespace pilfer::lab::queues
