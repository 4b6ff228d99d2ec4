// How often each word occurs in a text. Pieces of the text have tables of their own, which are then joined in pairs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/primitives.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {

class word_count {
 public:
  static constexpr const char* name = "word-count";

  explicit word_count(effort how) {
    const auto length = sized<std::size_t>(how, 20'000, 1'500'000, 50'000'000);
    xorshift random;
    std::vector<std::string> words;
    while (words.size() < vocabulary) {
      std::string word;
      for (std::uint64_t letters = 2 + random.next() % 8; letters > 0; --letters) {
        word += static_cast<char>('a' + random.next() % 26);
      }
      words.push_back(std::move(word));
    }
    text_.reserve(length + longest);
    while (text_.size() < length) {
      // Twice by chance: as in a language, few words are frequent.
      const std::string& word = words[random.next() % (1 + random.next() % vocabulary)];
      text_ += word;
      text_ += random.next() % 16 == 0 ? '\n' : ' ';
      ++right_[word];
      ++size_;
    }
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("count of {} words in {} characters", size_, text_.size());
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(text_.size()); }
  void reset() { found_.clear(); }

  void run_serial() { found_ = count(0, text_.size()); }
  template <class S>
  void run() {
    found_ = reduce<S>(
        0, text_.size(), piece, [this](std::size_t begin, std::size_t end) { return count(begin, end); },
        [](table a, table b) {
          if (a.size() < b.size()) a.swap(b);
          for (const auto& [word, times] : b) a[word] += times;
          return a;
        });
  }

  void check(std::string_view who) const {
    if (found_.size() != right_.size()) wrong(who, name, "another number of different words");
    for (const auto& [word, times] : found_) {
      const auto right = right_.find(std::string(word));
      if (right == right_.end() || right->second != times)
        wrong(who, name, fmt::format("\"{}\" {} times", word, times));
    }
  }

 private:
  using table = std::unordered_map<std::string_view, std::uint64_t>;
  static constexpr std::size_t vocabulary = 2000;
  static constexpr std::size_t longest = 16;
  static constexpr std::size_t piece = std::size_t{1} << 18U;

  static bool is_letter(char c) noexcept { return c >= 'a' && c <= 'z'; }

  // Words that begin in [begin, end), also if they go on behind it.
  [[nodiscard]] table count(std::size_t begin, std::size_t end) const {
    const std::string_view text = text_;
    table words;
    std::size_t at = begin;
    if (at > 0 && is_letter(text[at - 1])) {
      while (at < text.size() && is_letter(text[at])) ++at;
    }
    for (;;) {
      while (at < end && !is_letter(text[at])) ++at;
      if (at >= end) return words;
      const std::size_t first = at;
      while (at < text.size() && is_letter(text[at])) ++at;
      ++words[text.substr(first, at - first)];
    }
  }

  std::string text_;
  std::int64_t size_ = 0;  // words
  std::unordered_map<std::string, std::uint64_t> right_;
  table found_;
};

}  // namespace pilfer::lab::applications
