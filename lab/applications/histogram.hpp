// How often each key occurs: blocks count for themselves, then the counts are added bin by bin.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/primitives.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {

class histogram {
 public:
  static constexpr const char* name = "histogram";
  static constexpr std::size_t bins = 1024;

  explicit histogram(effort how)
      : keys_(sized<std::size_t>(how, 20'000, 8'000'000, 100'000'000)), right_(bins), found_(bins) {
    xorshift random;
    for (std::uint32_t& key : keys_) {
      const std::uint64_t bits = random.next();
      key = static_cast<std::uint32_t>(std::min(bits % bins, (bits >> 32U) % bins));  // low ones are more frequent
      ++right_[key];
    }
  }
  [[nodiscard]] std::string text() const { return fmt::format("histogram of {} keys in {} bins", keys_.size(), bins); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(keys_.size()); }
  void reset() { std::fill(found_.begin(), found_.end(), 0); }

  void run_serial() {
    for (const std::uint32_t key : keys_) ++found_[key];
  }

  template <class S>
  void run() {
    const std::uint32_t* const keys = keys_.data();
    const std::size_t blocks = (keys_.size() + block - 1) / block;
    std::vector<std::uint32_t> counts(blocks * bins);
    std::uint32_t* const count = counts.data();
    for_blocks<S>(keys_.size(), block, [=](std::size_t begin, std::size_t end) {
      std::uint32_t* const mine = count + begin / block * bins;
      for (std::size_t i = begin; i < end; ++i) ++mine[keys[i]];
    });
    std::uint64_t* const found = found_.data();
    S::parallel_for(0, bins, bins_per_task, [=](std::size_t bin) {
      for (std::size_t i = 0; i < blocks; ++i) found[bin] += count[i * bins + bin];
    });
  }

  void check(std::string_view who) const {
    if (found_ != right_) wrong(who, name, "a bin has another count than when the keys were made");
  }

 private:
  static constexpr std::size_t block = 65536;
  static constexpr std::size_t bins_per_task = 128;

  std::vector<std::uint32_t> keys_;
  std::vector<std::uint64_t> right_;
  std::vector<std::uint64_t> found_;
};

}  // namespace pilfer::lab::applications
