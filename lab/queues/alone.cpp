#include "lab/queues/alone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/table.hpp"

namespace pilfer::lab::queues {
namespace {

using clock = std::chrono::steady_clock;

// Long against the clock's resolution, short against what else happens on the machine.
constexpr double sample_ns = 3e6;

double elapsed_ns(clock::time_point since) {
  return std::chrono::duration<double, std::nano>(clock::now() - since).count();
}

// One queue and how many of its rounds make a sample.
class subject {
 public:
  subject(const implementation& who, const geometry& shape) : who_(&who), queue_(who.make(shape)) {
    owner_totals warm_up;
    queue_->run_alone(2, warm_up);
    const auto start = clock::now();
    queue_->run_alone(1, warm_up);
    rounds_ = static_cast<std::size_t>(std::clamp(sample_ns / elapsed_ns(start), 1.0, 1e6));
  }

  double sample() {
    owner_totals warm_up;
    queue_->run_alone(1, warm_up);
    owner_totals totals;
    const auto start = clock::now();
    queue_->run_alone(rounds_, totals);
    const double ns = elapsed_ns(start);
    if (totals.pushed != totals.popped || totals.pushed.count == 0) {
      throw std::runtime_error(
          fmt::format("{}: {} items pushed, {} popped{}", who_->name, totals.pushed.count, totals.popped.count,
                      totals.pushed.count == totals.popped.count ? ", but not the same ones" : ""));
    }
    pushed_ += static_cast<double>(totals.pushed.count);
    fills_ += static_cast<double>(rounds_);
    return ns / static_cast<double>(totals.operations());
  }

  [[nodiscard]] double filled() const { return pushed_ / fills_; }

 private:
  const implementation* who_;
  std::unique_ptr<measured_queue> queue_;
  std::size_t rounds_ = 1;
  double pushed_ = 0;
  double fills_ = 0;
};

std::string title(const geometry& shape) { return fmt::format("alone, {} entries", capacity_of(shape)); }

}  // namespace

const alone_result::entry* alone_result::find(std::string_view name) const {
  const auto found = std::ranges::find_if(entries, [&](const entry& e) { return e.who->name == name; });
  return found == entries.end() ? nullptr : &*found;
}

alone_result measure_alone(const geometry& shape, const std::vector<const implementation*>& who,
                           std::size_t repetitions) {
  const pinned here(allowed_processors().back());
  std::vector<std::unique_ptr<subject>> subjects;
  std::vector<contender> contenders;
  for (const implementation* one : who) {
    subjects.push_back(std::make_unique<subject>(*one, shape));
    contenders.push_back({one->name, [measured = subjects.back().get()] { return measured->sample(); }});
  }
  sample_matrix samples = run_interleaved(contenders, repetitions, title(shape));

  alone_result result{.shape = shape, .repetitions = repetitions, .entries = {}};
  for (std::size_t i = 0; i < who.size(); ++i) {
    result.entries.push_back(
        {.who = who[i], .ns = std::move(samples[i]), .ratio = {}, .filled = subjects[i]->filled()});
  }
  for (auto& entry : result.entries) {
    const auto* baseline = result.find(entry.who->baseline);
    if (baseline != nullptr) entry.ratio = paired_ratio(baseline->ns, entry.ns);
  }
  return result;
}

json geometry_params(const geometry& shape, const implementation& who) {
  return {{"entries", capacity_of(shape)},
          {"blocks", shape.blocks},
          {"block_entries", shape.entries},
          {"item_bytes", who.item_bytes}};
}

std::vector<row> rows_of(const alone_result& result) {
  std::vector<row> rows;
  rows.reserve(result.entries.size());
  for (const auto& entry : result.entries) {
    rows.push_back({.suite = "queues",
                    .name = fmt::format("alone/{}", capacity_of(result.shape)),
                    .impl = entry.who->name,
                    .params = geometry_params(result.shape, *entry.who),
                    .unit = "ns/op",
                    .samples = entry.ns,
                    .ratio_to_sequential = entry.ratio,
                    .extra = {{"sequential", entry.who->baseline}, {"filled", entry.filled}}});
  }
  return rows;
}

std::string text_of(const alone_result& result) {
  table t({{"queue", align::left}, {"ns/op"}, {"min"}, {"throughput / sequential"}, {"", align::left}});
  for (const auto& entry : result.entries) {
    t.add({entry.who->name, nanoseconds(median(entry.ns)), nanoseconds(minimum(entry.ns)),
           entry.ratio ? ratio_with_interval(*entry.ratio) : "-", entry.who->sequential ? "" : entry.who->baseline});
  }
  return fmt::format(
      "Alone: the owner fills {} entries ({} blocks of {}) and empties them; median of {} interleaved samples\n{}",
      capacity_of(result.shape), result.shape.blocks, result.shape.entries, result.repetitions, t.text());
}

}  // namespace pilfer::lab::queues
