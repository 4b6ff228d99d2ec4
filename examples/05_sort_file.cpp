// Sorts a file of numbers, one on each line: read, sort in parallel, write.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <pilfer/pilfer.hpp>

namespace {

using numbers = std::vector<long>;

void write_numbers(const std::filesystem::path& file, const numbers& values) {
  std::ofstream out(file);
  for (const long value : values) out << value << '\n';
}

numbers read_numbers(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istream_iterator<long>(in), std::istream_iterator<long>()};
}

void sort_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  numbers values = read_numbers(from);
  pilfer::parallel_sort(values);
  write_numbers(to, values);
}

}  // namespace

int main() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("pilfer_sort_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directory(folder);

  numbers shuffled(100'000);
  pilfer::parallel_for(0L, 100'000L, [&](long i) { shuffled[static_cast<std::size_t>(i)] = i * 7919 % 100'000; });
  write_numbers(folder / "shuffled", shuffled);
  sort_file(folder / "shuffled", folder / "sorted");

  const numbers sorted = read_numbers(folder / "sorted");
  bool right = sorted.size() == shuffled.size();
  for (std::size_t i = 0; right && i < sorted.size(); ++i) right = sorted[i] == static_cast<long>(i);
  std::filesystem::remove_all(folder);
  std::printf("sorted %zu numbers: %s\n", sorted.size(), right ? "0, 1, 2, ... as expected" : "WRONG");
  return right ? 0 : 1;
}
