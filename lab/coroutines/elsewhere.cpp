// Handing a coroutine over to another worker that is awake and looks for work: from just before until it goes on there.
//
// In bursts: within one, the other worker has had something to do a moment ago. (How long one takes that sleeps is the experiment
// `wake-up`.)
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <pilfer/coro.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "lab/coroutines/experiment.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/statistics.hpp"

namespace pilfer::lab::experiments::coroutines {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::size_t not_counted = 8;  // at the beginning of a burst: the other worker is woken
constexpr std::size_t most_samples_kept = 1000;
constexpr std::chrono::milliseconds longest_burst{60};     // where the other worker has no processor to itself
constexpr std::chrono::microseconds looks_again_after{3};  // the other worker is back at looking for work

// Who goes on elsewhere says so; the other half waits for it without giving its worker away.
class arrival {
 public:
  void begin() noexcept {
    began_ = clock::now();
    arrived_.store(false, std::memory_order_relaxed);
  }
  void arrive() noexcept {
    at_ = clock::now();
    arrived_.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool has_arrived() const noexcept { return arrived_.load(std::memory_order_acquire); }
  // us, if it was in time.
  [[nodiscard]] std::optional<double> await() const noexcept {
    while (!has_arrived()) {
      if (us(clock::now()) > patience_us) return std::nullopt;
    }
    return us(at_);
  }

 private:
  [[nodiscard]] double us(clock::time_point when) const noexcept {
    return std::chrono::duration<double, std::micro>(when - began_).count();
  }
  clock::time_point began_;
  clock::time_point at_;
  std::atomic<bool> arrived_{false};
};

void pass_time() {
  for (const auto until = clock::now() + looks_again_after; clock::now() < until;) {
  }
}

class record {
 public:
  void begin_burst(std::size_t count) noexcept {
    skipped_ = 0;
    left_ = count;
    counts_ = false;
    until_ = clock::now() + longest_burst;
  }
  // Is there another one in this burst? At least one counts.
  [[nodiscard]] bool goes_on() const noexcept { return left_ > 0 && (!counts_ || clock::now() < until_); }
  void add(std::optional<double> us) {
    counts_ = skipped_ == not_counted;
    if (!counts_) {
      ++skipped_;
      return;
    }
    --left_;
    late_ += us ? 0 : 1;
    all_.push_back(us.value_or(patience_us));
  }
  [[nodiscard]] const std::vector<double>& all() const noexcept { return all_; }
  [[nodiscard]] std::size_t late() const noexcept { return late_; }

 private:
  std::vector<double> all_;
  std::size_t late_ = 0;
  std::size_t skipped_ = 0;
  std::size_t left_ = 0;
  bool counts_ = false;
  clock::time_point until_;
};

task<void> say_so(arrival& there) {
  there.arrive();
  co_return;
}

task<void> burst_of_spawns(record& into) {
  task_group group;
  while (into.goes_on()) {
    arrival there;
    pass_time();
    there.begin();
    group.spawn(say_so(there));
    into.add(there.await());
    group.wait();
  }
  co_return;
}

task<void> burst_of_forks(record& into) {
  while (into.goes_on()) {
    arrival there;
    pass_time();
    there.begin();
    auto child = co_await fork(say_so(there));
    into.add(there.await());
    co_await std::move(child).join();
  }
}

task<std::optional<double>> hold_the_worker(arrival& there) { co_return there.await(); }

task<void> burst_of_forks_now(record& into) {
  while (into.goes_on()) {
    arrival there;
    pass_time();
    there.begin();
    auto child = co_await fork_now(hold_the_worker(there));
    there.arrive();
    const std::optional<double> us = co_await std::move(child).join();
    into.add(us);
  }
}

// The sender stays on its worker; the receiver waits again before the next value comes.
task<void> receive_all(channel<arrival*>& from) {
  for (;;) {
    const std::optional<arrival*> there = co_await from.receive();
    if (!there) co_return;
    (*there)->arrive();
  }
}
task<void> send_all(channel<arrival*>& to, record& into) {
  while (into.goes_on()) {
    arrival there;
    pass_time();
    there.begin();
    while (!to.try_send(&there)) {  // without room: only if the receiver waits
      std::this_thread::yield();
      there.begin();
    }
    into.add(there.await());
    while (!there.has_arrived()) co_await yield();  // too late, but it has our address
  }
  to.close();
}
task<void> burst_of_values(record& into) {
  channel<arrival*> values(0);
  auto receiver = co_await fork(receive_all(values));
  co_await send_all(values, into);
  co_await std::move(receiver).join();
}

struct way {
  const char* name;
  task<void> (*burst)(record&);
};
constexpr std::array<way, 4> ways{{
    {spawned, &burst_of_spawns},
    {woken, &burst_of_values},
    {helped, &burst_of_forks},
    {continued, &burst_of_forks_now},
}};

// Evenly spaced ones of all, sorted.
std::vector<double> thinned(std::vector<double> all) {
  std::ranges::sort(all);
  if (all.size() <= most_samples_kept) return all;
  std::vector<double> some;
  some.reserve(most_samples_kept);
  for (std::size_t i = 0; i < most_samples_kept; ++i) {
    some.push_back(all[i * (all.size() - 1) / (most_samples_kept - 1)]);
  }
  return some;
}

}  // namespace

findings measure_elsewhere(const settings& given) {
  const auto count = by_effort<std::size_t>(given, 5, 300, 2000);
  const auto bursts = by_effort<std::size_t>(given, 1, 20, 50);
  pool home(pool_options{.workers = 2});
  std::array<record, ways.size()> records;
  std::vector<contender> contenders;
  contenders.reserve(ways.size());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    contenders.push_back({ways[i].name, [&home, &of = ways[i], &into = records[i], count] {
                            into.begin_burst(count);
                            const std::size_t before = into.all().size();
                            sync_wait(home, of.burst(into));
                            return median(std::span(into.all()).subspan(before));
                          }});
  }
  static_cast<void>(run_interleaved(contenders, bursts, elsewhere_row));
  findings found;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::vector<double>& all = records[i].all();
    row r{.suite = suite_name,
          .name = elsewhere_row,
          .impl = ways[i].name,
          .params = {{"workers", 2}, {"count", all.size()}},
          .unit = "us",
          .samples = thinned(all),
          .ratio_to_sequential = {}};
    r.extra["p90"] = percentile(all, 90);
    r.extra["p99"] = percentile(all, 99);
    r.extra["late"] = static_cast<double>(records[i].late()) / static_cast<double>(all.size());
    r.extra["oversubscribed"] = given.processors < 2;
    found.rows.push_back(std::move(r));
  }
  return found;
}

}  // namespace pilfer::lab::experiments::coroutines
