#include "lab/tune/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>

namespace pilfer::lab::tune {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// --- A child.

TEST(child_run, says_how_it_ended_and_what_it_used) {
  const child_run good = run_child(shell("exit 0"), {});
  EXPECT_TRUE(good.succeeded());
  EXPECT_GT(good.seconds, 0);
  EXPECT_GT(good.used.peak_kilobytes, 0);
  const child_run bad = run_child(shell("echo first >&2; echo last >&2; exit 3"), {});
  EXPECT_FALSE(bad.succeeded());
  EXPECT_EQ(bad.describe_ending(1s), "exit code 3");
  EXPECT_EQ(bad.complaints_end, "first\nlast\n");
  const child_run killed = run_child(shell("kill -SEGV $$"), {});
  EXPECT_FALSE(killed.succeeded());
  EXPECT_EQ(killed.describe_ending(1s), "signal 11 (Segmentation fault)");
}

TEST(child_run, measures_time_on_the_clock_and_of_the_processor) {
  const child_run asleep = run_child(shell("sleep 1"), {});
  EXPECT_GE(asleep.seconds, 1);
  EXPECT_LT(asleep.used.processor_seconds, asleep.seconds / 2);  // starting two programs takes some
  const child_run busy = run_child(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"), {});
  EXPECT_GT(busy.used.processor_seconds, 0);
}

TEST(child_run, one_that_does_not_end_is_killed_with_its_children) {
  const auto begin = std::chrono::steady_clock::now();
  const child_run endless = run_child(shell("sleep 1000 & sleep 1000"), {.limit = 200ms});
  EXPECT_EQ(endless.how, ending::out_of_time);
  EXPECT_EQ(endless.describe_ending(200ms), "it did not end within 0.2 s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST(child_run, is_not_kept_waiting_by_a_grandchild_that_holds_its_pipes) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(run_child(shell("sleep 30 & exit 0"), {.keeps_output = true}).succeeded());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST(child_run, gets_the_environment_and_no_input) {
  ::setenv("PILFER_TUNE_TEST", "ours", 1);
  EXPECT_TRUE(run_child(shell("test \"$PILFER_TUNE_TEST\" = ours"), {}).succeeded());
  EXPECT_TRUE(run_child(shell("test \"$PILFER_TUNE_TEST\" = theirs"), {.variables = {{"PILFER_TUNE_TEST", "theirs"}}})
                  .succeeded());
  EXPECT_TRUE(
      run_child(shell("test -z \"${PILFER_TUNE_TEST+set}\""), {.variables = {{"PILFER_TUNE_TEST", ""}}}).succeeded());
  ::unsetenv("PILFER_TUNE_TEST");
  EXPECT_TRUE(run_child({"cat"}, {}).succeeded()) << "standard input is empty";
}

TEST(child_run, does_not_inherit_ignored_signals) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(run_child(shell("kill -PIPE $$"), {}).describe_ending(1s), "signal 13 (Broken pipe)");
  std::signal(SIGPIPE, before);
}

TEST(child_run, tells_outputs_apart_however_long) {
  const run_conditions keeping{.keeps_output = true};
  const child_run a = run_child(shell("head -c 3000000 /dev/zero; echo a"), keeping);
  const child_run b = run_child(shell("head -c 3000000 /dev/zero; echo b"), keeping);
  const child_run again = run_child(shell("head -c 3000000 /dev/zero; echo a"), keeping);
  EXPECT_EQ(a.output_bytes, 3000002U);
  EXPECT_NE(a.output_hash, b.output_hash);
  EXPECT_EQ(a.output_hash, again.output_hash);
  EXPECT_TRUE(run_child(shell("head -c 3000000 /dev/zero"), {}).succeeded()) << "dropped, but written";
}

TEST(child_run, that_cannot_be_started_says_why) {
  const auto why = [](const std::vector<std::string>& command) -> std::string {
    try {
      static_cast<void>(run_child(command, {}));
      return "it ran";
    } catch (const std::system_error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(why({"./no-such-program"}), "cannot run './no-such-program': No such file or directory");
  EXPECT_EQ(why({"/etc/passwd"}), "cannot run '/etc/passwd': Permission denied");
  EXPECT_EQ(why({"/"}), "cannot run '/': Permission denied");
}

// --- The recommendation, from made-up samples.

trial made_up(const configuration& what, const std::vector<double>& seconds, const std::string& failure = {}) {
  trial one{.what = what, .runs = {}, .failure = failure};
  for (const double s : seconds) {
    child_run run;
    run.seconds = s;
    one.runs.push_back(run);
  }
  return one;
}

const configuration lace{.scheduler = "lace"};
const configuration blocks{.scheduler = "bwos-lifo", .block_entries = 64};

TEST(recommendation, is_the_fastest_beyond_its_interval) {
  const stage found{.name = "confirmation",
                    .trials = {made_up({}, {1.0, 1.1, 0.9, 1.0, 1.0}), made_up(lace, {0.9, 0.98, 0.81, 0.9, 0.9}),
                               made_up(blocks, {0.8, 0.9, 0.7, 0.8, 0.8})}};
  const auto best = recommend(found);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->what, blocks);
  EXPECT_NEAR(best->ratio.value, 0.8, 1e-9);
  const tuning all{.stages = {found}, .asks_pilfer = true, .advice = best};
  EXPECT_TRUE(has(advice_text(all), "PILFER_SCHEDULER=bwos-lifo PILFER_BLOCK_ENTRIES=64: 25 % faster ["))
      << advice_text(all);
  EXPECT_TRUE(has(advice_text(all), "set it in the environment or by pool_options::scheduler and block_entries"));
}

TEST(recommendation, is_none_within_the_interval_or_for_less_than_a_percent_or_of_what_failed) {
  const std::vector<double> base = {1, 1, 1, 1, 1};
  const auto advised = [&](const trial& other) {
    return recommend({.name = "confirmation", .trials = {made_up({}, base), other}}).has_value();
  };
  EXPECT_TRUE(advised(made_up(lace, {0.9, 0.9, 0.9, 0.9, 0.9})));
  EXPECT_FALSE(advised(made_up(lace, {0.8, 0.8, 0.8, 1.2, 1.2}))) << "the interval";
  EXPECT_FALSE(advised(made_up(lace, {0.995, 0.995, 0.995, 0.995, 0.995}))) << "half a percent";
  EXPECT_FALSE(advised(made_up(lace, {1.1, 1.1, 1.1, 1.1, 1.1}))) << "slower";
  EXPECT_FALSE(advised(made_up(lace, {0.5, 0.5, 0.5}, "exit code 3"))) << "failed in its fourth run";
  EXPECT_FALSE(recommend({}).has_value());
  EXPECT_TRUE(has(advice_text({}), "The default is fine"));
}

TEST(recommendation, stages_hand_on_the_fastest_only) {
  const stage found{.name = "schedulers",
                    .trials = {made_up({}, {1, 1, 1}), made_up(lace, {0.5, 0.5, 0.5}),
                               made_up({.scheduler = "bwos-lifo"}, {0.9, 0.9, 0.9}), made_up(blocks, {0.7, 0.7, 0.7}),
                               made_up({.scheduler = "ws-abp"}, {0.1, 0.1, 0.1}, "exit code 1")}};
  EXPECT_EQ(best_schedulers(found, 2), (std::vector<configuration>{lace, blocks}));
  EXPECT_EQ(best_schedulers(found, 9).size(), 3U) << "each scheduler once, the default too";
  EXPECT_EQ(promising({found}, 2), (std::vector<configuration>{lace, blocks}));
  EXPECT_EQ(promising({found}, 9).size(), 3U);
}

TEST(configurations, are_each_scheduler_once_and_blocks_where_there_are_some) {
  const auto all = scheduler_configurations({});
  EXPECT_TRUE(all.front().is_default());
  EXPECT_EQ(std::ranges::count_if(all, &configuration::is_default), 1);
  EXPECT_EQ(std::ranges::count(all, "bwos-fifo", &configuration::scheduler), 4);
  EXPECT_EQ(std::ranges::count(all, "ws-abp", &configuration::scheduler), 1);
  EXPECT_EQ(scheduler_configurations({"default"}).size(), 1U);
  EXPECT_THROW(static_cast<void>(scheduler_configurations({"bogus"})), std::invalid_argument);
  const auto victims = victim_configurations({blocks}, true);
  EXPECT_TRUE(victims.front().is_default());
  EXPECT_EQ(victims.size(), 6U);
  EXPECT_EQ(victims[1].name(), "bwos-lifo, blocks of 64, victim seq");
  EXPECT_GT(victim_configurations({blocks}, false).size(), victims.size());
}

// --- All of it, with a shell script as the program.

// Ends with 1 for a scheduler that there is not, as a program with a pool does.
std::string as_program(const std::string& body) {
  return "test \"$PILFER_SCHEDULER\" = none-such && { echo 'no such scheduler' >&2; exit 1; }\n" + body;
}
settings short_run(const std::string& script) {
  return {.command = shell(script), .schedulers = {"lace", "ws-abp"}, .repetitions = 3, .quick = true};
}
void drop(std::string_view) {}

TEST(tuning, recommends_what_is_faster) {
  // Long against what starting a program takes on a busy machine, and its hiccups: the interval must be below 1.
  const tuning found = tune(short_run(as_program("test \"$PILFER_SCHEDULER\" = lace || sleep 0.4")), drop);
  EXPECT_TRUE(found.asks_pilfer);
  ASSERT_EQ(found.stages.size(), 3U);
  ASSERT_TRUE(found.advice);
  EXPECT_EQ(found.advice->what.scheduler, "lace");
  EXPECT_LT(found.advice->ratio.high, 1);
  for (const stage& each : found.stages) {
    EXPECT_TRUE(each.trials.front().what.is_default()) << each.name;
    for (const trial& one : each.trials) EXPECT_EQ(one.runs.size(), 3U) << one.what.name();
  }
  report all;
  all.add(rows_of(found, "sh"));
  json document = json::parse(json_text(all, further_keys(found, {.command = {"sh"}, .schedulers = {}})));
  EXPECT_EQ(document["recommended"]["scheduler"], "lace");
  EXPECT_EQ(document["rows"][0]["name"], "sh/schedulers");
  EXPECT_EQ(document["rows"][0]["params"]["scheduler"], "default");
}

TEST(tuning, one_that_fails_is_reported_and_never_recommended) {
  const tuning found = tune(short_run(as_program("test \"$PILFER_SCHEDULER\" = lace && exit 7; sleep 0.02")), drop);
  const stage& first = found.stages.front();
  EXPECT_EQ(first.trials[2].what, lace);
  EXPECT_EQ(first.trials[2].failure, "exit code 7");
  EXPECT_TRUE(has(text_of(first), "lace: failed: exit code 7")) << text_of(first);
  if (found.advice) {
    EXPECT_NE(found.advice->what.scheduler, "lace");
  }
  EXPECT_EQ(further_keys(found, {.command = {"sh"}, .schedulers = {}})["failed"][0]["why"], "exit code 7");
}

TEST(tuning, stops_where_the_default_fails_or_does_not_end) {
  const auto why = [](settings given) -> std::string {
    try {
      static_cast<void>(tune(given, drop));
      return "it went on";
    } catch (const program_failed& error) {
      return error.what();
    }
  };
  const std::string failing = why(short_run("echo some reason >&2; exit 5"));
  EXPECT_TRUE(has(failing, "fails with the default scheduler: exit code 5")) << failing;
  EXPECT_TRUE(has(failing, "some reason")) << failing;
  settings endless = short_run("sleep 1000");
  endless.limit = 100ms;
  EXPECT_TRUE(has(why(endless), "did not end within 0.1 s")) << why(endless);
  settings changing = short_run(as_program("date +%N"));
  changing.same_output = true;
  EXPECT_TRUE(has(why(changing), "its output is not that of the first run")) << why(changing);
}

TEST(tuning, compares_output_if_told_to) {
  settings given = short_run(as_program("echo \"$PILFER_SCHEDULER\" | sed s/ws-abp/default/"));
  EXPECT_TRUE(std::ranges::all_of(tune(given, drop).stages.front().trials,
                                  [](const trial& each) { return each.failure.empty(); }));
  given.same_output = true;
  const tuning found = tune(given, drop);
  EXPECT_EQ(found.stages.front().trials[1].failure, "") << "ws-abp";
  EXPECT_TRUE(has(found.stages.front().trials[2].failure, "output")) << "lace";
}

TEST(tuning, a_program_that_does_not_ask_pilfer_is_told_so) {
  std::string said;
  const tuning found = tune(short_run("exit 0"), [&](std::string_view text) { said += text; });
  EXPECT_FALSE(found.asks_pilfer);
  EXPECT_TRUE(has(said, "does not seem to ask pilfer")) << said;
}

}  // namespace
}  // namespace pilfer::lab::tune
