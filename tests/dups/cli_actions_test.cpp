// Each action on real files, and everything that must keep it from being done.
#include "tools/dups/actions.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "cli_process.hpp"

namespace pilfer::dups {
namespace {

namespace fs = std::filesystem;
using pilfer::test::has;
using pilfer::test::put;
using pilfer::test::read_file;
using pilfer::test::scratch_folder;

// As a search would have found it.
duplicate found(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return {.path = path,
          .device = status.st_dev,
          .inode = status.st_ino,
          .mtime_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
          .links = status.st_nlink};
}

step step_for(const std::string& kept, const std::string& other) {
  return {.kept = found(kept), .other = found(other), .size = fs::file_size(other), .frees = 1};
}

std::uint64_t inode_of(const std::string& path) { return found(path).inode; }

// Every name below the folder, so that nothing is left behind or lost unnoticed.
std::vector<std::string> files_in(const scratch_folder& folder) { return folder.files(); }

class dups_action : public testing::TestWithParam<action_kind> {
 protected:
  void SetUp() override {
    kept_ = put(folder_, "kept", "same content");
    other_ = put(folder_, "other", "same content");
    inode_ = inode_of(other_);
  }
  [[nodiscard]] action_settings settings() const {
    action_settings chosen{.kind = GetParam()};
    if (GetParam() == action_kind::move) chosen.folder = folder_.file("moved");
    // As a file system that can: shares nothing, says so.
    if (GetParam() == action_kind::reflink)
      chosen.dedupe_range = [](int, ::file_dedupe_range* range) {
        range->info[0].status = FILE_DEDUPE_RANGE_SAME;
        range->info[0].bytes_deduped = range->src_length;
        return 0;
      };
    return chosen;
  }
  void expect_left_alone(const step_outcome& came, const std::string& why) {
    EXPECT_EQ(came.result, step_result::left_alone);
    EXPECT_TRUE(has(came.why, why)) << came.why;
    EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept", "other"}));
  }
  void expect_untouched(const step_outcome& came, const std::string& why) {
    expect_left_alone(came, why);
    EXPECT_EQ(inode_of(other_), inode_);
    EXPECT_EQ(read_file(other_), "same content");
  }

