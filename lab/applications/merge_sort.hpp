// Stable merge sort of records by key; keys repeat, so that stability shows.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/merge.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {

class merge_sort {
 public:
  static constexpr const char* name = "merge-sort";

  explicit merge_sort(effort how) : given_(sized<std::size_t>(how, 5'000, 120'000, 10'000'000)) {
    xorshift random;
    const std::uint64_t keys = given_.size() / 2;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      given_[i] = {static_cast<std::uint32_t>(random.next() % keys), static_cast<std::uint32_t>(i)};
    }
    room_.resize(given_.size());
  }
  [[nodiscard]] std::string text() const { return fmt::format("stable merge sort of {} records", given_.size()); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(given_.size()); }
  void reset() { records_ = given_; }

  void run_serial();
  template <class S>
  void run() {
    merge_sort_with<S>(records_.data(), room_.data(), records_.size(), by_key{});
  }
  template <class Policy>
  void run_std(const Policy& policy) {
    std::stable_sort(policy, records_.begin(), records_.end(), by_key{});
  }

  // Each stands at its own place of the input exactly once, and behind everything that must come before it.
  void check(std::string_view who) const {
    if (records_.size() != given_.size()) wrong(who, name, "records are missing");
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const record& here = records_[i];
      if (here.place >= given_.size() || here.key != given_[here.place].key)
        wrong(who, name, "not a record of the input");
      if (i == 0) continue;
      const record& before = records_[i - 1];
      if (before.key > here.key) wrong(who, name, fmt::format("not in order at {}", i));
      // Strictly ascending places within a key: none occurs twice, so none is missing.
      if (before.key == here.key && before.place >= here.place) wrong(who, name, fmt::format("not stable at {}", i));
    }
  }

 private:
  struct record {
    std::uint32_t key = 0;
    std::uint32_t place = 0;
  };
  struct by_key {
    bool operator()(const record& a, const record& b) const noexcept { return a.key < b.key; }
  };

  std::vector<record> given_;
  std::vector<record> records_;
  std::vector<record> room_;
};

}  // namespace pilfer::lab::applications
