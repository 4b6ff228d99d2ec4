// Every library solves every problem that it has an algorithm for, and one that does not is found out.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "lab/algorithms/kit_session.hpp"
#include "lab/algorithms/library.hpp"
#include "lab/algorithms/measurement.hpp"
#include "lab/measure/registry.hpp"

namespace pilfer::lab::algorithms {
namespace {

TEST(algorithms, names_are_unique_and_described) {
  const std::vector<std::string> names = names_of(libraries());
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const char* name : {"serial", "pilfer", "onetbb", "openmp", "openmp-dynamic", "openmp-guided", "std-par"}) {
    EXPECT_TRUE(contains(names, name)) << name;
  }
  for (const library& one : libraries()) {
    EXPECT_FALSE(one.description.empty()) << one.name;
    EXPECT_EQ(one.why_unavailable.empty(), static_cast<bool>(one.make)) << one.name;
  }
  EXPECT_EQ(std::set<std::string>(problem_names().begin(), problem_names().end()).size(), problem_names().size());
  EXPECT_THROW(static_cast<void>(make_problem("bogosort", scale::tiny)), std::invalid_argument);
}

TEST(algorithms, every_library_solves_what_it_has_an_algorithm_for) {
  for (const std::string& name : problem_names()) {
    problem what = make_problem(name, scale::tiny);
    for (const library& one : libraries()) {
      if (!one.make) continue;
      for (const std::size_t workers : {1U, 2U, 4U}) {
        const auto made = one.make(workers);
        if (one.has(what)) {
          EXPECT_NO_THROW(EXPECT_GT(made->seconds_of(what), 0)) << one.name << ' ' << name;
        } else {
          EXPECT_THROW(made->seconds_of(what), std::logic_error) << one.name << ' ' << name;
        }
      }
    }
  }
}

TEST(algorithms, serial_code_and_ours_solve_everything) {
  for (const std::string& name : problem_names()) {
    const problem what = make_problem(name, scale::tiny);
    for (const char* who : {serial_name, pilfer_name}) {
      EXPECT_TRUE(find_by_name(libraries(), who)->has(what)) << who << ' ' << name;
    }
  }
}

// Has everything and does nothing.
struct idle_kit {
  static constexpr std::chrono::milliseconds calms_down_in{0};
  explicit idle_kit(std::size_t /*workers*/) {}
  static void enter(const auto& call) { call(); }
  static void loop(auto /*values*/, auto /*f*/) {}
  static void uneven_loop(auto /*values*/, auto /*f*/) {}
  static void transform(auto /*in*/, auto /*out*/, auto /*f*/) {}
  static double reduce(auto /*values*/) { return 0; }
  static void scan(auto /*in*/, auto /*out*/) {}
  static void sort(auto /*values*/) {}
  static void stable_sort(auto /*values*/, auto /*less*/) {}
  static void merge(auto /*a*/, auto /*b*/, auto /*out*/) {}
  static std::size_t filter(auto in, auto /*out*/, auto /*pred*/) { return in.size() / 2; }
  static std::vector<std::size_t> histogram(auto /*values*/, std::size_t bins, auto /*key*/) {
    return std::vector<std::size_t>(bins);
  }
  static std::size_t min_element(auto /*values*/) { return 0; }
  static std::size_t find_if(auto values, auto /*pred*/) { return values.size(); }
};

TEST(algorithms, a_right_answer_of_the_one_before_helps_nobody) {
  const auto idle = kit_library<idle_kit>("idle", "does nothing").make(1);
  const auto serial = find_by_name(libraries(), serial_name)->make(0);
  for (const std::string& name : problem_names()) {
    problem what = make_problem(name, scale::tiny);
    EXPECT_NO_THROW(serial->seconds_of(what)) << name;
    EXPECT_THROW(idle->seconds_of(what), std::runtime_error) << name;
  }
}

TEST(algorithms, what_a_library_lacks_is_said_below_the_table) {
  const library lacking{.name = "poor",
                        .description = "has nothing",
                        .has = [](const problem&) { return false; },
                        .make = find_by_name(libraries(), serial_name)->make};
  const problem_result result =
      measure_problem("skew", scale::tiny, {find_by_name(libraries(), serial_name), &lacking}, {1}, 2);
  EXPECT_EQ(result.lacking, std::vector<std::string>{"poor"});
  EXPECT_NE(text_of(result).find("poor: no such algorithm"), std::string::npos);
  EXPECT_EQ(rows_of(result).size(), 1U);
}

}  // namespace
}  // namespace pilfer::lab::algorithms
