// Counts the words of a text: each worker has a table of its own, and the tables are added up at the end.
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pilfer/pilfer.hpp>

namespace {

using word_counts = std::unordered_map<std::string, int>;

void count_words(std::string_view line, word_counts& counts) {
  std::string word;
  for (const char c : line) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      ++counts[std::exchange(word, {})];
    }
  }
  if (!word.empty()) ++counts[word];
}

word_counts count_words(const std::vector<std::string>& lines) {
  pilfer::per_worker<word_counts> tables;
  pilfer::parallel_for_each(lines, [&](const std::string& line) { count_words(line, tables.local()); });

  word_counts total;
  tables.for_each([&](const word_counts& part) {
    for (const auto& [word, count] : part) total[word] += count;
  });
  return total;
}

}  // namespace

int main() {
  const char* const poem[] = {"A thief, a thief! cried the pot to the kettle;",
                              "the kettle said: steal, and steal again,", "for little things, the smallest metal,",
                              "are all a thief may take, and none complain."};
  std::vector<std::string> lines;
  for (int i = 0; i < 40'000; ++i) lines.emplace_back(poem[i % 4]);

  const word_counts counts = count_words(lines);
  std::printf("%zu different words; thief: %d, steal: %d, kettle: %d\n", counts.size(), counts.at("thief"),
              counts.at("steal"), counts.at("kettle"));
  return counts.at("thief") == 30'000 && counts.at("steal") == 20'000 && counts.at("kettle") == 20'000 ? 0 : 1;
}
