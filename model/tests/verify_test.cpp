// The verification of the queues: its runs, its known faults, and that its properties can fail.
#include "model/verify/verify.hpp"

#include <gtest/gtest.h>

#include <string>

#include "model/verify/clients.hpp"
#include "model/verify/run.hpp"

namespace pilfer::model::verify {
namespace {

TEST(verify_run, text_is_read_back_as_written) {
  for (const subject& s : subjects()) {
    for (const client& c : clients()) {
      for (const run& r : c.runs(s)) EXPECT_EQ(run::parse(r.text()).text(), r.text()) << s.name << " " << c.name;
    }
  }
}

TEST(verify_run, bad_text_is_refused) {
  for (const char* text : {"", "+", "+/s", "q/s/2", "+/q/2", "+/s/", "+/s/x", "+/s/2x", "+/s/2/odd",
                           "+/s/2/killed=", "+/s/2/killed=q", "+/s,s,s,s,s,s/2", "+/s/2/narrow/more", "+/s/1234567"}) {
    EXPECT_THROW(static_cast<void>(run::parse(text)), bad_replay) << text;
  }
}

TEST(verify, every_known_fault_is_found_and_every_control_passes) {
  settings how;
  how.queues = {"faults", "conjecture"};
  const std::vector<row> rows = verify(how, {}, {});
  EXPECT_GT(rows.size(), 30U);
  for (const row& r : rows) EXPECT_TRUE(r.as_expected()) << r.queue << " " << r.client << ": " << r.failed.text;
}

TEST(verify, a_failure_comes_with_a_replay_that_shows_it_again) {
  settings how;
  how.queues = {"faults"};
  how.client = "no-fence-in-pop";
  const std::vector<row> rows = verify(how, {}, {});
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_FALSE(rows[0].failed.replay.empty());
  const replayed again = replay(rows[0].failed.replay);
  EXPECT_EQ(again.outcome.failed.what, rows[0].failed.what);
  EXPECT_EQ(again.trace, rows[0].failed.trace);
}

TEST(verify, bad_replays_and_names_are_refused) {
  for (const char* text : {"", "abp", "abp/+/s/2", "nobody/+/s/2/e:0", "abp/+/s/2/e:0x900", "abp/+/s/0/e:0",
                           "abp/+/s/2/z:0", "faults:nobody/+/s/2/e:0"}) {
    EXPECT_THROW(static_cast<void>(replay(text)), bad_replay) << text;
  }
  settings how;
  how.queues = {"nobody"};
  EXPECT_THROW(static_cast<void>(verify(how, {}, {})), std::invalid_argument);
  how.queues = {};
  how.client = "nobody";
  EXPECT_THROW(static_cast<void>(verify(how, {}, {})), std::invalid_argument);
}

// A run of a broken queue fails: no test that cannot.
TEST(verify, a_broken_order_fails_a_run) {
  const subject& s = subject_called("abp");
  for (const named_order& o : s.orders()) {
    const std::memory_order shipped = *o.value;
    *o.value = std::memory_order_relaxed;
    bool caught = false;
    for (const run& r : client_called("small").runs(s)) caught = caught || !s.check(r, {}).passed();
    *o.value = shipped;
    EXPECT_TRUE(caught) << o.name;
  }
}

// The hint that the runs leave out decides about nothing but itself: with it there are more graphs, and they pass too.
TEST(verify, the_hint_that_is_left_out_changes_nothing_but_the_number_of_graphs) {
  for (const char* name : {"abp", "chase-lev"}) {
    const subject& s = subject_called(name);
    const result without = s.check(run::parse("++-/s,s/2"), {});
    const result with = s.check(run::parse("++-/s,s/2/hints"), {});
    EXPECT_TRUE(without.passed());
    EXPECT_TRUE(with.passed()) << with.failed.text;
    EXPECT_GT(with.graphs, without.graphs) << name;
  }
}

TEST(verify, small_runs_of_every_queue_pass) {
  settings how;
  how.client = "late-thief";
  for (const row& r : verify(how, {}, {})) EXPECT_TRUE(r.as_expected()) << r.queue << ": " << r.failed.text;
}

// Its orders are relaxed already: what must be found are the faults of its rules.
TEST(verify, levels_leave_nothing_to_weaken) {
  settings how;
  how.queues = {"levels"};
  EXPECT_TRUE(try_mutants(how, {}).empty());
  std::size_t faults = 0;
  for (const std::string& name : client_names()) {
    if (name.starts_with("levels-")) ++faults;
  }
  EXPECT_EQ(faults, 8U);  // one of them is the control
}

TEST(verify, places_leave_nothing_to_weaken) {
  settings how;
  how.queues = {"places"};
  EXPECT_TRUE(try_mutants(how, {}).empty());
  std::size_t faults = 0;
  for (const std::string& name : client_names()) {
    if (name.starts_with("places-")) ++faults;
  }
  EXPECT_EQ(faults, 10U);
}

// One run of each queue that has marks: an old item, the mark, two more; one thief takes anything, the other from the mark.
TEST(verify, what_is_older_than_a_mark_stays) {
  std::size_t queues = 0;
  for (const subject& s : subjects()) {
    if (!s.traits.marks) continue;
    ++queues;
    const char* const owner = s.traits.split ? "+emA+e-" : "+mA+-";
    const result r = s.check(run::parse(std::string(owner) + "/s,wM/" + (s.blocks ? "2x1" : "2")), {});
    EXPECT_TRUE(r.passed()) << s.name << ": " << r.failed.text;
    EXPECT_TRUE(r.exhausted) << s.name;
  }
  EXPECT_GE(queues, 8U);
}

TEST(verify, half_of_the_public_part_comes_back_unharmed) {
  const subject& s = subject_called("split");
  for (const char* text : {"++ee--/ss/2/lace", "+++eee-/ss/4/lace"}) {
    const result r = s.check(run::parse(text), {});
    EXPECT_TRUE(r.passed()) << r.failed.text;
    EXPECT_TRUE(r.exhausted);
  }
}

}  // namespace
}  // namespace pilfer::model::verify
