// Levels that do not exist, ages that cannot be, and calls that look alike: refused before anything happens, and with a reason.
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/priority.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "priorities/priority_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

// What it says, if it is std::invalid_argument.
template <class F>
std::string refusal_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}
void expect_mentions(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' does not mention '" << part << "'";
}

// --- Without a pool.

static_assert(std::is_trivially_copyable_v<priority>);
static_assert(!std::is_convertible_v<unsigned, priority>, "a number is not taken for a priority by accident");
static_assert(!std::is_default_constructible_v<priority>);
static_assert(priority(1) == priority(1) && priority(1) != priority(2));
static_assert(priority::high == priority::high && priority::high != priority::low && priority::normal != priority::low);
static_assert(priority::high != priority(0), "which number a name is depends on the pool");
static_assert(most_levels == 8);

TEST(priority_values, levels_of_names_and_numbers) {
  for (unsigned levels = 1; levels <= most_levels; ++levels) {
    EXPECT_EQ(priority::high.level_in(levels), 0U);
    EXPECT_EQ(priority::normal.level_in(levels), levels / 2);
    EXPECT_EQ(priority::low.level_in(levels), levels - 1);
    for (unsigned level = 0; level < levels; ++level) EXPECT_EQ(priority(level).level_in(levels), level);
    for (const unsigned level :
         {levels, levels + 1, 8U, 9U, 254U, 255U, 256U, 65'536U, std::numeric_limits<unsigned>::max()}) {
      const std::string said = refusal_of([&] { static_cast<void>(priority(level).level_in(levels)); });
      expect_mentions(said, {"pilfer", "level", std::to_string(level), std::to_string(levels - 1)});
    }
  }
}

class bad_input : public on_levels {};

// --- Options.

TEST_P(bad_input, numbers_of_levels) {
  for (const unsigned levels : {0U, 9U, 10U, 255U, 256U, 257U, std::numeric_limits<unsigned>::max()}) {
    const std::string said = refusal_of([&] { const pool home(with_levels(levels, 2)); });
    expect_mentions(said, {"pilfer", "level", std::to_string(levels), "8"});
  }
  for (unsigned levels = 1; levels <= most_levels; ++levels) {
    pool home(with_levels(levels, 1));
    EXPECT_EQ(home.levels(), levels);
    EXPECT_EQ(home.statistics().levels, levels);
    EXPECT_EQ(home.submit([] { return 1; }).get(), 1);
  }
}

TEST_P(bad_input, ages) {
  for (const std::chrono::nanoseconds age : {-1ns, std::chrono::nanoseconds(-1h), std::chrono::nanoseconds::min()}) {
    for (const unsigned levels : {1U, 3U}) {
      pool_options chosen = with_levels(levels, 2);
      chosen.ageing = age;
      expect_mentions(refusal_of([&] { const pool home(chosen); }), {"pilfer", "ageing"});
    }
  }
  // As long as one likes.
  pool_options chosen = with_levels(3, 1);
  chosen.ageing = std::chrono::nanoseconds::max();
  pool home(chosen);
  ledger all(30);
  task_group group(home);
  for (std::size_t i = 0; i < all.size(); ++i)
    group.at(priority(static_cast<unsigned>(i % 3))).spawn([&, i] { all.mark(i); });
  group.wait();
  all.expect_each_once();
  EXPECT_EQ(home.statistics().total().aged, 0U);
}

// --- Priorities.

// Not moved from unless it is taken.
struct movable {
  std::unique_ptr<int> held = std::make_unique<int>(1);
  ledger* runs = nullptr;
  void operator()() const { runs->mark(0); }
};

// All calls that take a priority, with one that the pool has not.
void expect_refused(pool& home, priority bad, const std::vector<std::string>& reason) {
  ledger runs(1);
  movable task;
  task.runs = &runs;
  task_group group(home);
  const std::uint64_t before = home.statistics().total().tasks;
  expect_mentions(refusal_of([&] { group.at(bad).spawn(std::move(task)); }), reason);
  expect_mentions(refusal_of([&] { static_cast<void>(group.at(bad).submit(std::move(task))); }), reason);
  expect_mentions(refusal_of([&] { static_cast<void>(home.at(bad).submit(std::move(task))); }), reason);
  expect_mentions(refusal_of([&] { home.at(bad).detach(std::move(task)); }), reason);
  expect_mentions(refusal_of([&] { static_cast<void>(home.at(bad).async(std::move(task))); }), reason);
  if (worker_index()) {
    expect_mentions(refusal_of([&] { static_cast<void>(pilfer::at(bad).submit(std::move(task))); }), reason);
    const priority here = current_priority();
    expect_mentions(refusal_of([&] { with_priority(bad, std::ref(task)); }), reason);
    EXPECT_EQ(current_priority(), here);
  }
  EXPECT_TRUE(task.held != nullptr) << "moved from";
  EXPECT_EQ(group.unfinished(), 0U);
  EXPECT_EQ(group.wait().failed, 0U);
  EXPECT_EQ(runs.marked(), 0U);
  EXPECT_EQ(home.statistics().total().tasks, before);
  // Everything goes on as before.
  group.at(priority::low).spawn(std::move(task));
  group.wait();
  runs.expect_each_once();
}

TEST_P(bad_input, priorities) {
  for (const std::size_t workers : {1U, 2U}) {
    for (const unsigned levels : {1U, 2U, 3U, 8U}) {
      SCOPED_TRACE(std::to_string(levels) + " levels");
      pool home(with_levels(levels, workers));
      for (const unsigned level :
           {levels, levels + 1, 255U, 256U, 256U + levels - 1, std::numeric_limits<unsigned>::max()}) {
        const std::vector<std::string> reason{"pilfer", "level", std::to_string(level), std::to_string(levels - 1)};
        expect_refused(home, priority(level), reason);
        home.run([&] { expect_refused(home, priority(level), reason); });
        home.at(priority::low).submit([&] { expect_refused(home, priority(level), reason); }).get();
      }
      expect_consistent(home);
    }
  }
}

// Outside, a section knows no pool: where one has no such level, it is the pool's last. A priority given to the call itself is still checked.
TEST_P(bad_input, priorities_of_sections_outside) {
  ledger runs(1);
  pool home(with_levels(2, 2));
  const auto here = [] { return level_here(2); };
  for (const unsigned level : {2U, 5U, most_levels - 1}) {
    with_priority(priority(level), [&] {
      EXPECT_EQ(current_priority(), priority(level));
      task_group group(home);
      EXPECT_EQ(group.submit(here).get(), 1U);
      EXPECT_EQ(home.submit(here).get(), 1U);
      auto standard = home.async(here);
      EXPECT_EQ(standard.get(), 1U);
      group.spawn([&] { EXPECT_EQ(here(), 1U); });
      group.wait();
      EXPECT_EQ(home.run(here), 1U);
      expect_mentions(refusal_of([&] { group.at(priority(level)).spawn([&] { runs.mark(0); }); }), {"pilfer", "level"});
      EXPECT_EQ(home.at(priority::high).submit(here).get(), 0U);
      EXPECT_EQ(with_priority(priority::high, [&] { return home.submit(here).get(); }), 0U);
      EXPECT_EQ(current_priority(), priority(level));
    });
  }
  // No pool has these.
  for (const unsigned level : {most_levels, 255U, 256U, std::numeric_limits<unsigned>::max()})
    expect_mentions(refusal_of([&] { with_priority(priority(level), [&] { runs.mark(0); }); }), {"pilfer", "level"});
  EXPECT_EQ(current_priority(), priority::normal);
  EXPECT_EQ(home.submit(here).get(), 1U) << "normal";
  EXPECT_EQ(runs.marked(), 0U);
}

TEST_P(bad_input, nothing_to_call) {
  pool home(with_levels(3, 1));
  task_group group(home);
  void (*const null)() = nullptr;
  const std::function<void()> empty;
  EXPECT_THROW(group.at(priority::low).spawn(null), std::invalid_argument);
  EXPECT_THROW(group.at(priority::low).spawn(empty), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(home.at(priority(1)).submit(null)), std::invalid_argument);
  EXPECT_THROW(home.at(priority(1)).detach(empty), std::invalid_argument);
  EXPECT_EQ(group.unfinished(), 0U);
  group.wait();
}

// --- Calls that look alike: a priority may be an argument of the task, too.

TEST_P(bad_input, priorities_as_arguments) {
  pool home(with_levels(3, 1));
  const auto which = [](priority p) { return p.level_in(3); };
  const auto both = [](priority p, int n) {
    return p.level_in(3) * 100 + level_here(3) * 10 + static_cast<unsigned>(n);
  };
  const auto check = [&] {
    const priority low = priority::low;
    priority changeable = priority::high;
    const unsigned here = worker_index() ? level_here(3) : 1;
    EXPECT_EQ(home.submit(which, priority::low).get(), 2U);
    EXPECT_EQ(home.submit(which, low).get(), 2U);
    EXPECT_EQ(home.submit(both, low, 7).get(), 207U + 10 * here);
    EXPECT_EQ(home.at(changeable).submit(both, low, 7).get(), 207U);
    EXPECT_EQ(home.at(std::move(changeable)).submit(both, priority(1), 7).get(), 107U);
    EXPECT_EQ(submit(which, low).get(), 2U);
    task_group group(home);
    unsigned seen = 0;
    group.spawn([&](priority p) { seen = p.level_in(3); }, low);
    group.wait();
    EXPECT_EQ(seen, 2U);
    group.at(changeable).spawn([&](priority p) { seen = 10 * p.level_in(3) + level_here(3); }, priority(1));
    group.wait();
    EXPECT_EQ(seen, 10U);
    EXPECT_EQ(group.at(low).submit(which, priority::normal).get(), 1U);
    auto standard = home.async(which, low);
    EXPECT_EQ(pilfer::get(standard), 2U);
    countdown end(1);
    home.detach(
        [&](priority p) {
          seen = p.level_in(3);
          end.down();
        },
        low);
    const blocking_region region;
    end.wait();
    EXPECT_EQ(seen, 2U);
  };
  check();
  home.run(check);
}

PILFER_ON_EVERY_SCHEDULER(bad_input);

}  // namespace
}  // namespace pilfer::test
