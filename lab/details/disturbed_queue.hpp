// An owner that fills and empties its queue while one other thread disturbs it: asks for the size, or steals in batches.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <pilfer/ext/sync.hpp>

#include "lab/details/crew.hpp"
#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::details {

// How many items or operations the owner has done, published once a round. A line of its own.
struct alignas(ext::isolation_bytes) progress_word {
  std::atomic<std::uint64_t> count{0};
};

// Stolen items over pushed ones that cannot be reached: steal as fast as possible.
inline constexpr double as_much_as_possible = 1e9;

class disturbed_queue {
 public:
  disturbed_queue() = default;
  virtual ~disturbed_queue() = default;
  disturbed_queue(const disturbed_queue&) = delete;
  disturbed_queue& operator=(const disturbed_queue&) = delete;

  // The owner fills the queue and empties it; between the two it publishes how much it has pushed so far.
  virtual void run_round(progress_word& pushed, queues::owner_totals& totals) = 0;
  // What is left when nobody else uses the queue.
  virtual queues::tally drain() = 0;
  // Asks for the size `share` times as often as the owner pushes or pops, until stopped; returns how often that was.
  virtual std::uint64_t ask_sizes(const progress_word& pushed, double share, const stop_flag& stop) = 0;
  // Steals up to `batch` items at a time while it has less than `share` of the pushed ones, until stopped. A queue without
  // batches steals one at a time.
  virtual queues::thief_totals steal(const progress_word& pushed, double share, std::size_t batch,
                                     const stop_flag& stop) = 0;
};

struct disturbed_kind {
  std::string name;
  bool batches = false;
  std::function<std::unique_ptr<disturbed_queue>(const queues::geometry&)> make;
};

// abp, chase-lev, bwos-lifo, bwos-fifo, split.
[[nodiscard]] const std::vector<disturbed_kind>& disturbed_kinds();

struct owner_sample {
  double ns = 0;  // per push or pop of the owner
  queues::owner_totals owner;
};

// What the other thread does while the owner works, and what it has taken.
using disturber = std::function<queues::tally(const progress_word& pushed, const stop_flag& stop)>;

// One sample: whole rounds of the owner until the time is up, the crew's one member beside it.
//   Throws  std::runtime_error if pushed = popped + stolen + left does not hold; `interrupted`.
[[nodiscard]] owner_sample sample_owner(const std::string& name, disturbed_queue& queue, crew& other,
                                        std::chrono::microseconds length, const disturber& what);

//   Throws  std::runtime_error that names the queue if items were lost or invented.
void check_items(const std::string& name, const queues::tally& pushed, const queues::tally& popped,
                 const queues::tally& stolen, const queues::tally& left);

}  // namespace pilfer::lab::details
