// Folders full of files, with duplicates that are known beforehand. Everything follows from a seed: the same tree, the same
// bytes, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pilfer::lab::dups {

// What is in a file: noise that follows from a seed, with one word of it changed or not. Files are equal if these are.
struct content {
  static constexpr std::uint64_t unchanged = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t size = 0;
  std::uint64_t seed = 0;
  std::uint64_t changed_at = unchanged;  // the first of eight bytes
  std::uint64_t change = 0;              // other than 0 if there is such a place

  friend auto operator<=>(const content&, const content&) = default;
};

// The bytes from `offset` on, which is a multiple of eight.
void fill(std::span<std::byte> into, const content& what, std::uint64_t offset);

struct planned_file {
  static constexpr std::size_t no_link = std::numeric_limits<std::size_t>::max();
  std::string path;  // below the corpus
  content what;
  std::size_t link_to = no_link;  // a further name of that file, which is no link itself
};

struct corpus_plan {
  std::string name;
  std::vector<std::string> folders;  // parents first
  std::vector<planned_file> files;
  std::map<std::string, std::string> symlinks;  // to a path below the corpus; nobody is to follow them

  [[nodiscard]] std::uint64_t bytes() const;  // of all files, a link counting nothing
};

struct thesis_size {
  std::size_t folders = 600;
  std::size_t files = 2500;
  std::uint64_t bytes = std::uint64_t{256} << 20;
};
struct skewed_size {
  std::size_t tiny_files = 20'000;
  std::uint64_t huge_bytes = std::uint64_t{64} << 20;
};
struct adversarial_size {
  std::size_t files = 240;
  std::uint64_t bytes_each = 512 << 10;
};

// 000, section 5.3.2. About half of the files have a copy, and one in eight has another's size only. Some links, symlinks and
// empty files.
[[nodiscard]] corpus_plan thesis_corpus(const thesis_size& wanted, std::uint64_t seed = 1);
// One huge file and its copy, beside very many of at most 4 KiB.
[[nodiscard]] corpus_plan skewed_corpus(const skewed_size& wanted, std::uint64_t seed = 2);
// All of one size and with the same beginning. They differ in their last word, in one in the middle or in one just behind what
// a finder reads first; some do not differ.
[[nodiscard]] corpus_plan adversarial_corpus(const adversarial_size& wanted, std::uint64_t seed = 3);

// Groups of files, each sorted, all of them sorted.
using path_groups = std::vector<std::vector<std::string>>;

// The duplicates by construction: paths below the corpus; of several names of one file the first; none of empty files.
[[nodiscard]] path_groups expected_groups(const corpus_plan& plan);

// What a finder said, in the same form, if `root` is where the corpus is. Names of one file count as one, because some finders
// list them all and some only one.
//   Throws  std::runtime_error for a path that is not in the corpus.
[[nodiscard]] path_groups normalised(const path_groups& said, const corpus_plan& plan, const std::string& root);

// Writes it to the folder `root`, which is made.
//   Throws  std::system_error; `interrupted`.
void write_corpus(const corpus_plan& plan, const std::string& root);

}  // namespace pilfer::lab::dups
