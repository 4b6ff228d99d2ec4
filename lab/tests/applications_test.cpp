#include <gtest/gtest.h>

#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "claim_by_id.hpp"
#include "lab/applications/application.hpp"
#include "lab/applications/charts.hpp"
#include "lab/applications/claims.hpp"
#include "lab/applications/experiment.hpp"
#include "lab/applications/kit_session.hpp"
#include "lab/applications/merge.hpp"
#include "lab/applications/primitives.hpp"
#include "lab/applications/serial_kit.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {
namespace {

using experiments::settings;
constexpr settings two_processors{.how = effort::quick, .processors = 2};

row made_up(const std::string& program, const char* kit, const std::string& impl, std::size_t workers,
            std::vector<double> ms) {
  row r{.suite = "programs",
        .name = program,
        .impl = impl,
        .params = {{"size", 10}, {"workers", workers}, {"kit", kit}},
        .unit = "ms",
        .samples = std::move(ms),
        .ratio_to_sequential = estimate{1, 1, 1}};
  r.extra["voluntary_switches"] = 3;
  r.extra["involuntary_switches"] = 1;
  r.extra["tasks_stolen"] = nullptr;
  if (std::string(kit) == pilfer_name) r.extra["tasks_stolen"] = 5;
  return r;
}

// Ours takes `ours` and the best peer `best`; a slower peer, other queues and other worker counts are there, too.
void add_program(std::vector<row>& rows, const std::string& name, const std::vector<double>& ours,
                 const std::vector<double>& best) {
  const std::vector<double> slow(ours.size(), 100);
  const std::vector<double> fast(ours.size(), 0.001);
  rows.push_back(made_up(name, serial_name, "serial", 0, fast));
  rows.push_back(made_up(name, pilfer_name, "default", 1, slow));
  rows.push_back(made_up(name, tbb_name, "onetbb", 1, fast));
  rows.push_back(made_up(name, pilfer_name, "default", 2, ours));
  rows.push_back(made_up(name, pilfer_name, "bwos-lifo", 2, std::vector<double>(ours.size(), 20)));
  rows.push_back(made_up(name, openmp_name, "openmp", 2, slow));
  rows.push_back(made_up(name, tbb_name, "onetbb", 2, best));
}

TEST(application_claims, nothing_measured_is_said) {
  for (const std::vector<claim>& claims : {program_claims({}, two_processors), quicksort_claims({}, two_processors)}) {
    for (const claim& c : claims) {
      EXPECT_FALSE(c.measured) << c.id;
      EXPECT_TRUE(c.note.starts_with("cannot be shown on this machine: ")) << c.note;
    }
  }
  // One worker shows nothing of stealing.
  std::vector<row> alone{made_up("fib", pilfer_name, "default", 1, {1}), made_up("fib", tbb_name, "onetbb", 1, {2})};
  EXPECT_FALSE(by_id(program_claims(alone, {.how = effort::quick, .processors = 1}), "programs_best_share").measured);
}

TEST(application_claims, a_program_counts_by_its_median_and_doubts_are_the_interval) {
  std::vector<row> rows;
  add_program(rows, "faster", {10, 10, 10}, {12, 12, 12});
  add_program(rows, "alike", {10, 12, 11, 12}, {11, 11, 11, 11});
  add_program(rows, "slower", {12, 12, 12}, {10, 10, 10});
  const claim share = by_id(program_claims(rows, two_processors), "programs_best_share");
  ASSERT_TRUE(share.measured);
  EXPECT_NEAR(share.measured->value, 1.0 / 3, 1e-9);
  EXPECT_NEAR(share.measured->low, 1.0 / 3, 1e-9);
  EXPECT_NEAR(share.measured->high, 2.0 / 3, 1e-9);
  EXPECT_EQ(share.met(), false);
  EXPECT_NE(share.note.find("slower takes 1.20 of onetbb's time"), std::string::npos) << share.note;

  rows.resize(rows.size() / 3);
  EXPECT_EQ(by_id(program_claims(rows, two_processors), "programs_best_share").met(), true);
}

TEST(application_claims, the_worst_queue_is_that_of_the_worst_program) {
  std::vector<row> rows;
  add_program(rows, "small", {18, 18, 18}, {1, 1, 1});
  add_program(rows, "large", {5, 5, 5}, {1, 1, 1});
  const claim worst = by_id(program_claims(rows, two_processors), "programs_worst_queue");
  ASSERT_TRUE(worst.measured);
  EXPECT_NEAR(worst.measured->value, 4, 1e-9);
  EXPECT_TRUE(worst.note.starts_with("large: bwos-lifo")) << worst.note;
  EXPECT_FALSE(worst.goal);
}

TEST(application_claims, quicksort_compares_all_queues_and_block_sizes) {
  std::vector<row> rows{made_up("quicksort", serial_name, "serial", 0, {90}),
                        made_up("quicksort", pilfer_name, "ws-abp", 2, {50}),
                        made_up("quicksort", pilfer_name, "bwos-lifo(8)", 2, {52}),
                        made_up("quicksort", pilfer_name, "bwos-lifo(64)", 2, {54})};
  EXPECT_EQ(quicksort_claims(rows, two_processors).front().met(), true);
  rows.push_back(made_up("quicksort", pilfer_name, "bwos-fifo(256)", 2, {56}));
  const claim missed = quicksort_claims(rows, two_processors).front();
  EXPECT_EQ(missed.met(), false);
  EXPECT_NEAR(missed.measured->value, 1.12, 1e-9);
}

TEST(application_charts, are_filled_and_have_ids_of_their_own) {
  EXPECT_TRUE(program_charts({}).empty());
  EXPECT_TRUE(quicksort_charts({}).empty());
  std::vector<row> rows;
  for (int i = 0; i < 10; ++i) add_program(rows, std::to_string(i), {10}, {10});
  std::vector<page::chart> charts = program_charts(rows);
  EXPECT_EQ(charts.size(), 7U);  // boxes, twice two of bars, switches, stolen
  for (page::chart& one : quicksort_charts(rows)) charts.push_back(std::move(one));
  std::set<std::string> ids;
  for (const page::chart& one : charts) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    ASSERT_FALSE(one.lines_or_groups.empty()) << one.id;
    for (const page::series& each : one.lines_or_groups) EXPECT_FALSE(each.points.empty()) << one.id;
  }
}

