// Experiment `cache-lines`: one thread writes, another reads or writes the same cache line, or one of 64 (001, 2.2, Fig. 2e, f).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>

#include "lab/details/crew.hpp"
#include "lab/details/disturbed_queue.hpp"
#include "lab/details/experiments.hpp"
#include "lab/details/pacer.hpp"
#include "lab/details/rows.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace details;
using clock = std::chrono::steady_clock;

constexpr const char* cache_lines_suite = "cache-lines";
constexpr std::size_t most_lines = 64;
constexpr std::array line_counts = {std::size_t{1}, most_lines};
constexpr std::uint64_t writes_between_looks = 1024;
constexpr double claimed_access_share = 0.1;  // our choice, made after first figures: 001 names no frequency

enum class access : unsigned char { none, read, write };
// How the writer writes. Plain stores to one line wait in the store buffer and go out together when the line comes back, so
// contention hardly shows; a locked instruction waits for its line each time.
enum class write_kind : unsigned char { store, locked };

// Two words, so that both threads can check what they wrote; it is the line that they contend for. All accesses are relaxed:
// nothing is handed over.
struct alignas(ext::isolation_bytes) shared_line {
  std::atomic<std::uint64_t> of_writer{0};
  std::atomic<std::uint64_t> of_other{0};
};
using line_set = std::array<shared_line, most_lines>;

struct disturbance_plan {
  std::size_t lines = 1;
  write_kind writes_by = write_kind::store;
  access what = access::none;
  double share = 0;  // of the writer's writes; as_much_as_possible: all the time
  std::uint64_t writes = 0;
  std::uint64_t accesses = 0;
};

const char* to_string(write_kind of) noexcept { return of == write_kind::store ? "store" : "locked"; }
const char* to_string(access of) noexcept {
  return of == access::none ? "none" : of == access::read ? "read" : "write";
}
// "store/read/1%"
std::string lines_row_name(write_kind writes_by, access what, double share) {
  if (what == access::none) return fmt::format("{}/alone", to_string(writes_by));
  return fmt::format("{}/{}/{}", to_string(writes_by), to_string(what),
                     share == as_much_as_possible ? "always" : fmt::format("{:g}%", share * 100));
}
std::string lines_row_name(const disturbance_plan& plan) {
  return lines_row_name(plan.writes_by, plan.what, plan.share);
}
std::string lines_impl_name(std::size_t lines) { return fmt::format("{} line{}", lines, lines == 1 ? "" : "s"); }

// The measured loop. Any line of the set with equal chance, the same instructions whatever its size.
template <write_kind By>
[[gnu::noinline]] std::uint64_t write_some(line_set& lines, std::size_t mask, xorshift& random, std::uint64_t written) {
  for (std::uint64_t i = 0; i < writes_between_looks; ++i) {
    std::atomic<std::uint64_t>& word = lines[random.next() & mask].of_writer;
    if constexpr (By == write_kind::store) {
      word.store(++written, std::memory_order_relaxed);
    } else {
      word.exchange(++written, std::memory_order_relaxed);
    }
  }
  return written;
}

// Returns how many accesses there were, or nothing if a line went back in time.
std::uint64_t disturb(line_set& lines, const disturbance_plan& plan, const progress_word& written,
                      const stop_flag& stop, bool& consistent) {
  std::uint64_t done = 0;
  pacer pace(plan.share);
  xorshift random(0xD1B54A32D192ED03);
  std::array<std::uint64_t, most_lines> seen{};
  while (!stop.load(std::memory_order_relaxed)) {  // only a flag
    if (plan.what == access::none) {
      ext::native_sync::pause();
      continue;
    }
    if (plan.share != as_much_as_possible && !pace.due(written.count.load(std::memory_order_relaxed), done)) continue;
    const std::size_t which = random.next() & (plan.lines - 1);
    if (plan.what == access::read) {
      const std::uint64_t found = lines[which].of_writer.load(std::memory_order_relaxed);
      if (found < seen[which]) consistent = false;
      seen[which] = found;
      ++done;
    } else {
      lines[which].of_other.store(++done, std::memory_order_relaxed);
    }
  }
  return done;
}

