// Sample sort: splitters from a sample, items to their buckets block by block, then each bucket for itself.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/primitives.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {

class sample_sort {
 public:
  static constexpr const char* name = "sample-sort";

  explicit sample_sort(effort how) : given_(sized<std::size_t>(how, 10'000, 150'000, 10'000'000)) {
    xorshift random;
    for (std::int64_t& item : given_) item = static_cast<std::int64_t>(random.next());
    right_ = given_;
    std::sort(right_.begin(), right_.end());
  }
  [[nodiscard]] std::string text() const { return fmt::format("sample sort of {} int64", given_.size()); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(given_.size()); }
  void reset() {
    items_ = given_;
    sorted_.assign(given_.size(), 0);
  }

  void run_serial() {
    std::sort(items_.begin(), items_.end());
    sorted_.swap(items_);
  }
  template <class Policy>
  void run_std(const Policy& policy) {
    std::sort(policy, items_.begin(), items_.end());
    sorted_.swap(items_);
  }

  template <class S>
  void run() {
    const std::size_t size = items_.size();
    const std::size_t buckets = std::bit_ceil(std::clamp<std::size_t>(size / bucket_size, 2, most_buckets));
    const std::size_t blocks = (size + block - 1) / block;
    const std::vector<std::int64_t> splitters = splitters_of(items_, buckets);
    std::vector<std::uint8_t> bucket_of_item(size);
    // By bucket, then by block: after the scan, where the block's items of that bucket go.
    std::vector<std::size_t> places(buckets * blocks);

    const std::int64_t* const items = items_.data();
    const std::int64_t* const splitter = splitters.data();
    std::uint8_t* const bucket_of = bucket_of_item.data();
    std::size_t* const place = places.data();
    for_blocks<S>(size, block, [=](std::size_t begin, std::size_t end) {
      std::size_t* const mine = place + begin / block;
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t bucket = bucket_among(splitter, buckets, items[i]);
        bucket_of[i] = static_cast<std::uint8_t>(bucket);
        ++mine[bucket * blocks];
      }
    });
    exclusive_scan<S>(std::span(places));
    std::vector<std::size_t> begins(buckets + 1, size);
    for (std::size_t i = 0; i < buckets; ++i) begins[i] = places[i * blocks];
    std::int64_t* const to = sorted_.data();
    for_blocks<S>(size, block, [=](std::size_t begin, std::size_t end) {
      std::size_t* const mine = place + begin / block;
      for (std::size_t i = begin; i < end; ++i) to[mine[bucket_of[i] * blocks]++] = items[i];
    });
    const std::size_t* const begin_of = begins.data();
    S::parallel_for(0, buckets, 1, [=](std::size_t i) { std::sort(to + begin_of[i], to + begin_of[i + 1]); });
  }

  void check(std::string_view who) const {
    if (sorted_ != right_) wrong(who, name, "not what std::sort gives");
  }

 private:
  static constexpr std::size_t block = 8192;
  static constexpr std::size_t bucket_size = 4096;  // on average, until there are as many as a byte can name
  static constexpr std::size_t most_buckets = 256;
  static constexpr std::size_t oversampling = 16;

  static std::vector<std::int64_t> splitters_of(const std::vector<std::int64_t>& items, std::size_t buckets) {
    xorshift random(items.size());
    std::vector<std::int64_t> sample(buckets * oversampling);
    for (std::int64_t& one : sample) one = items[random.next() % items.size()];
    std::sort(sample.begin(), sample.end());
    std::vector<std::int64_t> splitters(buckets - 1);
    for (std::size_t i = 0; i + 1 < buckets; ++i) splitters[i] = sample[(i + 1) * oversampling];
    return splitters;
  }

  // How many splitters are at most the item; their number is a power of two less one. Without branches.
  static std::size_t bucket_among(const std::int64_t* splitters, std::size_t buckets, std::int64_t item) noexcept {
    std::size_t found = 0;
    for (std::size_t step = buckets / 2; step > 0; step /= 2) {
      found += splitters[found + step - 1] <= item ? step : 0;
    }
    return found;
  }

  std::vector<std::int64_t> given_;
  std::vector<std::int64_t> right_;
  std::vector<std::int64_t> items_;
  std::vector<std::int64_t> sorted_;
};

}  // namespace pilfer::lab::applications
