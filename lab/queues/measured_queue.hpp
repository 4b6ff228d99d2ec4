// A queue as the experiments see it, whatever its type: rounds of its owner, and thieves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <pilfer/ext/storage.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::lab::queues {

// What the queues hold; some also with four bytes. The upper part of an item is a one, so that a sum of items also counts
// them and the measured loop needs no counter.
using payload = std::uint64_t;
using narrow_payload = std::uint32_t;
template <class Item>
inline constexpr unsigned item_count_shift = sizeof(Item) == sizeof(payload) ? 40 : 30;
template <class Item>
inline constexpr Item first_item = Item{1} << item_count_shift<Item>;
// Numbers 0 to n - 1 add up to less than the upper part: n at most 2^20 and 2^15.
template <class Item>
inline constexpr std::size_t most_items = std::size_t{1} << (item_count_shift<Item> / 2);

using geometry = ext::block_geometry;
[[nodiscard]] constexpr std::size_t capacity_of(const geometry& g) noexcept { return g.blocks * g.entries; }

// Scatters items: sums of it tell apart what sums of items do not, {1, 4} from {2, 3}. (The finish of splitmix64.)
[[nodiscard]] constexpr std::uint64_t scattered(std::uint64_t item) noexcept {
  item = (item ^ item >> 30) * 0xbf58476d1ce4e5b9;
  item = (item ^ item >> 27) * 0x94d049bb133111eb;
  return item ^ item >> 31;
}

// Number and sum of items; sums are modulo 2^64.
struct tally {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t scattered_sum = 0;  // of rounds that check, see measured_queue; elsewhere of no meaning

  tally& operator+=(const tally& other) noexcept {
    count += other.count;
    sum += other.sum;
    scattered_sum += other.scattered_sum;
    return *this;
  }
  // By number and sum.
  friend bool operator==(const tally& a, const tally& b) noexcept { return a.count == b.count && a.sum == b.sum; }
  [[nodiscard]] bool same_items(const tally& other) const noexcept {
    return *this == other && scattered_sum == other.scattered_sum;
  }
  friend tally operator+(tally a, const tally& b) noexcept { return a += b; }
};

struct owner_totals {
  tally pushed;
  tally popped;
  [[nodiscard]] std::uint64_t operations() const noexcept { return pushed.count + popped.count; }
};

// What thieves were told, by attempt; `taken` counts items, `steals` the attempts that took some.
struct thief_totals {
  tally taken;
  std::uint64_t steals = 0;
  std::uint64_t empty = 0;
  std::uint64_t lost = 0;
  std::uint64_t private_work = 0;
  std::uint64_t attempt_ns = 0;  // time spent in attempts; only with a steal frequency

  [[nodiscard]] std::uint64_t attempts() const noexcept { return steals + empty + lost + private_work; }
  thief_totals& operator+=(const thief_totals& other) noexcept;
};

// How long each attempt took, in nanoseconds; at most `limit` of either kind are kept.
struct steal_times {
  std::size_t limit = 0;
  std::vector<double> taken{};
  std::vector<double> failed{};

  void note(bool success, std::uint64_t ns) {
    std::vector<double>& kept = success ? taken : failed;
    if (kept.size() < limit) kept.push_back(static_cast<double>(ns));
  }
};

// When a thief steals. Without a frequency it keeps its stolen items at `share` of the pushed ones, as far as it can.
struct steal_plan {
  double share = 0;              // of one thief
  std::uint64_t hz = 0;          // attempts per second of one thief; 0: by share
  steal_times* times = nullptr;  // with a frequency and one thief only: each attempt is noted there
  bool checks = false;           // scatters what is taken, see check_round
};

// What the owner and its thieves tell each other besides the queue.
struct traffic {
  template <class T>
  using atomic = ext::native_sync::atomic<T>;

  alignas(ext::isolation_bytes) atomic<std::uint64_t> pushed{0};  // by the owner, once a round
  atomic<std::uint32_t> stop{0};                                  // by the owner, at the end
  alignas(ext::isolation_bytes) atomic<std::uint32_t> asked{0};   // by thieves: please expose (split-signal)
};

class measured_queue {
 public:
  measured_queue() = default;
  virtual ~measured_queue() = default;
  measured_queue(const measured_queue&) = delete;
  measured_queue& operator=(const measured_queue&) = delete;

  // The owner fills the queue, then takes until it says "empty"; `rounds` times.
  virtual void run_alone(std::size_t rounds, owner_totals& totals) = 0;
  // One such round among thieves: publishes what was pushed, and exposes what was asked for.
  virtual void run_round(traffic& with, owner_totals& totals) = 0;
  // The same with a scattered sum, too. Not for the clock: measured loops do nothing but add.
  virtual void check_round(traffic& with, owner_totals& totals) = 0;
  // A thief, until with.stop.
  virtual thief_totals run_thief(traffic& with, const steal_plan& plan) = 0;
  // What is left when nobody else uses the queue, with its scattered sum.
  virtual tally drain() = 0;
};

// An implementation that `--queue` can name.
struct implementation {
  std::string name;
  std::string baseline;  // the sequential structure it is compared with
  bool sequential = false;
  std::string remark;                                                    // what a reader of the table must know
  std::function<std::unique_ptr<measured_queue>(const geometry&)> make;  // empty: not in this build
  std::size_t item_bytes = sizeof(payload);
  std::string why_unavailable{};  // of one that is not in this build
};

// All of them, in the order of the tables; the sequential ones first.
[[nodiscard]] const std::vector<implementation>& implementations();

// Some of them with items of four bytes: "abp/4-byte", baselines "seq-stack/4-byte" and "seq-ring/4-byte".
[[nodiscard]] const std::vector<implementation>& narrow_implementations();

// Null if there is none of that name.
[[nodiscard]] const implementation* find_implementation(const std::string& name);

// "3.4.0", or empty if the build has no Eigen.
[[nodiscard]] std::string eigen_version();

}  // namespace pilfer::lab::queues