void check(const line_set& lines, const disturbance_plan& plan, std::uint64_t written, std::uint64_t done,
           bool consistent) {
  std::uint64_t last_written = 0;
  std::uint64_t last_of_other = 0;
  for (const shared_line& one : lines) {
    last_written = std::max(last_written, one.of_writer.load(std::memory_order_relaxed));  // both threads have ended
    last_of_other = std::max(last_of_other, one.of_other.load(std::memory_order_relaxed));
  }
  const bool complete = last_written == written && last_of_other == (plan.what == access::write ? done : 0);
  if (consistent && complete) return;
  throw std::runtime_error(fmt::format("cache-lines, {}, {}: {}", lines_row_name(plan), lines_impl_name(plan.lines),
                                       consistent ? "the last write is not there" : "a line went back in time"));
}

double sample_lines(disturbance_plan& plan, line_set& lines, crew& other, std::chrono::microseconds length) {
  for (shared_line& one : lines) {  // nobody else is there yet
    one.of_writer.store(0, std::memory_order_relaxed);
    one.of_other.store(0, std::memory_order_relaxed);
  }
  progress_word progress;
  std::uint64_t done = 0;
  bool consistent = true;
  other.begin(
      [&](std::size_t /*member*/, const stop_flag& stop) { done = disturb(lines, plan, progress, stop, consistent); });
  xorshift random;
  std::uint64_t written = 0;
  const auto start = clock::now();
  auto now = start;
  while (now - start < length && interrupt_signal() == 0) {
    written = plan.writes_by == write_kind::store
                  ? write_some<write_kind::store>(lines, plan.lines - 1, random, written)
                  : write_some<write_kind::locked>(lines, plan.lines - 1, random, written);
    if (plan.what != access::none) progress.count.store(written, std::memory_order_relaxed);  // steers only
    now = clock::now();
  }
  other.finish();
  throw_if_interrupted();
  check(lines, plan, written, done, consistent);
  plan.writes += written;
  plan.accesses += done;
  return std::chrono::duration<double, std::nano>(now - start).count() / static_cast<double>(written);
}

std::vector<disturbance_plan> plans(const settings& given) {
  const auto shares = by_effort<std::vector<double>>(given, {claimed_access_share, as_much_as_possible},
                                                     {0.01, claimed_access_share, as_much_as_possible},
                                                     {0.001, 0.01, 0.05, claimed_access_share, as_much_as_possible});
  std::vector<disturbance_plan> all;
  for (const write_kind by : {write_kind::store, write_kind::locked}) {
    for (const std::size_t lines : line_counts) {
      all.push_back({.lines = lines, .writes_by = by});
      for (const access what : {access::read, access::write}) {
        for (const double share : shares)
          all.push_back({.lines = lines, .writes_by = by, .what = what, .share = share});
      }
    }
  }
  return all;
}

row row_of_plan(const disturbance_plan& plan, std::vector<double> samples) {
  const bool always = plan.share == as_much_as_possible;
  const double achieved = static_cast<double>(plan.accesses) / static_cast<double>(plan.writes);
  const double seconds_per_write = median(samples) * 1e-9;
  return {.suite = cache_lines_suite,
          .name = lines_row_name(plan),
          .impl = lines_impl_name(plan.lines),
          .params = {{"lines", plan.lines},
                     {"writes_by", to_string(plan.writes_by)},
                     {"access", to_string(plan.what)},
                     {"share", always ? json(nullptr) : json(plan.share)}},
          .unit = "ns/op",
          .samples = std::move(samples),
          .ratio_to_sequential = {},
          .extra = {{"achieved_share", achieved},
                    {"accesses_per_second", achieved / seconds_per_write},
                    {"oversubscribed", false}}};
}

findings measure_cache_lines(const settings& given) {
  const std::chrono::microseconds length(by_effort(given, 300, 4000, 10000));
  const std::vector<int> processors = allowed_processors();
  const pinned here(processors.back());
  crew other({processors.front()});
  line_set lines;
  std::vector<disturbance_plan> all = plans(given);
  std::vector<contender> contenders;
  contenders.reserve(all.size());
  for (disturbance_plan& plan : all) {
    contenders.push_back({lines_row_name(plan) + ", " + lines_impl_name(plan.lines),
                          [&] { return sample_lines(plan, lines, other, length); }});
  }
  sample_matrix samples = run_interleaved(contenders, by_effort<std::size_t>(given, 2, 31, 201), cache_lines_suite);
  findings found;
  for (std::size_t i = 0; i < all.size(); ++i) found.rows.push_back(row_of_plan(all[i], std::move(samples[i])));
  for (row& one : found.rows) {  // the writer alone is the sequential program
    const write_kind by =
        text_param(one, "writes_by") == to_string(write_kind::store) ? write_kind::store : write_kind::locked;
    one.ratio_to_sequential =
        throughput_ratio(&one, find_row(found.rows, lines_row_name(by, access::none, 0), one.impl));
  }
  return found;
}

