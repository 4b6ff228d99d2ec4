#include "lab/marking/marking.hpp"

#include <gtest/gtest.h>

#include <set>

#include "claim_by_id.hpp"
#include "lab/marking/markers.hpp"
#include "lab/measure/affinity.hpp"

namespace pilfer::lab::experiments {
namespace {

row made_up_marking(const char* impl, std::size_t workers, std::vector<double> samples) {
  return {.suite = "marking",
          .name = "mark",
          .impl = impl,
          .params = {{"workers", workers}},
          .unit = "ns/object",
          .samples = std::move(samples),
          .ratio_to_sequential = {}};
}

TEST(marking_claims, compare_times_of_the_same_repetition) {
  const std::vector<row> rows = {made_up_marking("abp", 2, {12, 24, 36}), made_up_marking("bwos-lifo", 2, {10, 20, 30}),
                                 made_up_marking("abp", 1, {1, 1, 1}), made_up_marking("chase-lev", 2, {5, 10, 15})};
  const auto claims = marking_experiment().claims(rows, {.how = effort::quick, .processors = 2});
  EXPECT_NEAR(by_id(claims, "marking_bwos_vs_abp").measured.value().value, 1.2, 1e-9);
  EXPECT_EQ(by_id(claims, "marking_bwos_vs_abp").paper, 1.25);
  EXPECT_NEAR(by_id(claims, "marking_bwos_vs_chase_lev").measured.value().value, 0.5, 1e-9);
  EXPECT_FALSE(by_id(claims, "marking_bwos_vs_abp").goal);
}

TEST(marking_claims, say_why_they_cannot_be_shown) {
  const std::vector<row> rows = {made_up_marking("abp", 2, {12}), made_up_marking("bwos-lifo", 1, {10})};
  for (const std::size_t processors : {1U, 2U}) {
    for (const claim& c : marking_experiment().claims(rows, {.how = effort::quick, .processors = processors})) {
      EXPECT_FALSE(c.measured) << c.id;
      EXPECT_EQ(c.note.find("cannot be shown on this machine: "), 0U) << c.note;
    }
  }
}

TEST(marking, marks_everything_once_on_every_queue) {
  const settings given{.how = effort::tiny, .processors = 2};
  const experiment all = marking_experiment();
  std::vector<row> rows;
  for (const part& one : all.parts(given)) {
    for (const row& r : one.run().rows) rows.push_back(r);
  }
  EXPECT_EQ(rows.size(), 2 + 2 * marking::queue_kinds().size());
  for (const claim& c : all.claims(rows, given)) EXPECT_TRUE(c.measured) << c.id;
  std::set<std::string> ids;
  for (const page::chart& c : all.charts(rows)) {
    EXPECT_TRUE(ids.insert(c.id).second) << c.id;
    EXPECT_EQ(c.id.find("marking"), 0U);
    EXPECT_EQ(c.lines_or_groups.size(), 2U);
    EXPECT_TRUE(c.reference);
  }
  EXPECT_FALSE(ids.empty());
  EXPECT_TRUE(all.charts({}).empty());
}

// Many more references than a queue has room for, and more threads than processors.
TEST(marking, survives_full_queues_and_crowds) {
  marking::heap objects(60'000);
  for (const marking::queue_kind& kind : marking::queue_kinds()) {
    for (const std::size_t threads : {1U, 5U}) {
      marking::mark_counts counts;
      objects.clear_marks();
      static_cast<void>(kind.make(threads, allowed_processors())(objects, counts));
      EXPECT_NO_THROW(objects.check(kind.name, counts.objects)) << kind.name;
      if (kind.name == "bwos-fifo" && threads == 1) {
        EXPECT_GT(counts.overflowed, 0U);
      }
    }
  }
}

TEST(heap, notices_what_is_not_marked_or_was_scanned_twice) {
  marking::heap objects(1'000);
  EXPECT_THROW(objects.check("nobody", {}), std::runtime_error);
  marking::mark_counts counts;
  static_cast<void>(marking::serial_marker()(objects, counts));
  EXPECT_NO_THROW(objects.check("serial", counts.objects));
  EXPECT_LT(counts.objects.count, objects.objects());  // there is garbage
  counts.objects.add(0);
  EXPECT_THROW(objects.check("serial", counts.objects), std::runtime_error);
  EXPECT_THROW(marking::heap(2), std::invalid_argument);
}

TEST(heap, notices_marked_garbage) {
  marking::heap objects(20'000);
  marking::mark_counts counts;
  static_cast<void>(marking::serial_marker()(objects, counts));
  for (marking::object one = 0; one < objects.objects(); ++one) {
    if (objects.mark_alone(one)) break;
  }
  EXPECT_THROW(objects.check("somebody", counts.objects), std::runtime_error);
}

}  // namespace
}  // namespace pilfer::lab::experiments
