#include <gtest/gtest.h>

#include <set>

#include "claim_by_id.hpp"
#include "lab/documents/documents.hpp"
#include "lab/documents/json_experiment.hpp"
#include "lab/documents/runners.hpp"
#include "lab/documents/work.hpp"

namespace pilfer::lab::experiments {
namespace {

row made_up_document(const char* name, const char* impl, std::size_t workers, std::vector<double> samples) {
  return {.suite = "json",
          .name = name,
          .impl = impl,
          .params = {{"workers", workers}},
          .unit = "us/document",
          .samples = std::move(samples),
          .ratio_to_sequential = estimate{.value = 1, .low = 1, .high = 1}};
}

TEST(documents, come_back_as_they_were) {
  for (const documents::document& one : documents::make_documents(20, 7)) {
    EXPECT_EQ(one.contents.records, 7U);
    EXPECT_EQ(documents::decode(one.text), one.contents);
    EXPECT_EQ(documents::encode(json::parse(one.text)), one.text);
    if (documents::has_simdjson()) {
      EXPECT_EQ(documents::decode_with_simdjson(documents::padded_text(one.text)), one.contents);
    }
  }
}

TEST(documents, that_are_none_have_an_empty_digest) {
  for (const char* text : {"", "[", "{}", "[1]", "[{\"id\": 1}]"}) {
    EXPECT_EQ(documents::decode(text), documents::digest{}) << text;
    if (documents::has_simdjson()) {
      EXPECT_EQ(documents::decode_with_simdjson(documents::padded_text(text)), documents::digest{}) << text;
    }
  }
}

TEST(json_work, notices_a_task_that_was_left_out) {
  for (const documents::operation& what : documents::operations(effort::tiny)) {
    if (!what.make) continue;
    const auto work = what.make();
    work->reset();
    for (std::size_t i = 1; i < work->tasks(); ++i) work->run(i);
    EXPECT_THROW(work->check("somebody"), std::runtime_error) << what.name;
    work->run(0);
    EXPECT_NO_THROW(work->check("somebody")) << what.name;
  }
}

TEST(json_claims, are_geometric_means_over_operations) {
  const std::vector<row> rows = {made_up_document("decode/small", "ws-global", 2, {2, 4}),
                                 made_up_document("decode/small", "bwos-fifo", 2, {1, 2}),
                                 made_up_document("encode/small", "ws-global", 2, {8, 8}),
                                 made_up_document("encode/small", "bwos-fifo", 2, {1, 1}),
                                 made_up_document("encode/small", "bwos-fifo", 1, {100, 100})};
  const auto claims = json_experiment().claims(rows, {.how = effort::quick, .processors = 2});
  EXPECT_NEAR(by_id(claims, "json_bwos_fifo_vs_global").measured.value().value, 4, 1e-9);
  EXPECT_FALSE(by_id(claims, "json_default_vs_onetbb").measured);
  EXPECT_FALSE(by_id(claims, "json_bwos_vs_go").measured);
  EXPECT_EQ(by_id(claims, "json_bwos_vs_go").paper, 1.258);
  for (const claim& c : json_experiment().claims({}, {.how = effort::quick, .processors = 2})) {
    EXPECT_FALSE(c.measured) << c.id;
    EXPECT_EQ(c.note.find("cannot be shown on this machine: "), 0U) << c.note;
  }
}

TEST(json_experiment, runs_from_end_to_end) {
  const settings given{.how = effort::tiny, .processors = 2};
  const experiment all = json_experiment();
  std::vector<row> rows;
  for (const part& one : all.parts(given)) {
    const findings found = one.run();
    rows.insert(rows.end(), found.rows.begin(), found.rows.end());
  }
  EXPECT_TRUE(by_id(all.claims(rows, given), "json_bwos_fifo_vs_global").measured);
  std::set<std::string> ids;
  for (const page::chart& c : all.charts(rows)) {
    EXPECT_TRUE(ids.insert(c.id).second) << c.id;
    EXPECT_EQ(c.id.find("json"), 0U);
    EXPECT_FALSE(c.lines_or_groups.empty());
  }
  EXPECT_EQ(ids.size(), 2U);
  EXPECT_TRUE(all.charts({}).empty());
}

}  // namespace
}  // namespace pilfer::lab::experiments