// --- Building blocks.

TEST(application_primitives, scan_pack_and_reduce) {
  constexpr std::size_t size = 3 * primitive_block + 5;
  std::vector<int> values(size, 2);
  EXPECT_EQ((exclusive_scan<serial_kit>(std::span(values))), static_cast<int>(2 * size));
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[primitive_block], static_cast<int>(2 * primitive_block));
  EXPECT_EQ(values.back(), static_cast<int>(2 * (size - 1)));

  std::vector<std::size_t> odd(size);
  const auto identity = [](std::size_t i) { return i; };
  odd.resize(pack<serial_kit>(size, odd.data(), [](std::size_t i) { return i % 2 == 1; }, identity));
  ASSERT_EQ(odd.size(), size / 2);
  EXPECT_EQ(odd.front(), 1U);
  EXPECT_EQ(odd[odd.size() / 2], odd.size() / 2 * 2 + 1);

  const auto sum =
      reduce<serial_kit>(0, 1000, 7, [](std::size_t begin, std::size_t end) { return end - begin; }, std::plus<>{});
  EXPECT_EQ(sum, 1000U);
}

TEST(application_primitives, merge_sort_sorts_every_size) {
  xorshift random;
  for (const std::size_t size : {0UL, 1UL, 2UL, 24UL, 25UL, 2047UL, 2048UL, 5000UL, 10'001UL}) {
    std::vector<std::uint64_t> values(size);
    for (std::uint64_t& one : values) one = random.next() % 100;
    std::vector<std::uint64_t> right = values;
    std::sort(right.begin(), right.end());
    std::vector<std::uint64_t> room(size);
    merge_sort_with<serial_kit>(values.data(), room.data(), size, std::less<>{});
    EXPECT_EQ(values, right) << size;
  }
}

// --- Programs.

TEST(applications, an_answer_that_was_not_given_is_wrong) {
  for (const application_entry& entry : applications()) {
    const auto what = entry.make(effort::tiny);
    EXPECT_EQ(what->name(), entry.name);
    EXPECT_FALSE(what->text().empty());
    what->reset();
    try {
      what->check("nobody");
      FAIL() << entry.name << " takes no answer for one";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("nobody"), std::string::npos) << error.what();
    }
    run_log log;
    find_kit(serial_name)->make(0, {})->run(*what, log);  // throws if it is wrong
  }
}

TEST(applications, names_are_unique) {
  std::set<std::string> names;
  for (const application_entry& entry : applications()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  EXPECT_GE(names.size(), 14U);
}

TEST(applications, more_workers_than_processors_find_the_same) {
  const auto crowd = find_kit(pilfer_name)->make(4, {"ws-chase-lev"});
  for (const application_entry& entry : applications()) {
    const auto what = entry.make(effort::tiny);
    run_log log;
    crowd->run(*what, log);
    json known;
    log.write_to(known);
    EXPECT_TRUE(known["tasks_stolen"].is_number()) << entry.name;
  }
}

// --- Experiments, from end to end.

void run_all(const experiments::experiment& what) {
  const settings given{.how = effort::tiny, .processors = 2};
  std::vector<row> rows;
  for (const experiments::part& part : what.parts(given)) {
    for (row& r : part.run().rows) {
      EXPECT_EQ(r.suite, what.name);
      for (const char* key : {"voluntary_switches", "involuntary_switches", "tasks_stolen", "io_continuations_stolen",
                              "oversubscribed"}) {
        EXPECT_TRUE(r.extra.contains(key)) << r.name << " " << r.impl << " " << key;
      }
      rows.push_back(std::move(r));
    }
  }
  EXPECT_FALSE(what.charts(rows).empty());
  for (const claim& c : what.claims(rows, given)) EXPECT_TRUE(c.measured || !c.note.empty()) << c.id;
}

TEST(applications_experiment, programs) { run_all(experiments::programs_experiment()); }
TEST(applications_experiment, quicksort) { run_all(experiments::quicksort_experiment()); }

}  // namespace
}  // namespace pilfer::lab::applications
