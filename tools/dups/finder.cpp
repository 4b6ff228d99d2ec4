#include "finder.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/task_group.hpp>

#include "cache.hpp"
#include "settle.hpp"
#include "walk.hpp"

namespace pilfer::dups {

namespace {

constexpr std::size_t lanes_per_worker = 8;  // so many reads are under way while a worker waits for the disk

// The candidates: files of a size that others have, too, in the order of size and inode.
struct candidates {
  std::vector<file> files;
  std::vector<member> members;
  std::vector<size_class> classes;  // also those of one inode with several names
  std::uint64_t hard_links = 0;
};

candidates by_size_and_inode(const std::vector<file>& all) {
  struct sort_key {
    std::uint64_t size;
    file_identity identity;
    std::uint32_t index;
    [[nodiscard]] auto order() const { return std::tie(size, identity.device, identity.inode, index); }
  };
  std::vector<sort_key> keys;
  keys.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    keys.push_back({all[i].size, all[i].identity, static_cast<std::uint32_t>(i)});
  std::ranges::sort(keys, [](const sort_key& left, const sort_key& right) { return left.order() < right.order(); });

  candidates result;
  result.files.reserve(all.size());  // so that nothing moves
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t first = 0, end = 0; first < keys.size(); first = end) {
    for (end = first + 1; end < keys.size() && keys[end].size == keys[first].size;) ++end;
    if (end - first < 2) continue;
    const std::size_t first_member = result.members.size();
    for (std::size_t i = first; i < end; ++i) {
      result.files.push_back(all[keys[i].index]);
      if (i > first && keys[i].identity == keys[i - 1].identity) {
        ++result.members.back().count;
        ++result.hard_links;
      } else {
        result.members.push_back({.names = &result.files.back(), .count = 1});
      }
    }
    runs.emplace_back(first_member, result.members.size());
  }
  for (const auto& [first, end] : runs) {
    const auto members = std::span(result.members).subspan(first, end - first);
    result.classes.push_back({members, members.front().first().size});
  }
  return result;
}

// Classes that one lane does in a row: enough to be worth a turn.
struct unit {
  std::size_t first;
  std::size_t end;
};

// Large files first: they are what others would have to wait for at the end.
std::vector<unit> make_units(const std::vector<size_class>& classes) {
  std::vector<unit> units;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = classes.size(); i-- > 0;) {
    if (units.empty() || files >= batch_files || bytes >= batch_bytes) {
      units.push_back({i, i + 1});
      files = bytes = 0;
    }
    units.back().first = i;
    files += classes[i].members.size();
    bytes += classes[i].members.size() * classes[i].size;
  }
  return units;
}

class finder {
 public:
  finder(search& with, hash_cache* cache, candidates& among)
      : with_(with), settling_(with, cache), among_(among), units_(make_units(among.classes)) {}

  void run() {
    count_work();
    with_.home.run([this] {
      task_group group(with_.home, with_.stop);
      const std::size_t lanes = std::min(settling_.lanes, units_.size());
      for (std::size_t i = 1; i < lanes; ++i) group.spawn(lane());
      // The caller's own. Where nothing has to wait for the disk, nobody else is needed.
      try {
        sync_wait(with_.home, with_stop(with_.stop, lane()));
      } catch (const task_cancelled&) {
        group.request_stop();
      }
      group.wait();
    });
    report_lone_links();
  }
  [[nodiscard]] std::uint64_t seen_before() const noexcept { return settling_.seen_before; }

 private:
  void count_work() {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    for (const size_class& each : among_.classes) {
      if (each.members.size() < 2) continue;
      files += each.members.size();
      bytes += each.members.size() * each.size;
    }
    add(with_.seen.files_to_do, files);
    add(with_.seen.bytes_to_do, bytes);
  }

