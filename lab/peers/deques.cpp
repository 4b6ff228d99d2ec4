#include "lab/peers/deques.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/peers/measurement.hpp"
#include "lab/peers/peer_process.hpp"
#include "lab/queues/alone.hpp"
#include "lab/queues/thief_crew.hpp"

namespace pilfer::lab::peers {
namespace {

using clock = std::chrono::steady_clock;
using queues::measured_queue;

constexpr double ns_per_second = 1e9;
// As in lab/peers/crossbeam/main.rs.
constexpr std::chrono::milliseconds alone_sample{3};
constexpr std::chrono::milliseconds thief_sample{9};

struct subject {
  std::string name;
  std::string own_sequential;
  int percent = 0;
  std::function<double()> sample{};  // ns per operation
  std::vector<double> shares{};      // that were stolen, one per repetition
};

// One of ours.
class own_queue {
 public:
  own_queue(const queues::implementation& who, const queues::geometry& shape) : who_(&who), queue_(who.make(shape)) {}

  double alone() {
    warm_up();
    queues::owner_totals totals;
    const double ns = rounds(alone_sample, [&] { queue_->run_alone(1, totals); });
    check(totals, {});
    return ns / static_cast<double>(totals.operations());
  }

  double with_thief(queues::thief_crew& crew, int percent, std::vector<double>& shares) {
    warm_up();
    queues::owner_totals totals;
    queues::traffic with;
    crew.begin(*queue_, with, {.share = percent / 100.0});
    const double ns = rounds(thief_sample, [&] { queue_->run_round(with, totals); });
    const queues::thief_totals stolen = crew.finish();
    check(totals, stolen.taken);
    shares.push_back(static_cast<double>(stolen.taken.count) / static_cast<double>(totals.pushed.count));
    return ns / static_cast<double>(totals.operations());
  }

 private:
  template <class Round>
  static double rounds(std::chrono::milliseconds length, Round&& round) {
    const auto start = clock::now();
    auto now = start;
    for (; now < start + length; now = clock::now()) round();
    return std::chrono::duration<double, std::nano>(now - start).count();
  }
  void warm_up() {
    queues::owner_totals unused;
    queue_->run_alone(1, unused);
  }
  // Of what was taken for empty and was not, something may be left.
  void check(const queues::owner_totals& owner, const queues::tally& stolen) {
    if (owner.pushed == owner.popped + stolen + queue_->drain()) return;
    throw std::runtime_error(fmt::format("{}: {} items pushed, {} popped, {} stolen", who_->name, owner.pushed.count,
                                         owner.popped.count, stolen.count));
  }

  const queues::implementation* who_;
  std::unique_ptr<measured_queue> queue_;
};

std::string row_name(int percent, std::size_t entries) {
  return percent == 0 ? fmt::format("alone/{}", entries) : fmt::format("stolen_{}/{}", percent, entries);
}

class comparison_of_deques {
 public:
  explicit comparison_of_deques(const deques_plan& plan)
      : plan_(plan), entries_(queues::capacity_of(plan.shape)), crew_({allowed_processors().front()}) {
    // Before this thread is bound to a processor, which a child would be, too.
    if (available("crossbeam")) crossbeam_ = std::make_unique<peer_process>("crossbeam");
    for (const char* name : {"seq-stack", "seq-ring"}) add_own(name, 0);
    for (const int percent : plan.percents) {
      for (const char* name : {"bwos-lifo", "bwos-fifo"}) add_own(name, percent);
    }
    if (!crossbeam_) return;
    add_crossbeam("crossbeam-vec", "lifo", 0, 0, "crossbeam-vec");
    add_crossbeam("crossbeam-vecdeque", "fifo", 0, 0, "crossbeam-vecdeque");
    for (const int percent : plan.percents) {
      const std::size_t threads = percent == 0 ? 1 : 2;
      add_crossbeam("crossbeam-lifo", "lifo", threads, percent, "crossbeam-vec");
      add_crossbeam("crossbeam-fifo", "fifo", threads, percent, "crossbeam-vecdeque");
    }
  }

