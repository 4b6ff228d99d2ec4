// Suffix array by prefix doubling (Manber and Myers): suffixes are sorted by their first 8, 16, 32, … letters; what is
// known of the first half is the rank of another suffix. A sort and a scan per round.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/merge.hpp"
#include "lab/applications/primitives.hpp"
#include "lab/applications/serial_kit.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {

class suffix_array {
 public:
  static constexpr const char* name = "suffix-array";

  explicit suffix_array(effort how) {
    const auto length = sized<std::size_t>(how, 3'000, 30'000, 2'000'000);
    xorshift random;
    while (text_.size() < length) {
      // Now and then a stretch again, so that eight letters do not tell all suffixes apart.
      if (text_.size() > repeated && random.next() % 64 == 0) {
        text_ += text_.substr(random.next() % (text_.size() - repeated), repeated);
      } else {
        text_ += "acgt"[random.next() % 4];
      }
    }
    text_.resize(length);
    entries_.resize(length);
    room_.resize(length);
    ranks_.resize(length);
    marks_.resize(length);
  }
  [[nodiscard]] std::string text() const { return fmt::format("suffix array of {} letters", text_.size()); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(text_.size()); }
  void reset() { suffixes_.assign(text_.size(), 0); }

  void run_serial() {
    build<serial_kit>([this] { std::sort(entries_.begin(), entries_.end()); });
  }
  template <class S>
  void run() {
    build<S>([this] { merge_sort_with<S>(entries_.data(), room_.data(), entries_.size(), std::less<>{}); });
  }

  // Every suffix once; and of two neighbours the first letter, or else the order of what follows, puts the first before.
  void check(std::string_view who) const {
    const std::size_t size = text_.size();
    std::vector<std::size_t> place(size + 1, size);  // size: nowhere yet
    for (std::size_t i = 0; i < size; ++i) {
      if (suffixes_[i] >= size || place[suffixes_[i]] != size) wrong(who, name, "not a permutation");
      place[suffixes_[i]] = i;
    }
    const auto rank = [&](std::size_t suffix) { return suffix == size ? 0 : place[suffix] + 1; };
    for (std::size_t i = 1; i < size; ++i) {
      const std::size_t a = suffixes_[i - 1];
      const std::size_t b = suffixes_[i];
      if (text_[a] > text_[b] || (text_[a] == text_[b] && rank(a + 1) >= rank(b + 1))) {
        wrong(who, name, fmt::format("not in order at {}", i));
      }
    }
  }

 private:
  static constexpr std::size_t repeated = 300;
  static constexpr std::size_t grain = 2048;
  static constexpr std::size_t first_letters = 8;

  struct entry {
    std::uint64_t key = 0;  // rank of this suffix, and of the one that begins where the known letters end
    std::uint32_t suffix = 0;
    friend bool operator<(const entry& a, const entry& b) noexcept { return a.key < b.key; }
  };

  template <class S, class Sort>
  void build(Sort sort) {
    const std::size_t size = text_.size();
    S::parallel_for(0, size, grain,
                    [this](std::size_t i) { entries_[i] = {first_key(i), static_cast<std::uint32_t>(i)}; });
    for (std::size_t known = first_letters;; known *= 2) {
      sort();
      if (rank_all<S>() == size) break;
      S::parallel_for(0, size, grain, [this, known](std::size_t i) {
        const std::uint64_t behind = i + known < text_.size() ? ranks_[i + known] : 0;
        entries_[i] = {std::uint64_t{ranks_[i]} << 32U | behind, static_cast<std::uint32_t>(i)};
      });
    }
    S::parallel_for(0, size, grain, [this](std::size_t i) { suffixes_[i] = entries_[i].suffix; });
  }

  // The first letters as one number; behind the end are zeros.
  [[nodiscard]] std::uint64_t first_key(std::size_t suffix) const noexcept {
    std::uint64_t key = 0;
    for (std::size_t i = suffix; i < suffix + first_letters; ++i) {
      key = key << 8U | (i < text_.size() ? static_cast<unsigned char>(text_[i]) : 0U);
    }
    return key;
  }

  // Ranks from 1 on, equal for equal keys; how many there are.
  template <class S>
  std::size_t rank_all() {
    const std::size_t size = text_.size();
    // Counts where a key differs from the next one: the scan is then exclusive.
    S::parallel_for(0, size, grain, [this, size](std::size_t i) {
      marks_[i] = i + 1 < size && entries_[i].key != entries_[i + 1].key ? 1 : 0;
    });
    const std::uint32_t differ = exclusive_scan<S>(std::span(marks_));
    S::parallel_for(0, size, grain, [this](std::size_t i) { ranks_[entries_[i].suffix] = marks_[i] + 1; });
    return differ + std::size_t{1};
  }

  std::string text_;
  std::vector<entry> entries_;
  std::vector<entry> room_;
  std::vector<std::uint32_t> ranks_;  // by suffix
  std::vector<std::uint32_t> marks_;
  std::vector<std::uint32_t> suffixes_;
};

}  // namespace pilfer::lab::applications
