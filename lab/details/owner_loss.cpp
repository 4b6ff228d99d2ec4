// Experiment `owner-loss`: another thread asks how full the queue is (001, 2.1.3, Fig. 2c).
#include <fmt/format.h>

#include <memory>

#include "lab/details/disturbed_queue.hpp"
#include "lab/details/experiments.hpp"
#include "lab/details/rows.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/queues/alone.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace details;

constexpr const char* owner_loss_suite = "owner-loss";
constexpr double claimed_asking_share = 0.01;

std::string asker_row_name(double share) { return fmt::format("getsize/{:g}%", share * 100); }

struct asker {
  const disturbed_kind* who;
  disturbed_queue* queue;
  double share;
  std::uint64_t asked = 0;
  std::uint64_t operations = 0;
};

double sample_asker(asker& one, crew& other, std::chrono::microseconds length) {
  std::uint64_t asked = 0;
  const owner_sample result =
      sample_owner(one.who->name, *one.queue, other, length, [&](const progress_word& pushed, const stop_flag& stop) {
        asked = one.queue->ask_sizes(pushed, one.share, stop);
        return queues::tally{};
      });
  one.asked += asked;
  one.operations += result.owner.operations();
  return result.ns;
}

row row_of_asker(const asker& one, const queues::geometry& shape, std::chrono::microseconds length) {
  return {.suite = owner_loss_suite,
          .name = asker_row_name(one.share),
          .impl = one.who->name,
          .params = {{"entries", queues::capacity_of(shape)},
                     {"blocks", shape.blocks},
                     {"block_entries", shape.entries},
                     {"share", one.share},
                     {"duration_us", length.count()}},
          .unit = "ns/op",
          .samples = {},
          .ratio_to_sequential = {},
          .extra = {{"achieved_share", static_cast<double>(one.asked) / static_cast<double>(one.operations)},
                    {"asked", one.asked},
                    {"oversubscribed", false}}};
}

findings measure_owner_loss(const settings& given) {
  const queues::geometry shape =
      by_effort(given, queues::small_geometry, queues::large_geometry, queues::large_geometry);
  const std::chrono::microseconds length(by_effort(given, 500, 5000, 10000));
  const auto shares = by_effort<std::vector<double>>(given, {0, claimed_asking_share}, {0, claimed_asking_share, 0.05},
                                                     {0, 0.001, 0.005, claimed_asking_share, 0.02, 0.05, 0.1});
  const std::vector<int> processors = allowed_processors();
  const pinned here(processors.back());
  crew other({processors.front()});

  std::vector<std::unique_ptr<disturbed_queue>> made;
  std::vector<asker> askers;
  for (const disturbed_kind& who : disturbed_kinds()) {
    made.push_back(who.make(shape));
    for (const double share : shares) askers.push_back({&who, made.back().get(), share});
  }
  std::vector<contender> contenders;
  contenders.reserve(askers.size());
  for (asker& one : askers) {
    contenders.push_back(
        {one.who->name + ", " + asker_row_name(one.share), [&] { return sample_asker(one, other, length); }});
  }
  sample_matrix samples = run_interleaved(contenders, by_effort<std::size_t>(given, 2, 61, 201), owner_loss_suite);

  findings found;
  for (std::size_t i = 0; i < askers.size(); ++i) {
    row one = row_of_asker(askers[i], shape, length);
    one.samples = std::move(samples[i]);
    found.rows.push_back(std::move(one));
  }
  for (row& one : found.rows) {
    const auto relative = throughput_ratio(&one, find_row(found.rows, asker_row_name(0), one.impl));
    one.extra["relative_throughput"] = relative ? json(relative->value) : json(nullptr);
  }
  if (!here.succeeded() || !other.pinned())
    found.notes.emplace_back("the system did not allow threads to be bound to processors");
  return found;
}

