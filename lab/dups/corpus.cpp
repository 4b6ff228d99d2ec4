#include "lab/dups/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::dups {
namespace {

constexpr std::uint64_t word = sizeof(std::uint64_t);
constexpr std::uint64_t first_block = 4096;  // what most finders look at first
constexpr std::uint64_t least_bytes = 16;    // below, noise is sometimes the same by chance

// A word of noise that depends on nothing but its number: any place of a file can be written first.
constexpr std::uint64_t noise(std::uint64_t number) noexcept {
  std::uint64_t mixed = number * 0x9e3779b97f4a7c15U + 0xd1b54a32d192ed03U;
  mixed = (mixed ^ (mixed >> 31)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 29)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 32);
}

class dice {
 public:
  explicit dice(std::uint64_t seed) : from_(noise(seed) | 1) {}
  std::uint64_t below(std::uint64_t limit) { return (from_.next() >> 11) % limit; }
  double share() { return static_cast<double>(from_.next() >> 11) * 0x1p-53; }

  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  xorshift from_;
};

// A tree: each folder lies in the corpus itself or in one of those before it.
std::vector<std::string> make_folders(std::size_t count, dice& chance) {
  constexpr std::ptrdiff_t deepest = 8;
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = fmt::format("d{:03}", i);
    const std::uint64_t parent = chance.below(folders.size() + 1);
    if (parent < folders.size() && std::ranges::count(folders[parent], '/') < deepest)
      name = fmt::format("{}/{}", folders[parent], name);
    folders.push_back(std::move(name));
  }
  return folders;
}

// Files get their names last, in an order that says nothing about who is a copy of whom.
void place_files(corpus_plan& plan, dice& chance) {
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    // Blanks happen, too.
    std::string name = fmt::format("{:06x}-{}{}.dat", noise(i) >> 40, i % 50 == 7 ? "a file " : "f", i);
    if (!plan.folders.empty()) name.insert(0, plan.folders[chance.below(plan.folders.size())] + "/");
    plan.files[i].path = std::move(name);
  }
}

std::unordered_map<std::string_view, std::size_t> index_of(const corpus_plan& plan) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < plan.files.size(); ++i) index.emplace(plan.files[i].path, i);
  return index;
}

std::size_t owner_of(const corpus_plan& plan, std::size_t file) {
  const std::size_t to = plan.files[file].link_to;
  return to == planned_file::no_link ? file : to;
}

// By file, the first of all its names.
std::vector<const std::string*> first_names(const corpus_plan& plan) {
  std::vector<const std::string*> first(plan.files.size(), nullptr);
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const std::string*& known = first[owner_of(plan, i)];
    if (known == nullptr || plan.files[i].path < *known) known = &plan.files[i].path;
  }
  for (std::size_t i = 0; i < plan.files.size(); ++i) first[i] = first[owner_of(plan, i)];
  return first;
}

void sort_and_clean(path_groups& groups) {
  for (std::vector<std::string>& one : groups) {
    std::ranges::sort(one);
    one.erase(std::unique(one.begin(), one.end()), one.end());
  }
  std::erase_if(groups, [](const std::vector<std::string>& one) { return one.size() < 2; });
  std::ranges::sort(groups);
}

}  // namespace

void fill(std::span<std::byte> into, const content& what, std::uint64_t offset) {
  const std::uint64_t start = what.seed << 32;
  for (std::uint64_t at = 0; at < into.size(); at += word) {
    std::uint64_t value = noise(start + (offset + at) / word);
    if (offset + at == what.changed_at) value ^= noise(what.change) | 1;
    std::memcpy(into.data() + at, &value, std::min<std::uint64_t>(word, into.size() - at));
  }
}

std::uint64_t corpus_plan::bytes() const {
  std::uint64_t sum = 0;
  for (const planned_file& one : files) sum += one.link_to == planned_file::no_link ? one.what.size : 0;
  return sum;
}

