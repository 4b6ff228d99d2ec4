// On which processors a thread runs.
#pragma once

#include <vector>

namespace pilfer::lab {

// Processors this process may use, by number, ascending; never empty.
[[nodiscard]] std::vector<int> allowed_processors();

// Binds the calling thread to one processor. False if the system refused.
bool pin_this_thread(int processor) noexcept;

// Binds the calling thread for the length of a scope, then restores what was allowed before.
class pinned {
 public:
  explicit pinned(int processor);
  ~pinned();
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;
  [[nodiscard]] bool succeeded() const noexcept { return succeeded_; }

 private:
  std::vector<int> before_;
  bool succeeded_;
};

}  // namespace pilfer::lab
