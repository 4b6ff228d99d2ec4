// Where a corpus lies while it is measured, and how it gets out of the page cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/dups/corpus.hpp"

namespace pilfer::lab::dups {

// Disk space that a corpus takes, in blocks of a usual file system.
struct space_needed {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
};
[[nodiscard]] space_needed space_for(const corpus_plan& plan);

// Why `folder` cannot hold so much; empty if it can.
[[nodiscard]] std::string why_too_small(const std::string& folder, const space_needed& needed);

// Does what is written there reach a disk?
[[nodiscard]] bool is_on_disk(const std::string& folder);

// Where to look for room: $TMPDIR, the folder one is in, /var/tmp, /tmp.
[[nodiscard]] std::vector<std::string> usual_places();

// A folder with a corpus in it. Its destructor removes both.
class scratch_corpus {
 public:
  // In the first of `places` that has room, those on a disk first.
  //   Throws  std::runtime_error if none has room; std::system_error; `interrupted`.
  explicit scratch_corpus(corpus_plan plan, const std::vector<std::string>& places = usual_places());
  ~scratch_corpus();
  scratch_corpus(const scratch_corpus&) = delete;
  scratch_corpus& operator=(const scratch_corpus&) = delete;

  [[nodiscard]] const corpus_plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const std::string& root() const noexcept { return root_; }  // absolute, without symlinks
  // A file beside the corpus, for what a finder writes.
  [[nodiscard]] std::string beside(const std::string& name) const { return folder_ + "/" + name; }

  // Waits until all of it is on the disk, so that nothing is written while something is measured.
  void sync() const;
  // Reads all files once.
  void warm_up() const;

  // How the files get out of the cache; `none` if they do not.
  enum class eviction : unsigned char { none, fadvise, drop_caches };
  // Finds out what works, after a sync: pages of some files are looked at afterwards.
  [[nodiscard]] eviction find_eviction() const;
  void evict(eviction how) const;

 private:
  [[nodiscard]] bool is_evicted() const;
  void advise_all() const;

  corpus_plan plan_;
  std::string folder_;
  std::string root_;
};

[[nodiscard]] const char* name_of(scratch_corpus::eviction how) noexcept;

}  // namespace pilfer::lab::dups
