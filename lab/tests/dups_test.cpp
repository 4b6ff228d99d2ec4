#include "lab/dups/dups.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include <pilfer/pool.hpp>

#include "lab/dups/contest.hpp"
#include "lab/dups/finders.hpp"
#include "lab/dups/measurement.hpp"
#include "lab/dups/names.hpp"
#include "lab/dups/observed_run.hpp"
#include "lab/dups/report.hpp"
#include "lab/dups/scratch.hpp"
#include "lab/experiments/row_query.hpp"
#include "lab/tests/claim_by_id.hpp"

namespace pilfer::lab::dups {
namespace {

namespace fs = std::filesystem;
using experiments::effort;
using experiments::settings;

constexpr settings tiny{.how = effort::tiny, .processors = 2};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Folders below the one where tests may write.
class scratch_folder {
 public:
  scratch_folder() : path_((fs::temp_directory_path() / "pilfer-dups-test-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  }
  ~scratch_folder() { fs::remove_all(path_); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text, bool executable = false) const {
    std::ofstream(path_ + "/" + name) << text;
    if (executable) ::chmod((path_ + "/" + name).c_str(), 0755);
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

// --- The corpora.

TEST(dups_corpus, has_the_shape_of_the_thesis) {
  const corpus_plan plan = thesis_corpus({});
  EXPECT_EQ(plan.folders.size(), 600U);
  EXPECT_EQ(plan.files.size(), 2500U);
  EXPECT_NEAR(static_cast<double>(plan.bytes()) / (256 << 20), 1, 0.01);
  EXPECT_GT(expected_groups(plan).size(), 100U);
  EXPECT_FALSE(plan.symlinks.empty());
  EXPECT_TRUE(std::ranges::any_of(plan.files, [](const planned_file& f) { return f.what.size == 0; }));
  EXPECT_TRUE(
      std::ranges::any_of(plan.files, [](const planned_file& f) { return f.link_to != planned_file::no_link; }));
  std::set<std::string> paths;
  for (const planned_file& one : plan.files) EXPECT_TRUE(paths.insert(one.path).second) << one.path;
}

TEST(dups_corpus, skewed_has_one_huge_content_beside_tiny_ones) {
  const corpus_plan plan = skewed_corpus({.tiny_files = 500, .huge_bytes = 1 << 20});
  EXPECT_EQ(plan.files.size(), 502U);
  std::size_t huge = 0;
  for (const planned_file& one : plan.files) {
    huge += one.what.size == (1 << 20) ? 1 : 0;
    EXPECT_TRUE(one.what.size <= 4096 || one.what.size == (1 << 20)) << one.what.size;
  }
  EXPECT_EQ(huge, 2U);
}

TEST(dups_corpus, adversarial_files_have_one_size_and_one_beginning) {
  const corpus_plan plan = adversarial_corpus({.files = 30, .bytes_each = 16384});
  std::set<std::vector<std::byte>> beginnings;
  for (const planned_file& one : plan.files) {
    EXPECT_EQ(one.what.size, 16384U);
    std::vector<std::byte> first(4096);
    fill(first, one.what, 0);
    beginnings.insert(std::move(first));
  }
  EXPECT_EQ(beginnings.size(), 1U);
  EXPECT_GT(expected_groups(plan).size(), 1U);
}

TEST(dups_corpus, is_the_same_for_the_same_seed_and_another_for_another) {
  const auto text = [](const corpus_plan& plan) {
    std::string all;
    for (const planned_file& one : plan.files)
      all += fmt::format("{} {} {} {} {}\n", one.path, one.what.size, one.what.seed, one.what.change, one.link_to);
    return all;
  };
  const thesis_size size{.folders = 10, .files = 50, .bytes = 1 << 16};
  EXPECT_EQ(text(thesis_corpus(size)), text(thesis_corpus(size)));
  EXPECT_NE(text(thesis_corpus(size)), text(thesis_corpus(size, 77)));
  EXPECT_EQ(text(skewed_corpus({50, 100})), text(skewed_corpus({50, 100})));
}

TEST(dups_corpus, content_does_not_depend_on_how_it_is_cut) {
  const content what{.size = 4099, .seed = 5, .changed_at = 4000, .change = 3};
  std::vector<std::byte> whole(what.size);
  fill(whole, what, 0);
  std::vector<std::byte> pieces(what.size);
  for (std::size_t at = 0; at < pieces.size(); at += 24)
    fill(std::span(pieces).subspan(at, std::min<std::size_t>(24, pieces.size() - at)), what, at);
  EXPECT_EQ(whole, pieces);
  content plain = what;
  plain.changed_at = content::unchanged;
  std::vector<std::byte> other(what.size);
  fill(other, plain, 0);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (i < 4000 || i >= 4008) {
      EXPECT_EQ(whole[i], other[i]) << i;
    }
  }
  EXPECT_NE(whole, other);
}

// All files of a corpus, compared by their bytes; names of one inode count as one.
path_groups by_brute_force(const std::string& root) {
  std::map<std::string, std::map<ino_t, std::string>> by_bytes;
  for (const fs::directory_entry& one : fs::recursive_directory_iterator(root)) {
    if (one.is_symlink() || !one.is_regular_file() || one.file_size() == 0) continue;
    struct stat about{};
    EXPECT_EQ(::stat(one.path().c_str(), &about), 0);
    std::string& name = by_bytes[text_of(one.path())][about.st_ino];
    const std::string below = fs::relative(one.path(), root).string();
    if (name.empty() || below < name) name = below;
  }
  path_groups groups;
  for (const auto& [bytes, names] : by_bytes) {
    if (names.size() < 2) continue;
    std::vector<std::string>& group = groups.emplace_back();
    for (const auto& [inode, name] : names) group.push_back(name);
    std::ranges::sort(group);
  }
  std::ranges::sort(groups);
  return groups;
}

TEST(dups_corpus, on_disk_has_exactly_the_duplicates_that_are_expected) {
  const scratch_folder folder;
  for (const char* name : corpora) {
    const corpus_plan plan = plan_of(name, tiny);
    const std::string root = folder.path() + "/" + name;
    write_corpus(plan, root);
    EXPECT_FALSE(expected_groups(plan).empty());
    EXPECT_EQ(by_brute_force(root), expected_groups(plan)) << name;
  }
}

TEST(dups_corpus, names_of_one_file_count_as_one) {
  corpus_plan plan{.name = "links",
                   .folders = {},
                   .files = {{.path = "b", .what = {.size = 20, .seed = 1}},
                             {.path = "a", .what = {.size = 20, .seed = 1}, .link_to = 0},
                             {.path = "c", .what = {.size = 20, .seed = 1}},
                             {.path = "d", .what = {.size = 20, .seed = 2}},
                             {.path = "e", .what = {.size = 20, .seed = 2}, .link_to = 3}},
                   .symlinks = {}};
  const path_groups expected = {{"a", "c"}};
  EXPECT_EQ(expected_groups(plan), expected);
  EXPECT_EQ(normalised({{"/r/c", "/r/b"}}, plan, "/r"), expected);
  EXPECT_EQ(normalised({{"/r/e", "/r/d"}, {"/r/c", "/r/b", "/r/a"}}, plan, "/r"), expected);
  EXPECT_NE(normalised({{"/r/c", "/r/d"}}, plan, "/r"), expected);
  EXPECT_THROW(static_cast<void>(normalised({{"/r/f", "/r/a"}}, plan, "/r")), std::runtime_error);
}

TEST(dups_scratch, is_removed_and_needs_room) {
  const scratch_folder folder;
  std::string root;
  {
    const scratch_corpus files(thesis_corpus({.folders = 3, .files = 10, .bytes = 10'000}), {folder.path()});
    root = files.root();
    EXPECT_TRUE(fs::exists(root));
    EXPECT_TRUE(root.starts_with(fs::canonical(folder.path()).string()));
  }
  EXPECT_FALSE(fs::exists(root));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_TRUE(has(why_too_small(folder.path(), {.bytes = std::uint64_t{1} << 62, .inodes = 1}), "free"));
  EXPECT_FALSE(why_too_small("/nowhere/at/all", {}).empty());
  EXPECT_THROW(scratch_corpus(thesis_corpus({.folders = 3, .files = 10, .bytes = 10'000}), {"/nowhere/at/all"}),
               std::runtime_error);
}

// --- What finders write.

TEST(dups_parsers, understand_everybody) {
  const path_groups expected = {{"/r/a b", "/r/c"}, {"/r/d", "/r/e", "/r/f"}};
  EXPECT_EQ(parse_lines("/r/a b\n/r/c\n\n/r/d\n/r/e\n/r/f\n\n"), expected);
  EXPECT_EQ(parse_lines("/r/a b\n/r/c\n\n/r/d\n/r/e\n/r/f\n"), expected) << "without the last empty line";
  EXPECT_EQ(parse_rdfind("# Automatically generated\n# duptype id depth size device inode priority name\n"
                         "DUPTYPE_FIRST_OCCURRENCE 1 0 5 65 12 1 /r/a b\nDUPTYPE_WITHIN_SAME_TREE -1 0 5 65 13 1 /r/c\n"
                         "DUPTYPE_FIRST_OCCURRENCE 7 0 5 65 14 1 /r/d\nDUPTYPE_WITHIN_SAME_TREE -7 0 5 65 15 1 /r/e\n"
                         "DUPTYPE_WITHIN_SAME_TREE -7 0 5 65 16 1 /r/f\n# end of file\n"),
            expected);
  EXPECT_EQ(parse_rmlint(R"([{"description":"rmlint json-dump"},
      {"type":"duplicate_file","path":"/r/a b","is_original":true},
      {"type":"duplicate_file","path":"/r/c","is_original":false},
      {"type":"emptyfile","path":"/r/z"},
      {"type":"duplicate_file","path":"/r/d","is_original":true},
      {"type":"duplicate_file","path":"/r/e","is_original":false},
      {"type":"duplicate_file","path":"/r/f","is_original":false},{"aborted":false}])"),
            expected);
  EXPECT_EQ(parse_own(R"({"groups":[{"size":5,"files":[{"path":"/r/a b"},{"path":"/r/c"}]},
      {"size":5,"files":["/r/d","/r/e","/r/f"]}]})"),
            expected);
  EXPECT_TRUE(parse_lines("").empty());
}

TEST(dups_parsers, refuse_what_makes_no_sense) {
  EXPECT_THROW(static_cast<void>(parse_rdfind("DUPTYPE_WITHIN_SAME_TREE -1 0 5 65 13 1 /r/c\n")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(parse_rdfind("DUPTYPE_FIRST_OCCURRENCE 1 0\n")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(parse_rmlint("[{")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(parse_rmlint(R"([{"type":"duplicate_file","path":"/r/c","is_original":false}])")),
               std::runtime_error);
  EXPECT_THROW(static_cast<void>(parse_own("{}")), std::runtime_error);
}

TEST(dups_parsers, statistics_are_there_or_not) {
  const own_statistics none = parse_own_statistics(R"({"groups":[]})");
  EXPECT_FALSE(none.tasks_stolen || none.io_stolen || none.bytes_read);
  const own_statistics some =
      parse_own_statistics(R"({"groups":[],"statistics":{"tasks_stolen":3,"io_stolen":1,"bytes_read":4096}})");
  EXPECT_EQ(some.tasks_stolen, 3);
  EXPECT_EQ(some.io_stolen, 1);
  EXPECT_EQ(some.bytes_read, 4096);
}

TEST(dups_finders, of_others_find_what_is_there) {
  const scratch_corpus files(plan_of("thesis", tiny));
  for (const finder& one : rivals()) {
    if (!one.why_unavailable.empty()) continue;
    EXPECT_FALSE(one.version.empty()) << one.name;
    participant who(one, files, {.root = {}, .workers = 1, .results_file = {}});
    const row r = check(who, expected_groups(files.plan()));
    EXPECT_EQ(r.samples, std::vector<double>{1}) << one.name << ": " << r.extra.dump();
    EXPECT_EQ(who.runs().size(), 1U);
  }
}

// --- Observation.

TEST(dups_observed_run, tells_exit_code_output_and_use) {
  const scratch_folder folder;
  const std::string big = folder.write("big", std::string(300'000, 'x'));
  const run_place where{.output = folder.path() + "/out", .complaints = folder.path() + "/err"};
  const observed_run ran = observe({"/bin/sh", "-c", "cat \"$1\"; echo no >&2; exit 3", "sh", big}, where);
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_GT(ran.seconds, 0);
  EXPECT_EQ(text_of(where.output).size(), 300'000U);
  EXPECT_EQ(text_of(where.complaints), "no\n");
  EXPECT_GT(ran.used.peak_kilobytes, 0);
  if (ran.bytes_read) {
    EXPECT_GE(*ran.bytes_read, 300'000U) << "of the children it has waited for, too";
  }
  EXPECT_EQ(observe({"/bin/sh", "-c", "kill -9 $$"}, where).exit_code, 137);
  EXPECT_EQ(observe({"/nowhere/at/all"}, where).exit_code, 127);
}

TEST(dups_observed_run, a_peak_is_the_programs_own) {
  const std::vector<char> ballast(std::size_t{64} << 20, 'x');  // of this process
  const scratch_folder folder;
  const observed_run ran =
      observe({"/bin/true"}, {.output = folder.path() + "/out", .complaints = folder.path() + "/err"});
  EXPECT_LT(ran.used.peak_kilobytes, 32 << 10) << ballast.size();
}

TEST(dups_observed_run, what_does_not_end_is_killed) {
  const scratch_folder folder;
  const run_place where{
      .output = folder.path() + "/out", .complaints = folder.path() + "/err", .limit = std::chrono::milliseconds(100)};
  EXPECT_THROW(static_cast<void>(observe({"/bin/sleep", "1000"}, where)), std::runtime_error);
}

// --- A whole experiment, with a finder made of a shell, find and md5sum in the place of `pilfer`.

constexpr const char* slow_tool = R"(#!/bin/sh
for root; do :; done
printf '{"statistics":{"tasks_stolen":7,"io_stolen":2,"bytes_read":1048576},"groups":['
find "$root" -type f -size +0 -exec md5sum {} + | sort | awk '
  { hash = substr($0, 1, 32); path = substr($0, 35)
    if (hash == last) { group = group ",{\"path\":\"" path "\"}"; ++count; next }
    if (count > 1) { printf "%s{\"files\":[%s]}", between, group; between = "," }
    last = hash; group = "{\"path\":\"" path "\"}"; count = 1 }
  END { if (count > 1) printf "%s{\"files\":[%s]}", between, group }'
echo ']}'
)";

std::vector<row> rows_of(const experiments::experiment& about, std::vector<std::string>* notes = nullptr) {
  std::vector<row> rows;
  for (const experiments::part& each : about.parts(tiny)) {
    experiments::findings found = each.run();
    for (row& one : found.rows) rows.push_back(std::move(one));
    if (notes != nullptr) notes->insert(notes->end(), found.notes.begin(), found.notes.end());
  }
  return rows;
}

TEST(dups_experiment, measures_every_queue_and_every_rival_that_is_there) {
  const scratch_folder folder;
  const experiments::experiment about = experiments::dups_experiment({folder.write("tool", slow_tool, true)});
  const std::vector<row> rows = rows_of(about);
  for (const std::string& scheduler : scheduler_names()) {
    for (const char* load : queue_loads) {
      const row* const found = experiments::find_row(rows, std::string(queues_prefix) + load, scheduler);
      ASSERT_NE(found, nullptr) << scheduler;
      EXPECT_EQ(found->extra.at("tasks_stolen"), 7);
      EXPECT_EQ(found->extra.at("io_continuations_stolen"), 2);
      EXPECT_EQ(found->extra.at("read_mb"), 1);
      EXPECT_GT(found->extra.at("peak_mb").get<double>(), 0);
    }
  }
  const std::vector<claim> claims = about.claims(rows, tiny);
  EXPECT_EQ(by_id(claims, "dups_same_result").met(), true) << by_id(claims, "dups_same_result").note;
  EXPECT_TRUE(by_id(claims, "dups_worst_queue").measured);
  for (const finder& one : rivals())
    EXPECT_EQ(by_id(claims, "dups_vs_" + one.name).measured.has_value(), one.why_unavailable.empty()) << one.name;
  std::set<std::string> ids;
  for (const page::chart& each : about.charts(rows)) EXPECT_TRUE(ids.insert(each.id).second) << each.id;
  EXPECT_TRUE(ids.contains("dups-queues") && ids.contains("dups-stolen"));
}

TEST(dups_experiment, a_wrong_result_is_not_timed) {
  const scratch_folder folder;
  const experiments::experiment about =
      experiments::dups_experiment({folder.write("tool", "#!/bin/sh\necho '{\"groups\":[]}'\n", true)});
  std::vector<std::string> notes;
  const std::vector<row> rows = rows_of(about, &notes);
  EXPECT_FALSE(rows.empty());
  for (const row& one : rows) EXPECT_TRUE(one.name.starts_with(same_prefix)) << one.name;
  EXPECT_EQ(by_id(about.claims(rows, tiny), "dups_same_result").met(), false);
  EXPECT_FALSE(by_id(about.claims(rows, tiny), "dups_worst_queue").measured);
  EXPECT_TRUE(has(notes.front(), "nothing was timed")) << notes.front();
}

TEST(dups_experiment, a_failure_of_ours_fails_and_one_of_a_rival_is_noted) {
  const scratch_folder folder;
  const experiments::experiment about =
      experiments::dups_experiment({folder.write("tool", "#!/bin/sh\necho broken >&2; exit 4\n", true)});
  try {
    static_cast<void>(about.parts(tiny).front().run());
    ADD_FAILURE() << "it should have failed";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(has(error.what(), "exit code 4") && has(error.what(), "broken")) << error.what();
  }
}

TEST(dups_experiment, without_the_tool_is_left_out) {
  std::vector<std::string> notes;
  EXPECT_TRUE(rows_of(experiments::dups_experiment({}), &notes).empty());
  EXPECT_EQ(notes.size(), 5U);
  EXPECT_TRUE(experiments::usual_dups_tool().empty()) << "this program is a test";
}

// --- Claims from made-up rows.

row made_up(const std::string& name, const std::string& impl, double workers, std::vector<double> samples) {
  return {.suite = suite_name,
          .name = name,
          .impl = impl,
          .params = {{"workers", workers}},
          .unit = "ms",
          .samples = std::move(samples),
          .ratio_to_sequential = {}};
}

TEST(dups_claims, sameness_needs_everybody) {
  std::vector<row> rows = {made_up("same-result/thesis", "pilfer", 2, {1}),
                           made_up("same-result/skewed", "jdupes", 2, {1})};
  EXPECT_EQ(by_id(claims_of(rows), "dups_same_result").met(), true);
  rows.push_back(made_up("same-result/thesis", "bwos-lifo", 2, {0}));
  const claim wrong = by_id(claims_of(rows), "dups_same_result");
  EXPECT_EQ(wrong.met(), false);
  EXPECT_TRUE(has(wrong.note, "bwos-lifo on thesis")) << wrong.note;
  // Who failed or was too slow is named.
  EXPECT_TRUE(has(wrong.note, "; not compared: jdupes on thesis")) << wrong.note;
  EXPECT_FALSE(has(wrong.note, "jdupes on skewed")) << wrong.note;
}

TEST(dups_claims, the_worst_queue_is_judged_with_and_without_load) {
  std::vector<row> rows = {
      made_up("queues/thesis", "default", 2, {100, 100}), made_up("queues/thesis", "bwos-lifo", 2, {104, 104}),
      made_up("queues/thesis", "abp", 2, {102, 102}), made_up("queues/thesis+load", "default", 2, {200, 200}),
      made_up("queues/thesis+load", "bwos-lifo", 2, {202, 202})};
  const claim good = by_id(claims_of(rows), "dups_worst_queue");
  EXPECT_DOUBLE_EQ(good.measured->value, 1.04);
  EXPECT_EQ(good.met(), true);
  EXPECT_EQ(good.paper, 1.5);
  rows.push_back(made_up("queues/thesis+load", "abp", 2, {220, 220}));
  EXPECT_DOUBLE_EQ(by_id(claims_of(rows), "dups_worst_queue").measured->value, 1.1);
  EXPECT_EQ(by_id(claims_of(rows), "dups_worst_queue").met(), false);
}

TEST(dups_claims, the_worst_case_against_a_rival_counts) {
  const std::vector<row> rows = {
      made_up("thesis/warm", "pilfer", 1, {50, 50, 50}),  made_up("thesis/warm", "jdupes", 1, {100, 100}),
      made_up("thesis/warm", "pilfer", 2, {90, 90, 90}),  made_up("thesis/warm", "jdupes", 2, {100, 100, 100}),
      made_up("skewed/cold", "pilfer", 2, {240, 240, 1}), made_up("skewed/cold", "jdupes", 2, {200, 200}),
      made_up("skewed/cold", "fdupes", 2, {480, 480})};
  const std::vector<claim> claims = claims_of(rows);
  const claim worst = by_id(claims, "dups_vs_jdupes");
  EXPECT_DOUBLE_EQ(worst.measured->value, 1.2);
  EXPECT_EQ(worst.met(), false);
  EXPECT_TRUE(has(worst.note, "the worst: skewed/cold, 2")) << worst.note;
  EXPECT_TRUE(has(worst.note, "thesis/warm, 1 0.50")) << worst.note;
  EXPECT_FALSE(has(worst.note, "left out")) << worst.note;
  EXPECT_TRUE(has(by_id(claims, "dups_vs_fdupes").note, "left out: thesis/warm, 1; thesis/warm, 2"));
  EXPECT_DOUBLE_EQ(by_id(claims, "dups_vs_fdupes").measured->value, 0.5);
  EXPECT_EQ(by_id(claims, "dups_vs_fdupes").met(), true);
  EXPECT_TRUE(has(by_id(claims, "dups_vs_rdfind").note, "cannot be shown on this machine: rdfind"));
}

TEST(dups_claims, warm_alone_says_so) {
  const std::vector<row> rows = {made_up("thesis/warm", "pilfer", 1, {50}), made_up("thesis/warm", "jdupes", 1, {100})};
  EXPECT_TRUE(has(by_id(claims_of(rows), "dups_vs_jdupes").note, "cannot be shown on this machine: with a cold cache"));
}

TEST(dups_claims, without_rows_there_is_no_figure_and_no_chart) {
  for (const claim& one : claims_of({})) {
    EXPECT_FALSE(one.measured) << one.id;
    EXPECT_TRUE(has(one.note, "cannot be shown on this machine")) << one.id;
  }
  EXPECT_EQ(claims_of({}).size(), 6U);
  EXPECT_TRUE(charts_of({}).empty());
}

// --- Taking turns.

TEST(dups_contest, who_has_used_its_time_takes_no_further_part) {
  const scratch_corpus files(thesis_corpus({.folders = 1, .files = 4, .bytes = 1000}));
  finder quick{.name = own_name, .command = {}, .parse = parse_own};
  quick.command = [](const search_request&) { return std::vector<std::string>{"/bin/echo", R"({"groups":[]})"}; };
  finder slow = quick;
  slow.name = "slow";
  slow.command = [](const search_request&) { return std::vector<std::string>{"/bin/sleep", "0.05"}; };
  finder other = slow;
  other.name = "other";
  other.command = quick.command;
  const search_request how{.root = {}, .workers = 1, .results_file = {}};
  const auto fresh = [&] {
    std::vector<participant> some;
    for (const finder& one : {quick, slow, other}) some.emplace_back(one, files, how);
    return some;
  };
  std::vector<participant> all = fresh();
  std::size_t calls = 0;
  compete(all, {.title = "test", .most_repetitions = 3, .seconds_each = 0.04, .before_each = [&] { ++calls; }});
  EXPECT_EQ(all[1].runs().size(), 1U) << "the first run was longer than all its time";
  EXPECT_GE(all[0].runs().size(), all[2].runs().size()) << "ours goes on as long as anybody does";
  EXPECT_GE(all[2].runs().size(), 1U);
  EXPECT_EQ(calls, all[0].runs().size() + all[1].runs().size() + all[2].runs().size());
  compete(all = fresh(), {.title = "test", .most_repetitions = 2, .seconds_each = 5.0, .least_repetitions = 2});
  for (const participant& one : all) EXPECT_EQ(one.runs().size(), 2U) << one.who().name;
  compete(all = fresh(), {.title = "test", .most_repetitions = 3, .seconds_each = 0.0, .least_repetitions = 2});
  for (const participant& one : all) EXPECT_EQ(one.runs().size(), 1U) << "used up: " << one.who().name;
}

}  // namespace
}  // namespace pilfer::lab::dups
