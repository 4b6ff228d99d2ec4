// Which file stays, what happens to the others, and which options make no sense: nothing is touched here.
#include <gtest/gtest.h>

#include "tools/dups/actions.hpp"
#include "tools/dups/command.hpp"
#include "tools/dups/output.hpp"

namespace pilfer::dups {
namespace {

duplicate aged_duplicate(std::string path, std::int64_t mtime, std::uint64_t inode, bool reference = false) {
  return {.path = std::move(path), .device = 1, .inode = inode, .mtime_ns = mtime, .reference = reference};
}

group three() {
  return {.size = 10,
          .files = {aged_duplicate("a/long", 5, 1), aged_duplicate("b", 9, 2), aged_duplicate("c/d", 1, 3)}};
}

std::vector<std::pair<std::string, std::string>> names_of(const std::vector<step>& steps) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const step& one : steps) names.emplace_back(one.kept.path, one.other.path);
  return names;
}
using pairs = std::vector<std::pair<std::string, std::string>>;

TEST(dups_plan, each_rule_keeps_the_one_it_names) {
  EXPECT_EQ(index_to_keep(three(), keep_rule::first), 0U);
  EXPECT_EQ(index_to_keep(three(), keep_rule::newest), 1U);
  EXPECT_EQ(index_to_keep(three(), keep_rule::oldest), 2U);
  EXPECT_EQ(index_to_keep(three(), keep_rule::shortest_path), 1U);
}

TEST(dups_plan, of_equals_the_first_is_kept) {
  const group equal{.size = 1, .files = {aged_duplicate("a", 1, 1), aged_duplicate("b", 1, 2)}};
  for (const keep_rule rule : {keep_rule::first, keep_rule::newest, keep_rule::oldest, keep_rule::shortest_path})
    EXPECT_EQ(index_to_keep(equal, rule), 0U);
}

TEST(dups_plan, a_reference_is_kept_before_any_other_and_all_of_them_stay) {
  group same = three();
  same.files[1].mtime_ns = 100;
  same.files[0].reference = true;
  same.files[2].reference = true;
  EXPECT_EQ(index_to_keep(same, keep_rule::newest), 0U);
  EXPECT_EQ(index_to_keep(same, keep_rule::oldest), 2U);
  EXPECT_EQ(names_of(plan_steps({same}, action_kind::remove, keep_rule::newest)), (pairs{{"a/long", "b"}}));
}

TEST(dups_plan, all_others_of_each_group_in_order) {
  group next = three();
  for (duplicate& one : next.files) one.path += "2";
  EXPECT_EQ(names_of(plan_steps({three(), next}, action_kind::remove, keep_rule::newest)),
            (pairs{{"b", "a/long"}, {"b", "c/d"}, {"b2", "a/long2"}, {"b2", "c/d2"}}));
}

TEST(dups_plan, an_inode_goes_with_all_names_that_were_seen_and_frees_its_blocks_with_the_last) {
  group same = three();
  same.files[1].other_names = {"b-too"};
  same.files[1].links = 2;
  same.files[2].links = 2;  // one more somewhere else
  same.files[0].other_names = {"a-too"};
  const std::vector<step> steps = plan_steps({same}, action_kind::remove, keep_rule::first);
  EXPECT_EQ(names_of(steps), (pairs{{"a/long", "b"}, {"a/long", "b-too"}, {"a/long", "c/d"}}));
  EXPECT_EQ(steps[0].frees, 0U);
  EXPECT_EQ(steps[1].frees, 10U);
  EXPECT_EQ(steps[2].frees, 0U);
}

TEST(dups_plan, each_name_says_whether_it_lies_behind_a_link_and_such_names_free_nothing) {
  group same = three();
  same.files[1].other_names = {"b-linked", "b-too"};
  same.files[1].names_behind_symlink = {"b-linked"};
  same.files[1].links = 3;
  const std::vector<step> steps = plan_steps({same}, action_kind::remove, keep_rule::first);
  ASSERT_EQ(steps.size(), 4U);
  for (const step& one : steps) {
    EXPECT_EQ(one.other.behind_symlink, one.other.path == "b-linked") << one.other.path;
    EXPECT_EQ(one.frees, one.other.path == "c/d" ? 10U : 0U) << one.other.path;
  }
}

TEST(dups_plan, names_of_the_kept_inode_free_nothing) {
  group same = three();
  same.files[1].inode = 1;
  same.files[1].links = same.files[0].links = 2;
  const std::vector<step> steps = plan_steps({same}, action_kind::remove, keep_rule::first);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].frees, 0U);
  EXPECT_EQ(steps[1].frees, 10U);
}

TEST(dups_plan, reflinks_are_of_inodes_and_moves_free_nothing) {
  group same = three();
  same.files[1].other_names = {"b-too"};
  same.files[1].links = 2;
  const std::vector<step> shared = plan_steps({same}, action_kind::reflink, keep_rule::first);
  EXPECT_EQ(names_of(shared), (pairs{{"a/long", "b"}, {"a/long", "c/d"}}));
  EXPECT_EQ(shared[0].frees, 10U);
  for (const step& one : plan_steps({same}, action_kind::move, keep_rule::first)) EXPECT_EQ(one.frees, 0U);
}