std::vector<part> cache_lines_parts(const settings& given) {
  if (given.processors < 2) return {nothing_measured(why_missing(cache_lines_suite, given, 2))};
  return {{"two threads", [given] { return measure_cache_lines(given); }}};
}

std::vector<claim> cache_lines_claims(const std::vector<row>& rows, const settings& given) {
  const auto gain = [&](claim of, write_kind by, access what, double share) {
    const std::string name = lines_row_name(by, what, share);
    of.suite = cache_lines_suite;
    of.measured =
        throughput_ratio(find_row(rows, name, lines_impl_name(most_lines)), find_row(rows, name, lines_impl_name(1)));
    if (share == claimed_access_share)
      of.note = "001 names no frequency, 10 % is our choice; cache_lines_gain_always has another, which need not agree";
    if (!of.measured) of.note = why_missing(name, given, 2);
    return of;
  };
  return {
      gain({.id = "cache_lines_gain",
            .text = "locked writer with 64 lines / with one, another thread reads 10 % as often"},
           write_kind::locked, access::read, claimed_access_share),
      gain({.id = "cache_lines_gain_writes",
            .text = "locked writer with 64 lines / with one, another thread writes 10 % as often"},
           write_kind::locked, access::write, claimed_access_share),
      gain({.id = "cache_lines_gain_stores",
            .text = "storing writer with 64 lines / with one, another thread reads 10 % as often"},
           write_kind::store, access::read, claimed_access_share),
      gain({.id = "cache_lines_gain_always",
            .text = "locked writer with 64 lines / with one, another thread reads all the time"},
           write_kind::locked, access::read, as_much_as_possible),
  };
}

page::chart chart_of(const std::vector<row>& rows, write_kind by, access what) {
  page::chart shown{
      .id = fmt::format("cache-lines-{}-{}", to_string(by), to_string(what)),
      .title = fmt::format("A thread writes ({}) while another {}s: one cache line or 64",
                           by == write_kind::store ? "plain stores" : "locked", to_string(what)),
      .caption = fmt::format(
          "In the manner of 001, Fig. {}, which saw contention on one line harm the writer, 64 lines spare it. x "
          "is how often the other thread really came by.",
          what == access::read ? "2e" : "2f"),
      .kind = page::chart_kind::lines,
      .x = {fmt::format("{}s of the other thread (million per second)", to_string(what))},
      .y = {"writes (million per second)"},
      .lines_or_groups = {},
      .reference = {},
      .reference_label = {}};
  for (const std::size_t lines : line_counts) {
    page::series line{.name = lines_impl_name(lines), .points = {}};
    for (const row* one : rows_of_suite(rows, cache_lines_suite)) {
      const std::string how = text_param(*one, "access");
      if (one->impl != lines_impl_name(lines) || text_param(*one, "writes_by") != to_string(by)) continue;
      if (how != to_string(what) && how != to_string(access::none)) continue;
      line.points.push_back(line_point(one->extra.value("accesses_per_second", 0.0) * 1e-6, *one));
    }
    std::ranges::sort(line.points, {}, &page::point::x);
    if (!line.points.empty()) shown.lines_or_groups.push_back(std::move(line));
  }
  return shown;
}

std::vector<page::chart> cache_lines_charts(const std::vector<row>& rows) {
  std::vector<page::chart> charts;
  for (const write_kind by : {write_kind::locked, write_kind::store}) {
    for (const access what : {access::read, access::write}) {
      page::chart shown = chart_of(rows, by, what);
      if (!shown.lines_or_groups.empty()) charts.push_back(std::move(shown));
    }
  }
  return charts;
}

}  // namespace

experiment cache_lines_experiment() {
  return {.name = cache_lines_suite,
          .title = "One cache line against 64",
          .source = "001 section 2.2, Fig. 2e and 2f",
          .summary =
              "A thread writes without end, each time to a line drawn from a set; another reads or writes, at a given "
              "frequency, a line that it draws from the same set. The set has one line or 64. The writer uses plain "
              "stores, "
              "which x86 buffers, or locked instructions, which wait for their line. 001 saw one line harm "
              "the writer badly and 64 spare it, which is why BWoS has its metadata in each block.",
          .parts = cache_lines_parts,
          .claims = cache_lines_claims,
          .charts = cache_lines_charts,
          .quick_seconds = 4};
}

}  // namespace pilfer::lab::experiments