std::vector<part> owner_loss_parts(const settings& given) {
  if (given.processors < 2) return {nothing_measured(why_missing("owner-loss", given, 2))};
  return {{"getsize", [given] { return measure_owner_loss(given); }}};
}

claim loss(claim of, const char* queue, const std::vector<row>& rows, const settings& given) {
  constexpr double enough = 0.5;
  of.suite = owner_loss_suite;
  const row* const disturbed = find_row(rows, asker_row_name(claimed_asking_share), queue);
  of.measured = throughput_loss(disturbed, find_row(rows, asker_row_name(0), queue));
  if (!of.measured) {
    of.note = why_missing(queue, given, 2);
    return of;
  }
  const double achieved = disturbed->extra.value("achieved_share", claimed_asking_share);
  if (achieved < enough * claimed_asking_share) {
    of.measured.reset();
    of.note = cannot_be_shown(
        fmt::format("the other thread asked only {:.2f} times per 100 operations of the owner", achieved * 100));
  }
  return of;
}

std::vector<claim> owner_loss_claims(const std::vector<row>& rows, const settings& given) {
  constexpr double most = 0.02;
  claim abp{.id = "getsize_loss_abp", .text = "ABP, owner's loss at 1 % getsize", .paper = 0.344};
  claim chase_lev{.id = "getsize_loss_chase_lev", .text = "Chase-Lev, owner's loss at 1 % getsize"};
  claim split{.id = "getsize_loss_split", .text = "split deque, owner's loss at 1 % getsize"};
  return {
      loss(abp, "abp", rows, given),
      loss(at_most("getsize_loss_bwos", "LIFO BWoS, owner's loss at 1 % getsize", most), "bwos-lifo", rows, given),
      loss(at_most("getsize_loss_bwos_fifo", "FIFO BWoS, owner's loss at 1 % getsize", most), "bwos-fifo", rows, given),
      loss(chase_lev, "chase-lev", rows, given),
      loss(split, "split", rows, given),
  };
}

std::vector<page::chart> owner_loss_charts(const std::vector<row>& rows) {
  page::chart shown{.id = "owner-loss-getsize",
                    .title = "Owner's throughput when another thread asks for the queue's size",
                    .caption =
                        "In the manner of 001, Fig. 2c: there ABP loses 34.4 % at 1 %. Relative to the same queue "
                        "undisturbed; x is what was aimed at.",
                    .kind = page::chart_kind::lines,
                    .x = {"size asked for, per 100 operations of the owner"},
                    .y = {"throughput / undisturbed"},
                    .lines_or_groups = {},
                    .reference = 1,
                    .reference_label = "undisturbed"};
  for (const disturbed_kind& who : disturbed_kinds()) {
    page::series line{.name = who.name, .points = {}};
    for (const row* one : rows_of_suite(rows, owner_loss_suite)) {
      if (one->impl != who.name) continue;
      const auto share = number_param(*one, "share");
      const auto relative = throughput_ratio(one, find_row(rows, asker_row_name(0), one->impl));
      if (share && relative) line.points.push_back(line_point(*share * 100, *relative));
    }
    if (!line.points.empty()) shown.lines_or_groups.push_back(std::move(line));
  }
  if (shown.lines_or_groups.empty()) return {};
  return {shown};
}

}  // namespace

experiment owner_loss_experiment() {
  return {.name = owner_loss_suite,
          .title = "What a look at its size costs an owner",
          .source = "001 section 2.1.3, Fig. 2c",
          .summary =
              "An owner fills and empties its queue while another thread asks for the size, evenly, once in a "
              "hundred operations of the owner, as victim policies like best_of_two do; beside it the same with "
              "a thread that never asks. 001 saw ABP lose 34.4 %.",
          .parts = owner_loss_parts,
          .claims = owner_loss_claims,
          .charts = owner_loss_charts,
          .quick_seconds = 6};
}

}  // namespace pilfer::lab::experiments