TEST(dups_plan, what_is_said_about_steps) {
  const std::vector<step> steps = plan_steps({three()}, action_kind::remove, keep_rule::first);
  EXPECT_EQ(question(action_kind::remove, "", steps, 1), "Delete 2 files (20 B), and keep one of each of 1 group?");
  EXPECT_EQ(question(action_kind::move, "to", steps, 1), "Move 2 files to to, and keep one of each of 1 group?");
  action_report did{.kind = action_kind::remove};
  did.steps = {{steps[0], {step_result::done}}, {steps[1], {step_result::left_alone, "it has changed"}}};
  EXPECT_EQ(step_text(did, did.steps[0]), "deleted b (kept a/long)");
  EXPECT_EQ(step_text(did, did.steps[1]), "left alone: c/d: it has changed");
  EXPECT_EQ(action_summary(did), "Deleted 1 file: 10 B freed; 1 left alone.\n");
  did.dry_run = true;
  did.steps = {{steps[0], {step_result::would_be_done}}, {steps[1], {step_result::needless, "so already"}}};
  EXPECT_EQ(action_summary(did),
            "Would delete 1 file: 10 B would be freed; nothing to do for 1. Dry run: nothing was changed.\n");
}

command_options acting(action_kind kind) {
  command_options given;
  given.search.paths = {"/nowhere/in/particular"};
  given.actions = {kind};
  given.yes = true;
  if (kind == action_kind::move) given.folder = "/nowhere/else";
  return given;
}

TEST(dups_contradictions, sensible_options_pass) {
  EXPECT_EQ(why_contradictory({}), "");
  for (const action_kind kind : {action_kind::remove, action_kind::hard_link, action_kind::reflink, action_kind::move})
    EXPECT_EQ(why_contradictory(acting(kind)), "");
}

TEST(dups_contradictions, each_is_named) {
  const auto refused = [](const std::string& part, const command_options& given) {
    const std::string why = why_contradictory(given);
    EXPECT_NE(why.find(part), std::string::npos) << part << ": " << why;
  };
  command_options given = acting(action_kind::remove);
  given.actions.push_back(action_kind::reflink);
  refused("--delete and --reflink contradict each other", given);

  given = acting(action_kind::remove);
  given.search.paths.clear();
  refused("name a path", given);

  given = acting(action_kind::remove);
  given.yes = false;
  refused("needs --yes", given);
  given.dry_run = true;
  EXPECT_EQ(why_contradictory(given), "");

  given = acting(action_kind::hard_link);
  given.search.hard_links_are_duplicates = true;
  refused("--hard-links and --hard-link", given);

  given = acting(action_kind::move);
  given.folder = "/nowhere/in/particular/at/all";
  refused("would be found again", given);
  given.folder = "/etc/passwd";
  refused("is not a folder", given);
  given.folder = "";
  refused("name of a folder", given);
  given.folder = "/nowhere/ref/x";
  given.search.reference_paths = {"/nowhere/ref"};
  refused("lies in a --reference", given);

  given = {};
  given.keep = keep_rule::newest;
  refused("--keep needs an action", given);
  given = {};
  given.yes = true;
  refused("--yes needs an action", given);
  given = {};
  given.dry_run = true;
  refused("--dry-run needs an action", given);

  given = {};
  given.search.min_size = 2;
  given.search.max_size = 1;
  refused("--min-size 2 is more than --max-size 1", given);
  given = {};
  given.search.empty_files = true;
  given.search.min_size = 1;
  refused("--empty and --min-size", given);
  given = {};
  given.null_separated = true;
  refused("-0 needs --files-from", given);
  given = {};
  given.summary_only = true;
  given.as = format::json;
  refused("--summary", given);
  given = {};
  given.search.only_with_reference = true;
  refused("needs a --reference", given);
  given = {};
  given.search.paths = {"/nowhere"};
  given.search.cache_file = "/etc/passwd";
  refused("--cache: /etc/passwd is no cache of pilfer dups", given);
  given.search.cache_file = "/";
  refused("--cache: / is no regular file", given);
  given.search.cache_file = "/nowhere/./";
  refused("both searched and the --cache", given);
  given.search.reference_paths = {"/nowhere/c"};
  given.search.cache_file = "/nowhere/./c";
  refused("both a --reference and the --cache", given);
  given.search.cache_file = "/nowhere/cache";
  EXPECT_EQ(why_contradictory(given), "");
  given = {};
  given.search.paths = {"/nowhere/./a"};
  given.search.reference_paths = {"/nowhere/a/"};
  refused("both searched and a --reference", given);
}

TEST(dups_lists, names_end_with_the_separator_and_empty_ones_are_none) {
  EXPECT_EQ(names_in("a\n\nb c\nd", '\n'), (std::vector<std::string>{"a", "b c", "d"}));
  EXPECT_EQ(names_in(std::string("a\nb\0c\0", 6), '\0'), (std::vector<std::string>{"a\nb", "c"}));
  EXPECT_EQ(names_in("", '\n'), std::vector<std::string>{});
}

}  // namespace
}  // namespace pilfer::dups