  experiments::findings measure() {
    const pinned here(allowed_processors().back());
    std::vector<contender> contenders;
    contenders.reserve(subjects_.size());
    for (const auto& one : subjects_) contenders.push_back({one->name, one->sample});
    const sample_matrix samples =
        run_interleaved(contenders, plan_.repetitions, fmt::format("deques, {} entries", entries_));
    experiments::findings found;
    if (crossbeam_) {
      found.versions["crossbeam-deque"] = version_of("crossbeam");
    } else {
      found.notes.push_back(fmt::format("crossbeam: {}", why_missing("crossbeam")));
    }
    for (std::size_t i = 0; i < subjects_.size(); ++i) found.rows.push_back(result(*subjects_[i], samples, samples[i]));
    return found;
  }

 private:
  void add_own(const std::string& name, int percent) {
    const queues::implementation& who = *queues::find_implementation(name);
    queues_.push_back(std::make_unique<own_queue>(who, plan_.shape));
    subject& one = add({.name = name, .own_sequential = who.sequential ? name : who.baseline, .percent = percent});
    own_queue& queue = *queues_.back();
    if (percent == 0) {
      one.sample = [&queue] { return queue.alone(); };
    } else {
      one.sample = [&queue, &one, this] { return queue.with_thief(crew_, one.percent, one.shares); };
    }
  }

  void add_crossbeam(const std::string& name, const std::string& order, std::size_t threads, int percent,
                     const std::string& own_sequential) {
    subject& one = add({.name = name, .own_sequential = own_sequential, .percent = percent});
    one.sample = [this, &one, threads, program = percent == 0 ? order : fmt::format("{}@{}", order, percent)] {
      // It checks by itself that no item is lost; the answer is how many operations the owner did.
      const outcome found = crossbeam_->run(program, threads, static_cast<std::int64_t>(entries_));
      if (one.percent > 0) one.shares.push_back(found.more.empty() ? 0 : found.more.front());
      return found.seconds * ns_per_second / found.answer;
    };
  }

  subject& add(subject one) { return *subjects_.emplace_back(std::make_unique<subject>(std::move(one))); }

  const std::vector<double>* samples_of(const sample_matrix& samples, const std::string& name) const {
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (subjects_[i]->name == name && subjects_[i]->percent == 0) return &samples[i];
    }
    return nullptr;
  }

  row result(const subject& one, const sample_matrix& samples, const std::vector<double>& mine) const {
    row r{.suite = suite_name,
          .name = row_name(one.percent, entries_),
          .impl = one.name,
          .params = {{"entries", entries_}, {"item_bytes", sizeof(queues::payload)}},
          .unit = "ns/op",
          .samples = mine,
          .ratio_to_sequential = {}};
    const bool lifo = one.own_sequential == "seq-stack" || one.own_sequential == "crossbeam-vec";
    if (const auto* const ours = samples_of(samples, lifo ? "seq-stack" : "seq-ring")) {
      r.ratio_to_sequential = paired_ratio(*ours, mine);
    }
    const auto* const own = samples_of(samples, one.own_sequential);
    r.params["thieves"] = one.percent == 0 ? 0 : 1;
    r.params["share"] = one.percent / 100.0;
    r.extra["own_sequential"] = one.own_sequential;
    r.extra["ratio_to_own_sequential"] = own == nullptr ? json(nullptr) : json(paired_ratio(*own, mine).value);
    r.extra["achieved_share"] = one.shares.empty() ? json(nullptr) : json(median(one.shares));
    r.extra["oversubscribed"] = one.percent > 0 && plan_.processors < 2;
    return r;
  }

  deques_plan plan_;
  std::size_t entries_;
  queues::thief_crew crew_;
  std::unique_ptr<peer_process> crossbeam_;
  std::vector<std::unique_ptr<own_queue>> queues_;
  std::vector<std::unique_ptr<subject>> subjects_;
};

}  // namespace

experiments::findings measure_deques(const deques_plan& plan) { return comparison_of_deques(plan).measure(); }

}  // namespace pilfer::lab::peers