corpus_plan thesis_corpus(const thesis_size& wanted, std::uint64_t seed) {
  dice chance(seed);
  corpus_plan plan{.name = "thesis", .folders = make_folders(wanted.folders, chance), .files = {}, .symlinks = {}};
  // Sizes of real folders span some powers of ten: their logarithms are evenly spread.
  constexpr double smallest = 256;
  constexpr double span = 4096;
  std::vector<planned_file> files;
  std::vector<std::size_t> originals;
  for (std::size_t i = 0; i < wanted.files; ++i) {
    const content fresh{.size = static_cast<std::uint64_t>(smallest * std::pow(span, chance.share())), .seed = i + 1};
    const std::uint64_t kind = originals.empty() ? 99 : chance.below(100);
    if (kind < 32) {  // a copy, of which there may be several
      files.push_back({.path = {}, .what = files[originals[chance.below(originals.size())]].what});
    } else if (kind < 44) {  // the size of another, and nothing else
      content other = fresh;
      other.size = files[originals[chance.below(originals.size())]].what.size;
      files.push_back({.path = {}, .what = other});
    } else if (kind == 44) {
      const std::size_t to = originals[chance.below(originals.size())];
      files.push_back({.path = {}, .what = files[to].what, .link_to = to});
    } else if (kind == 45) {
      files.push_back({.path = {}, .what = {}});
    } else {
      originals.push_back(files.size());
      files.push_back({.path = {}, .what = fresh});
    }
  }
  plan.files = std::move(files);
  const double scale =
      static_cast<double>(wanted.bytes) / static_cast<double>(std::max<std::uint64_t>(plan.bytes(), 1));
  for (planned_file& one : plan.files) {
    if (one.what.size == 0) continue;
    const auto scaled = static_cast<std::uint64_t>(static_cast<double>(one.what.size) * scale);
    one.what.size = std::max(scaled, least_bytes);
  }
  place_files(plan, chance);
  for (std::size_t i = 0; i < plan.files.size(); i += 100)
    plan.symlinks.emplace(fmt::format("link-{}", i), plan.files[i].path);
  return plan;
}

corpus_plan skewed_corpus(const skewed_size& wanted, std::uint64_t seed) {
  dice chance(seed);
  constexpr std::size_t files_per_folder = 100;
  corpus_plan plan{.name = "skewed",
                   .folders = make_folders(wanted.tiny_files / files_per_folder + 1, chance),
                   .files = {},
                   .symlinks = {}};
  const content huge{.size = wanted.huge_bytes, .seed = 1};
  plan.files = {{.path = {}, .what = huge}, {.path = {}, .what = huge}};
  for (std::size_t i = 0; i < wanted.tiny_files; ++i) {
    const bool copy = i > 0 && chance.below(4) == 0;
    plan.files.push_back({.path = {},
                          .what = copy ? plan.files[2 + chance.below(i)].what
                                       : content{.size = least_bytes + chance.below(first_block - least_bytes + 1),
                                                 .seed = plan.files.size() + 1}});
  }
  place_files(plan, chance);
  return plan;
}

corpus_plan adversarial_corpus(const adversarial_size& wanted, std::uint64_t seed) {
  dice chance(seed);
  corpus_plan plan{.name = "adversarial", .folders = make_folders(8, chance), .files = {}, .symlinks = {}};
  const std::uint64_t words = std::max<std::uint64_t>(wanted.bytes_each / word, 4);
  const std::uint64_t size = words * word;
  const std::array places = {size - word, words / 2 * word, std::min(first_block, size - 2 * word)};
  for (std::size_t i = 0; i < wanted.files; ++i) {
    content what{.size = size, .seed = 1, .changed_at = places[i % places.size()], .change = i + 1};
    // One in five is a copy of one before it.
    if (i > 0 && chance.below(5) == 0) what = plan.files[chance.below(i)].what;
    plan.files.push_back({.path = {}, .what = what});
  }
  place_files(plan, chance);
  return plan;
}

path_groups expected_groups(const corpus_plan& plan) {
  const std::vector<const std::string*> names = first_names(plan);
  std::map<content, std::vector<std::string>> by_content;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    if (plan.files[i].what.size > 0) by_content[plan.files[i].what].push_back(*names[i]);
  }
  path_groups groups;
  for (auto& [what, paths] : by_content) groups.push_back(std::move(paths));
  sort_and_clean(groups);
  return groups;
}

path_groups normalised(const path_groups& said, const corpus_plan& plan, const std::string& root) {
  const std::vector<const std::string*> names = first_names(plan);
  const auto index = index_of(plan);
  const std::string prefix = root + "/";
  path_groups groups;
  for (const std::vector<std::string>& one : said) {
    std::vector<std::string>& paths = groups.emplace_back();
    for (const std::string& path : one) {
      const std::string_view below = path.starts_with(prefix) ? std::string_view(path).substr(prefix.size()) : path;
      const auto found = index.find(below);
      if (found == index.end()) throw std::runtime_error(fmt::format("'{}' is no file of the corpus", path));
      paths.push_back(*names[found->second]);
    }
  }
  sort_and_clean(groups);
  return groups;
}

}  // namespace pilfer::lab::dups