  scratch_folder folder_;
  std::string kept_;
  std::string other_;
  std::uint64_t inode_ = 0;
};

TEST_P(dups_action, a_dry_run_changes_nothing_and_says_that_it_would) {
  action_settings dry = settings();
  dry.dry_run = true;
  const step_outcome came = actor(dry).act(step_for(kept_, other_));
  EXPECT_EQ(came.result, step_result::would_be_done) << came.why;
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept", "other"}));
  EXPECT_EQ(inode_of(other_), inode_);
}

TEST_P(dups_action, content_that_differs_by_now_is_left_alone) {
  const step planned = step_for(kept_, other_);
  put(folder_, "other", "other conten");  // the same size
  struct timespec times[2] = {{0, UTIME_OMIT},
                              {planned.other.mtime_ns / 1'000'000'000, planned.other.mtime_ns % 1'000'000'000}};
  ASSERT_EQ(::utimensat(AT_FDCWD, other_.c_str(), times, 0), 0);  // and the same time
  expect_left_alone(actor(settings()).act(planned), "differs");
  EXPECT_EQ(read_file(other_), "other conten");
}

TEST_P(dups_action, a_file_that_was_changed_since_is_left_alone) {
  step planned = step_for(kept_, other_);
  planned.other.mtime_ns -= 1;
  expect_untouched(actor(settings()).act(planned), "it has changed since");
}

TEST_P(dups_action, a_kept_file_that_was_changed_since_protects_the_other) {
  step planned = step_for(kept_, other_);
  planned.kept.mtime_ns -= 1;
  expect_untouched(actor(settings()).act(planned), "which would be kept, has changed");
}

TEST_P(dups_action, a_kept_file_that_was_replaced_since_protects_the_other) {
  const step planned = step_for(kept_, other_);
  const std::string fresh = put(folder_, "fresh", "same content");
  fs::rename(fresh, kept_);
  expect_untouched(actor(settings()).act(planned), "kept");
}

TEST_P(dups_action, a_kept_file_that_vanished_protects_the_other) {
  const step planned = step_for(kept_, other_);
  fs::remove(kept_);
  const step_outcome came = actor(settings()).act(planned);
  EXPECT_EQ(came.result, step_result::left_alone);
  EXPECT_TRUE(has(came.why, "which would be kept: No such file")) << came.why;
  EXPECT_EQ(read_file(other_), "same content");
}

TEST_P(dups_action, what_changes_after_the_comparison_is_noticed) {
  action_settings watched = settings();
  watched.before_acting = [&] { put(folder_, "other", "written just now"); };
  expect_left_alone(actor(watched).act(step_for(kept_, other_)), "it has changed");
  EXPECT_EQ(read_file(other_), "written just now");
}

TEST_P(dups_action, a_kept_file_that_goes_after_the_comparison_is_noticed) {
  action_settings watched = settings();
  watched.before_acting = [&] { fs::rename(kept_, folder_.file("elsewhere")); };
  const step_outcome came = actor(watched).act(step_for(kept_, other_));
  EXPECT_EQ(came.result, step_result::left_alone);
  EXPECT_EQ(read_file(other_), "same content");
  EXPECT_EQ(inode_of(other_), inode_);
}

TEST_P(dups_action, a_link_in_its_place_is_left_alone) {
  const step planned = step_for(kept_, other_);
  fs::rename(other_, folder_.file("elsewhere"));
  fs::create_symlink("elsewhere", other_);
  const step_outcome came = actor(settings()).act(planned);
  EXPECT_EQ(came.result, step_result::left_alone);
  EXPECT_TRUE(fs::is_symlink(other_));
  EXPECT_EQ(read_file(folder_.file("elsewhere")), "same content");
}

TEST_P(dups_action, a_file_is_never_its_own_duplicate) {
  const step same = step_for(kept_, folder_.file("./kept"));
  expect_untouched(actor(settings()).act(same), "reached by another path");
  EXPECT_EQ(read_file(kept_), "same content");
}

TEST_P(dups_action, the_same_file_through_a_linked_folder_is_not_touched) {
  const scratch_folder links;
  fs::create_symlink(fs::path(kept_).parent_path(), links.file("link"));
  const step same = step_for(kept_, links.file("link/kept"));
  expect_untouched(actor(settings()).act(same), "reached by another path");
  EXPECT_EQ(read_file(kept_), "same content");
}

TEST_P(dups_action, nothing_in_a_reference_folder_is_touched_whatever_the_plan_says) {
  action_settings guarded = settings();
  guarded.reference = {fs::path(other_).parent_path().string() + "/."};
  expect_untouched(actor(guarded).act(step_for(kept_, other_)), "reference");
  step flagged = step_for(kept_, other_);
  flagged.other.reference = true;
  expect_untouched(actor(settings()).act(flagged), "reference");
}

TEST_P(dups_action, what_lies_behind_a_followed_link_is_not_touched) {
  step planned = step_for(kept_, other_);
  planned.other.behind_symlink = true;
  expect_untouched(actor(settings()).act(planned), "reached through a symbolic link");
}

TEST_P(dups_action, stopped_means_left_alone) {
  std::stop_source source;
  source.request_stop();
  expect_untouched(actor(settings()).act(step_for(kept_, other_), source.get_token()), "interrupted");
}

std::string kind_name(const testing::TestParamInfo<action_kind>& of) {
  std::string name = to_string(of.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(every, dups_action,
                         testing::Values(action_kind::remove, action_kind::hard_link, action_kind::reflink,
                                         action_kind::move),
                         kind_name);

class dups_actions : public testing::Test {
 protected:
  scratch_folder folder_;
  std::string kept_ = put(folder_, "kept", "same");
  std::string other_ = put(folder_, "other", "same");
};

TEST_F(dups_actions, delete_removes_that_name_alone) {
  put(folder_, "third", "same");
  EXPECT_EQ(actor({.kind = action_kind::remove}).act(step_for(kept_, other_)).result, step_result::done);
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept", "third"}));
}

TEST_F(dups_actions, delete_of_a_further_name_of_the_same_inode_leaves_the_kept_one) {
  const std::string link = folder_.file("link");
  fs::create_hard_link(kept_, link);
  EXPECT_EQ(actor({.kind = action_kind::remove}).act(step_for(kept_, link)).result, step_result::done);
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept", "other"}));
}

// One file seen through two mounts has two devices, and deleting "the other one" deleted the last copy.
TEST_F(dups_actions, delete_notices_that_the_kept_name_went_with_the_other) {
  const action_settings both_at_once{.kind = action_kind::remove,
                                     .before_unlinking = [&] { fs::rename(kept_, folder_.file("gone")); }};
  const std::uint64_t inode = inode_of(other_);
  const step_outcome came = actor(both_at_once).act(step_for(kept_, other_));
  EXPECT_EQ(came.result, step_result::left_alone);
  EXPECT_TRUE(has(came.why, "which would be kept, has changed")) << came.why;
  EXPECT_EQ(inode_of(other_), inode);
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"gone", "other"}));
}

// As an overlay does: the old name still leads to the file, and what happens to the one happens to the other.
TEST_F(dups_actions, delete_notices_that_the_kept_file_changes_with_the_other) {
  const action_settings overlay{.kind = action_kind::remove,
                                .before_unlinking = [&] { fs::permissions(kept_, fs::perms::owner_read); }};
  const step_outcome came = actor(overlay).act(step_for(kept_, other_));
  EXPECT_EQ(came.result, step_result::left_alone);
  EXPECT_TRUE(has(came.why, "seen through another mount")) << came.why;
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept", "other"}));
}

TEST_F(dups_actions, delete_takes_only_the_inode_that_was_compared) {
  const step planned = step_for(kept_, other_);
  action_settings raced{.kind = action_kind::remove};
  raced.rename = [&](int folder, const char* from, const char* to) {
    if (std::string(from) == "other") put(folder_, "other", "written just now");
    return ::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0 ? 0 : -errno;
  };
  EXPECT_TRUE(has(actor(raced).act(planned).why, "it has changed"));
  EXPECT_EQ(read_file(other_), "written just now");
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept", "other"}));
}

TEST_F(dups_actions, delete_that_cannot_give_the_name_back_says_where_the_file_is) {
  const std::string temporary = ".pilfer-" + std::to_string(::getpid()) + "-0.tmp";
  const action_settings taken{.kind = action_kind::remove, .before_unlinking = [&] {
                                fs::rename(kept_, folder_.file("gone"));
                                put(folder_, "other", "somebody else's");
                              }};
  const step_outcome came = actor(taken).act(step_for(kept_, other_));
  EXPECT_EQ(came.result, step_result::left_alone);
  EXPECT_TRUE(has(came.why, temporary + " now")) << came.why;
  EXPECT_EQ(read_file(folder_.file(temporary)), "same");
  EXPECT_EQ(read_file(other_), "somebody else's");
}

TEST_F(dups_actions, delete_goes_around_a_leftover_and_without_renameat2_it_unlinks) {
  const std::string leftover = put(folder_, ".pilfer-" + std::to_string(::getpid()) + "-0.tmp", "left over");
  EXPECT_EQ(actor({.kind = action_kind::remove}).act(step_for(kept_, other_)).result, step_result::done);
  EXPECT_EQ(read_file(leftover), "left over");
  fs::remove(leftover);
  for (const int answer : {-EINVAL, -ENOSYS}) {
    put(folder_, "other", "same");
    const action_settings without{.kind = action_kind::remove,
                                  .rename = [=](int, const char*, const char*) { return answer; }};
    EXPECT_EQ(actor(without).act(step_for(kept_, other_)).result, step_result::done);
    EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept"}));
  }
}

TEST_F(dups_actions, the_kept_file_is_on_the_disk_before_the_last_look) {
  std::string order;
  const action_settings watched{.kind = action_kind::remove,
                                .before_acting = [&] { order += "look"; },
                                .sync =
                                    [&](int) {
                                      order += "sync ";
                                      return 0;
                                    }};
  EXPECT_EQ(actor(watched).act(step_for(kept_, other_)).result, step_result::done);
  EXPECT_EQ(order, "sync look");
}

TEST_F(dups_actions, what_cannot_be_written_to_is_on_the_disk_already_and_an_error_is_an_error) {
  const auto synced = [&](int answer) {
    put(folder_, "other", "same");
    return actor({.kind = action_kind::remove, .sync = [=](int) { return answer; }}).act(step_for(kept_, other_));
  };
  EXPECT_EQ(synced(-EINVAL).result, step_result::done);
  EXPECT_EQ(synced(-EROFS).result, step_result::done);
  EXPECT_TRUE(has(synced(-EIO).why, "cannot be written to the disk: Input/output error"));
  EXPECT_TRUE(fs::exists(other_));
}

TEST_F(dups_actions, hard_link_makes_them_one_inode_and_leaves_nothing_else_behind) {
  const std::uint64_t inode = inode_of(kept_);
  EXPECT_EQ(actor({.kind = action_kind::hard_link}).act(step_for(kept_, other_)).result, step_result::done);
  EXPECT_EQ(inode_of(other_), inode);
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept", "other"}));
  const step_outcome again = actor({.kind = action_kind::hard_link}).act(step_for(kept_, other_));
  EXPECT_EQ(again.result, step_result::needless);
}

TEST_F(dups_actions, hard_link_goes_around_a_leftover_of_a_crash) {
  put(folder_, ".pilfer-" + std::to_string(::getpid()) + "-0.tmp", "left over");
  EXPECT_EQ(actor({.kind = action_kind::hard_link}).act(step_for(kept_, other_)).result, step_result::done);
  EXPECT_EQ(inode_of(other_), inode_of(kept_));
  EXPECT_EQ(files_in(folder_).size(), 3U);
}

TEST_F(dups_actions, hard_link_does_not_change_who_may_read_a_file) {
  fs::permissions(other_, fs::perms::owner_read);
  const step_outcome came = actor({.kind = action_kind::hard_link}).act(step_for(kept_, other_));
  EXPECT_EQ(came.result, step_result::left_alone);
  EXPECT_TRUE(has(came.why, "owner or mode")) << came.why;
  EXPECT_NE(inode_of(other_), inode_of(kept_));
}

// /dev/shm is another file system nearly everywhere.
TEST_F(dups_actions, hard_links_and_moves_across_file_systems_are_refused) {
  const std::string far = "/dev/shm/pilfer-dups-" + std::to_string(::getpid());
  std::ofstream(far) << "same";
  struct stat near_status{};
  struct stat far_status{};
  ASSERT_EQ(::stat(kept_.c_str(), &near_status), 0);
  if (::stat(far.c_str(), &far_status) != 0 || far_status.st_dev == near_status.st_dev)
    GTEST_SKIP() << "no second file system";
  const step_outcome linked = actor({.kind = action_kind::hard_link}).act(step_for(kept_, far));
  EXPECT_EQ(linked.result, step_result::left_alone);
  EXPECT_TRUE(has(linked.why, "another file system")) << linked.why;
  for (const bool dry_run : {false, true}) {
    const step_outcome moved = actor({.kind = action_kind::move, .dry_run = dry_run, .folder = folder_.file("to/here")})
                                   .act(step_for(kept_, far));
    EXPECT_EQ(moved.result, step_result::left_alone);
    EXPECT_TRUE(has(moved.why, "a move would be a copy")) << moved.why;
  }
  EXPECT_EQ(read_file(far), "same");
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept", "other"}));
  fs::remove(far);
}

TEST_F(dups_actions, move_keeps_the_absolute_path_below_the_folder_and_overwrites_nothing) {
  const scratch_folder place;
  const std::string to = place.file("new/deep");
  const step_outcome came = actor({.kind = action_kind::move, .folder = to}).act(step_for(kept_, other_));
  ASSERT_EQ(came.result, step_result::done) << came.why;
  EXPECT_EQ(came.to, fs::canonical(to).string() + fs::canonical(kept_).parent_path().string() + "/other");
  EXPECT_EQ(read_file(came.to), "same");
  EXPECT_EQ(files_in(folder_), (std::vector<std::string>{"kept"}));

  put(folder_, "other", "same");
  const step_outcome again = actor({.kind = action_kind::move, .folder = to}).act(step_for(kept_, other_));
  EXPECT_EQ(again.result, step_result::left_alone);
  EXPECT_TRUE(has(again.why, "exists already")) << again.why;
  EXPECT_EQ(read_file(other_), "same");
}

struct range_call {
  std::uint64_t offset;
  std::uint64_t length;
};

class dups_reflink : public dups_actions {
 protected:
  // A file system that answers so.
  step_outcome act_with(int result, int status, std::uint64_t at_most, bool dry_run = false) {
    action_settings settings{.kind = action_kind::reflink, .dry_run = dry_run};
    settings.dedupe_range = [=, this](int, ::file_dedupe_range* range) {
      calls_.push_back({range->src_offset, range->src_length});
      EXPECT_EQ(range->info[0].dest_offset, range->src_offset);
      range->info[0].status = status;
      range->info[0].bytes_deduped = std::min<std::uint64_t>(range->src_length, at_most);
      return result;
    };
    return actor(settings).act(step_for(kept_, other_));
  }
  std::vector<range_call> calls_;
};

TEST_F(dups_reflink, asks_for_all_of_the_file_in_as_many_pieces_as_it_takes) {
  EXPECT_EQ(act_with(0, FILE_DEDUPE_RANGE_SAME, 3).result, step_result::done);
  ASSERT_EQ(calls_.size(), 2U);
  EXPECT_EQ(calls_[1].offset, 3U);
  EXPECT_EQ(calls_[1].length, 1U);
}

TEST_F(dups_reflink, not_supported_is_said_and_becomes_nothing_else) {
  const std::uint64_t inode = inode_of(other_);
  for (const auto& [result, status] : {std::pair(-EOPNOTSUPP, 0), std::pair(0, -EOPNOTSUPP), std::pair(-ENOTTY, 0)}) {
    const step_outcome came = act_with(result, status, 4);
    EXPECT_EQ(came.result, step_result::left_alone);
    EXPECT_TRUE(has(came.why, "cannot share the blocks")) << came.why;
  }
  EXPECT_EQ(inode_of(other_), inode);
  EXPECT_EQ(found(other_).links, 1U);
}

TEST_F(dups_reflink, every_other_answer_leaves_it_alone_too) {
  EXPECT_TRUE(has(act_with(0, FILE_DEDUPE_RANGE_DIFFERS, 4).why, "differs"));
  EXPECT_TRUE(has(act_with(-EXDEV, 0, 4).why, "another file system"));
  EXPECT_TRUE(has(act_with(0, -EPERM, 4).why, "Operation not permitted"));
  EXPECT_TRUE(has(act_with(0, FILE_DEDUPE_RANGE_SAME, 0).why, "shared only the first 0 B"));  // and it ends
}

TEST_F(dups_reflink, a_dry_run_asks_for_nothing_to_be_shared) {
  EXPECT_EQ(act_with(0, FILE_DEDUPE_RANGE_SAME, 4, true).result, step_result::would_be_done);
  ASSERT_EQ(calls_.size(), 1U);
  EXPECT_EQ(calls_[0].length, 0U);
}

// The real call: this file system either shares the blocks, or the file is as it was and that is said.
TEST_F(dups_reflink, for_real) {
  const step_outcome came = actor({.kind = action_kind::reflink}).act(step_for(kept_, other_));
  EXPECT_EQ(read_file(other_), "same");
  EXPECT_NE(inode_of(other_), inode_of(kept_));
  if (came.result != step_result::done) {
    EXPECT_EQ(came.result, step_result::left_alone);
    EXPECT_FALSE(came.why.empty());
  }
}

TEST_F(dups_actions, empty_files_have_no_blocks_to_share) {
  const std::string a = put(folder_, "a", "");
  const std::string b = put(folder_, "b", "");
  EXPECT_EQ(actor({.kind = action_kind::reflink}).act(step_for(a, b)).result, step_result::needless);
}

TEST(dups_paths, what_lies_in_a_folder) {
  EXPECT_TRUE(lies_in("/a/b", "/a"));
  EXPECT_TRUE(lies_in("/a", "/a"));
  EXPECT_TRUE(lies_in("/a", "/"));
  EXPECT_FALSE(lies_in("/ab", "/a"));
  EXPECT_FALSE(lies_in("/", "/a"));
}

}  // namespace
}  // namespace pilfer::dups