  task<void> lane() {
    lane_room room;
    while (!with_.stopped()) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);  // each unit once
      if (index >= units_.size()) co_return;
      for (std::size_t i = units_[index].first; i < units_[index].end; ++i) co_await settle(among_.classes[i], room);
    }
  }

  task<void> settle(const size_class& each, lane_room& room) {
    const std::size_t count = each.members.size();
    const bool needs_hash = settling_.cache != nullptr || with_.options.compare == comparison::hash_only;
    if (count < 2) {
    } else if (each.size == 0) {
      std::vector<member*> all;
      for (member& one : each.members) all.push_back(&one);
      report_group(settling_, 0, all, std::nullopt);
      add(with_.seen.files_done, count);
    } else if (!needs_hash && each.size <= small_bytes && count * each.size <= with_.options.memory_bytes / 4) {
      co_await settle_whole(settling_, each, room);
    } else if (!needs_hash && count <= settling_.together) {
      co_await settle_side_by_side(settling_, each);
    } else {
      co_await settle_by_hash(settling_, each);
    }
  }

  // An inode that is equal to nobody else may still have several names.
  void report_lone_links() {
    if (!with_.options.hard_links_are_duplicates) return;
    for (member& each : among_.members) {
      member* const alone[] = {&each};  // NOLINT(modernize-avoid-c-arrays)
      if (each.count > 1 && !each.grouped) report_group(settling_, each.first().size, alone, std::nullopt);
    }
  }

  search& with_;
  settling settling_;
  candidates& among_;
  std::vector<unit> units_;
  std::atomic<std::size_t> next_{0};
};

void check(const search_options& options) {
  if (options.paths.empty() && options.reference_paths.empty()) throw std::invalid_argument("no path to search");
  if (options.min_size > options.max_size) throw std::invalid_argument("the smallest size is larger than the largest");
  if (options.part_bytes < chunk_bytes) throw std::invalid_argument("parts of files must have 128 KiB at least");
}

void report_cache(search& with, const std::string& wrong) {
  if (!wrong.empty()) with.report(with.options.cache_file, problem_kind::cache, 0, wrong);
}

}  // namespace

settling::settling(search& shared, hash_cache* known)
    : with(shared),
      cache(known),
      descriptors(shared.files_at_a_time),
      lanes(std::clamp<std::size_t>(shared.options.memory_bytes / (3 * batch_bytes), 1,
                                    shared.home.size() * lanes_per_worker)),
      together(std::min(side_by_side_limit, shared.files_at_a_time)) {}

outcome find_duplicates(pool& home, const search_options& options, progress& seen, std::stop_token stop) {
  check(options);
  search with(home, options, seen, std::move(stop));
  walked found = walk(with);
  outcome result;
  result.totals = found.totals;
  std::optional<hash_cache> cache;
  if (!options.cache_file.empty()) {
    cache.emplace(options.cache_file, options.part_bytes);
    report_cache(with, cache->load());
  }
  seen.stage = search_stage::reading;
  if (!with.stopped()) {
    candidates among = by_size_and_inode(found.files);
    result.totals.hard_links = among.hard_links;
    finder work(with, cache ? &*cache : nullptr, among);
    work.run();
    result.totals.skipped.seen_before += work.seen_before();
  }
  if (cache) report_cache(with, cache->save());
  result.groups = with.take_groups();
  std::ranges::sort(result.groups, {}, [](const group& each) -> const std::string& { return each.files.front().path; });
  result.problems = with.take_problems();
  std::ranges::sort(result.problems, [](const problem& left, const problem& right) {
    return std::tie(left.path, left.kind) < std::tie(right.path, right.kind);
  });
  // Several tasks may have met the same one.
  const auto again = std::ranges::unique(result.problems, [](const problem& left, const problem& right) {
    return std::tie(left.path, left.kind, left.error, left.what) ==
           std::tie(right.path, right.kind, right.error, right.what);
  });
  result.problems.erase(again.begin(), again.end());
  for (const group& each : result.groups) {
    result.totals.duplicates += each.files.size() - 1;
    result.totals.wasted_bytes += each.wasted_bytes;
  }
  result.totals.files_read = with.files_read;
  result.totals.bytes_read = seen.bytes_read;
  result.totals.hashes_cached = with.hashes_cached;
  result.interrupted = with.stopped();
  seen.stage = search_stage::finished;
  return result;
}

outcome find_duplicates(pool& home, const search_options& options) {
  progress nobody;
  return find_duplicates(home, options, nobody);
}

const char* to_string(problem_kind kind) noexcept {
  switch (kind) {
    case problem_kind::missing: return "missing";
    case problem_kind::unreadable: return "unreadable";
    case problem_kind::changed: return "changed";
    case problem_kind::loop: return "loop";
    case problem_kind::cache: return "cache";
  }
  return "?";
}

bool is_failure(problem_kind kind) noexcept { return kind != problem_kind::loop && kind != problem_kind::cache; }

const char* to_string(verdict what) noexcept {
  switch (what) {
    case verdict::equal: return "equal";
    case verdict::differ: return "different";
    case verdict::changed: return "changed";
    case verdict::same_file: return "the same file";
    case verdict::unreadable: return "unreadable";
  }
  return "?";
}

}  // namespace pilfer::dups
