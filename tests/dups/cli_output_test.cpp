// Reports of made-up results: every format, every kind of name.
#include "tools/dups/output.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "tools/dups/bar.hpp"

namespace pilfer::dups {
namespace {

using json = nlohmann::json;

duplicate duplicate_named(std::string path) {
  return {.path = std::move(path), .device = 7, .inode = 11, .mtime_ns = 13};
}

outcome example() {
  outcome found;
  group first{.size = 2048,
              .hash = hash128{1, 2},
              .files = {duplicate_named("a/x"), duplicate_named("b,\"q\"\n")},
              .wasted_bytes = 2048};
  first.files[1].inode = 12;
  first.files[1].other_names = {"b/\xFFname"};
  first.files[1].links = 2;
  group second{.size = 3, .files = {duplicate_named("r/y"), duplicate_named("z\xC3")}, .wasted_bytes = 3};
  second.files[0].reference = true;
  second.files[1].hard_link = true;
  found.groups = {first, second};
  found.problems = {{"gone", problem_kind::missing, ENOENT, "cannot look at it"}};
  found.totals.files = 9;
  found.totals.duplicates = 2;
  found.totals.wasted_bytes = 2051;
  found.totals.skipped.symlinks = 4;
  return found;
}

template <class Write>
std::string written(Write write) {
  std::string text;
  write([&](std::string_view piece) { text += piece; });
  return text;
}

TEST(dups_output, text) {
  const std::string text = written([](const sink& to) { write_text(example(), to); });
  EXPECT_EQ(text,
            "2 files of 2.0 KiB, 2.0 KiB wasted\n"
            "  a/x\n"
            "  $'b,\"q\"\\n'\n"
            "    = $'b/\\377name'  (hard link)\n"
            "\n"
            "2 files of 3 B, 3 B wasted\n"
            "  r/y  (reference)\n"
            "  $'z\\303'  (hard link)\n"
            "\n");
}

TEST(dups_output, fdupes_has_names_as_they_are_and_an_empty_line_after_each_group) {
  const std::string text = written([](const sink& to) { write_fdupes(example(), to); });
  EXPECT_EQ(text, "a/x\nb,\"q\"\n\n\nr/y\nz\xC3\n\n");
}

TEST(dups_output, csv_quotes_what_needs_it_and_has_a_row_for_every_name) {
  const std::string text = written([](const sink& to) { write_csv(example(), to); });
  EXPECT_EQ(text,
            "group,size,path,reference,hard_link,links,mtime_ns,device,inode\r\n"
            "1,2048,a/x,0,0,1,13,7,11\r\n"
            "1,2048,\"b,\"\"q\"\"\n\",0,0,2,13,7,12\r\n"
            "1,2048,b/\xFFname,0,1,2,13,7,12\r\n"
            "2,3,r/y,1,0,1,13,7,11\r\n"
            "2,3,z\xC3,0,1,1,13,7,11\r\n");
}

TEST(dups_output, json_has_all_of_it_and_the_bytes_of_names_that_are_no_text) {
  run_facts run{.scheduler = "bwos-fifo", .workers = 2, .io = "threads", .tasks_run = 5};
  const std::string text = written([&](const sink& to) { write_json(example(), run, std::nullopt, to); });
  const json all = json::parse(text);
  EXPECT_EQ(all["schema"], "pilfer.dups/1");
  EXPECT_EQ(all["interrupted"], false);
  ASSERT_EQ(all["groups"].size(), 2U);
  const json& first = all["groups"][0];
  EXPECT_EQ(first["size"], 2048);
  EXPECT_EQ(first["xxh3_128"], "00000000000000010000000000000002");
  EXPECT_EQ(first["files"][1]["path"], "b,\"q\"\n");
  EXPECT_FALSE(first["files"][1].contains("path_hex"));
  EXPECT_EQ(first["files"][1]["other_names"][0]["path_hex"], "622fff6e616d65");
  const json& second = all["groups"][1];
  EXPECT_TRUE(second["xxh3_128"].is_null());
  EXPECT_EQ(second["files"][0]["reference"], true);
  EXPECT_EQ(second["files"][1]["path"], "z\xEF\xBF\xBD");
  EXPECT_EQ(second["files"][1]["path_hex"], "7ac3");
  EXPECT_EQ(all["problems"][0]["errno"], ENOENT);
  EXPECT_EQ(all["problems"][0]["path"], "gone");
  EXPECT_EQ(all["totals"]["skipped"]["symlinks"], 4);
  EXPECT_EQ(all["statistics"]["scheduler"], "bwos-fifo");
  EXPECT_EQ(all["statistics"]["tasks_run"], 5);
  EXPECT_FALSE(all.contains("steps"));
}

TEST(dups_output, json_of_nothing_is_json) {
  const std::string text = written([](const sink& to) { write_json({}, {}, action_report{}, to); });
  const json all = json::parse(text);
  EXPECT_EQ(all["groups"], json::array());
  EXPECT_EQ(all["steps"], json::array());
  EXPECT_EQ(all["action"]["name"], "delete");
}

TEST(dups_output, large_reports_come_in_pieces_and_whole) {
  outcome found;
  std::string expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "file-" + std::to_string(i);
    found.groups.push_back(
        {.size = 1, .files = {duplicate_named(name), duplicate_named(name + "b")}, .wasted_bytes = 1});
    expected += name + "\n" + name + "b\n\n";
  }
  EXPECT_EQ(written([&](const sink& to) { write_fdupes(found, to); }), expected);
}

TEST(dups_output, summary_says_what_is_wasted_and_left_out) {
  outcome found = example();
  const run_facts run{.scheduler = "default", .workers = 1, .io = "io_uring"};
  const std::string text = summary_text(found, run);
  EXPECT_NE(text.find("2 duplicates in 2 groups: 2.0 KiB wasted."), std::string::npos) << text;
  EXPECT_NE(text.find("(1 worker, default, io_uring)"), std::string::npos) << text;
  EXPECT_NE(text.find("Left out: 4 symbolic links."), std::string::npos) << text;
  EXPECT_EQ(text.find("partial"), std::string::npos) << text;
  found.interrupted = true;
  EXPECT_NE(summary_text(found, run).find("partial"), std::string::npos);
  EXPECT_TRUE(summary_text({}, run).starts_with("No duplicates.\n"));
}

TEST(dups_output, problems_are_named_with_their_reason) {
  EXPECT_EQ(problem_text({"x\n", problem_kind::missing, ENOENT, "cannot look at it"}),
            "$'x\\n': cannot look at it: No such file or directory");
  EXPECT_EQ(problem_text({"x", problem_kind::changed, 0, "changed while it was read"}), "x: changed while it was read");
}

TEST(dups_output, most_wasted_first_and_equals_in_order) {
  std::vector<group> groups = {{.files = {duplicate_named("a")}, .wasted_bytes = 1},
                               {.files = {duplicate_named("b")}, .wasted_bytes = 9},
                               {.files = {duplicate_named("c")}, .wasted_bytes = 1}};
  sort_by_waste(groups);
  EXPECT_EQ(groups[0].files[0].path, "b");
  EXPECT_EQ(groups[1].files[0].path, "a");
  EXPECT_EQ(groups[2].files[0].path, "c");
}

TEST(dups_bar, line_of_each_stage) {
  EXPECT_EQ(bar_line({.files_found = 1, .folders_found = 2}, 79), "looking: 1 file, 2 folders");
  const bar_state half{.stage = search_stage::reading,
                       .bytes_done = 1 << 20,
                       .bytes_to_do = 2 << 20,
                       .groups_found = 3,
                       .wasted_bytes = 1024,
                       .seconds_left = 65};
  EXPECT_EQ(bar_line(half, 120), "[##########..........]  50 % of 2.0 MiB, 1 min 5 s left; 3 groups, 1.0 KiB wasted");
  EXPECT_EQ(bar_line(half, 10), "[#########");
  EXPECT_EQ(bar_line({.stage = search_stage::reading}, 79), "[####################] 100 % of 0 B");
  EXPECT_EQ(bar_line({.stage = search_stage::reading, .bytes_done = 9, .bytes_to_do = 3}, 79),
            "[####################] 100 % of 3 B");
}

TEST(dups_bar, time_left_follows_the_speed) {
  time_estimate estimate;
  EXPECT_EQ(estimate.left(100), std::nullopt);
  estimate.note(60, 0);  // the walk took a minute, and says nothing about reading
  EXPECT_EQ(estimate.left(100), std::nullopt);
  estimate.note(61, 100);
  EXPECT_DOUBLE_EQ(estimate.left(300).value(), 2);
  for (int i = 2; i < 40; ++i)
    estimate.note(60 + i, 100 + 10 * static_cast<std::uint64_t>(i));  // ten times slower from now on
  EXPECT_NEAR(estimate.left(100 + 390 + 100).value(), 10, 0.5);
  EXPECT_DOUBLE_EQ(estimate.left(0).value(), 0);
}

}  // namespace
}  // namespace pilfer::dups
