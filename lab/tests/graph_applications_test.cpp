#include <gtest/gtest.h>

#include <pilfer/algorithm/for.hpp>
#include <pilfer/pool.hpp>

#include "lab/applications/bfs.hpp"
#include "lab/applications/components.hpp"
#include "lab/applications/nbody.hpp"
#include "lab/applications/nearest.hpp"
#include "lab/applications/rays.hpp"
#include "lab/applications/serial_kit.hpp"

namespace pilfer::lab::applications {
namespace {

struct pool_kit {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    return pilfer::fork_join(std::forward<F>(f), std::forward<G>(g));
  }
  template <class F>
  static void parallel_for(std::size_t first, std::size_t last, std::size_t grain, F f) {
    pilfer::parallel_for(first, last, f, {.grain = grain});
  }
};

template <class Program>
class graph_applications : public testing::Test {};
using graph_programs = testing::Types<bfs_grid, bfs_random, bfs_power_law, components_grid, components_random,
                                      components_power_law, nearest, rays, nbody>;
TYPED_TEST_SUITE(graph_applications, graph_programs);

TYPED_TEST(graph_applications, give_the_same_answer_serially_and_in_parallel) {
  TypeParam program(effort::tiny);
  EXPECT_GT(program.size(), 0);
  EXPECT_FALSE(program.text().empty());
  program.reset();
  program.template run<serial_kit>();
  EXPECT_NO_THROW(program.check("serial kit"));
  if constexpr (requires { program.run_serial(); }) {
    program.reset();
    program.run_serial();
    EXPECT_NO_THROW(program.check("serial"));
  }
  pool with(3);
  for (int i = 0; i < 3; ++i) {
    program.reset();
    with.run([&] { program.template run<pool_kit>(); });
    EXPECT_NO_THROW(program.check("pool"));
  }
}

TYPED_TEST(graph_applications, notice_that_nothing_was_done) {
  TypeParam program(effort::tiny);
  program.reset();
  try {
    program.check("nobody");
    FAIL() << "no answer passed for a right one";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("nobody"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(TypeParam::name), std::string::npos) << error.what();
  }
}

TEST(graph, has_each_edge_in_both_directions) {
  for (const graph_kind kind : {graph_kind::grid, graph_kind::random, graph_kind::power_law}) {
    const graph made(kind, 100);
    std::vector<std::pair<vertex, vertex>> there;
    std::vector<std::pair<vertex, vertex>> back;
    for (vertex v = 0; v < made.vertices(); ++v) {
      for (const vertex w : made.neighbours(v)) {
        ASSERT_LT(w, made.vertices());
        EXPECT_NE(v, w);
        there.emplace_back(v, w);
        back.emplace_back(w, v);
      }
    }
    std::ranges::sort(there);
    std::ranges::sort(back);
    EXPECT_EQ(there, back);
    EXPECT_EQ(there.size(), 2 * made.edges());
  }
  EXPECT_EQ(graph(graph_kind::grid, 100).edges(), 180U);
}

TEST(graph, of_a_power_law_has_a_hub) {
  const graph even(graph_kind::random, 1024);
  const graph uneven(graph_kind::power_law, 1024);
  EXPECT_GT(uneven.neighbours(uneven.hub()).size(), 4 * even.neighbours(even.hub()).size());
}

}  // namespace
}  // namespace pilfer::lab::applications
