// What can be done about duplicates, and every check before it is done.
//
// One file of a group is kept; a step does something to another one, after both were found unchanged and equal once more. A step that
// cannot be done as told leaves the file as it is and says why: nothing is ever done instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "finder.hpp"

struct file_dedupe_range;
struct stat;

namespace pilfer::dups {

enum class action_kind : std::uint8_t { remove, hard_link, reflink, move };
[[nodiscard]] const char* to_string(action_kind kind) noexcept;  // "delete", "hard-link", …

enum class keep_rule : std::uint8_t { first, newest, oldest, shortest_path };

// Which file of a group stays: of the reference files, if there are any, otherwise of all. Where the rule does not decide, the first.
[[nodiscard]] std::size_t index_to_keep(const group& of, keep_rule rule);

struct step {
  duplicate kept;
  duplicate other;  // with one name: an inode with several that were seen has a step for each
  std::uint64_t size = 0;
  std::uint64_t frees =
      0;  // bytes, if all goes well: with its last name that was seen, unless there are more elsewhere
};
// Groups in order, files in order. Reference files are in no step.
[[nodiscard]] std::vector<step> plan_steps(const std::vector<group>& groups, action_kind kind, keep_rule rule);

enum class step_result : std::uint8_t {
  done,
  would_be_done,  // dry run: all checks were made
  needless,       // it is so already
  left_alone,     // see why
};
[[nodiscard]] const char* to_string(step_result result) noexcept;

struct step_outcome {
  step_result result = step_result::left_alone;
  std::string why = {};  // if needless or left alone
  std::string to = {};   // where it was moved
};

struct action_settings {
  action_kind kind = action_kind::remove;
  bool dry_run = false;
  std::string folder = {};                  // move: below it, by absolute path
  std::vector<std::string> reference = {};  // nothing that lies in one of these is touched, whatever the plan says
  // For tests: called between the last comparison and the action; while the file to delete has its temporary name; and in place of
  // fsync, renameat2 within a folder, and ioctl(FIDEDUPERANGE), with the result or -errno.
  std::function<void()> before_acting = {};
  std::function<void()> before_unlinking = {};
  std::function<int(int fd)> sync = {};
  std::function<int(int folder, const char* from, const char* to)> rename = {};
  std::function<int(int fd, ::file_dedupe_range*)> dedupe_range = {};
};

// Does steps, one at a time.
class actor {
 public:
  // Resolves the folders.
  explicit actor(action_settings settings);

  // Never throws for anything that a file or a file system does.
  [[nodiscard]] step_outcome act(const step& what, const std::stop_token& stop = {});

 private:
  struct place;
  [[nodiscard]] std::string why_not(const step& what, const place& kept, const place& other,
                                    const std::stop_token& stop) const;
  [[nodiscard]] step_outcome remove(const step& what, place& kept, const place& other);
  [[nodiscard]] std::string why_not_unlinked(const step& what, place& kept, const place& other, const char* temporary,
                                             const struct ::stat& kept_before);
  [[nodiscard]] step_outcome hard_link(const step& what, const place& other);
  [[nodiscard]] step_outcome reflink(const step& what);
  [[nodiscard]] step_outcome move(const place& other);
  [[nodiscard]] std::string why_not_durable(const step& what);
  [[nodiscard]] static bool is_still_there(const step& what, place& kept);

  action_settings settings_;
  std::vector<std::string> protected_;  // real paths
  std::string folder_;                  // real path, or what it will be
  std::uint64_t synced_device_ = 0;     // the kept file that was last made durable
  std::uint64_t synced_inode_ = 0;
};

// The absolute path without links, also of what does not exist yet; the text itself where the system does not tell.
[[nodiscard]] std::string real_path(const std::string& path);
// Whether the path is the folder or lies in it. Both are real paths.
[[nodiscard]] bool lies_in(const std::string& path, const std::string& folder) noexcept;

}  // namespace pilfer::dups
