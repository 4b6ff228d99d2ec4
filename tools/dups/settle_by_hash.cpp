// Many files of one size, or files whose hashes are wanted.
#include <algorithm>
#include <cerrno>
#include <ctime>

#include "cache.hpp"
#include "hashing.hpp"
#include "settle.hpp"

namespace pilfer::dups {

namespace {

// Clocks of file systems are coarse, up to 2 s: what was written to so lately may be written to again under the same time.
constexpr std::int64_t too_fresh_ns = 2'000'000'000;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

struct record {
  member* what = nullptr;
  bool bad = false;
  std::optional<hash128> edges = {};
  std::optional<hash128> full = {};
};
using records = std::vector<record*>;

class hash_run {
 public:
  hash_run(settling& with, size_class files)
      : with_(with),
        size_(files.size),
        hashes_wanted_(with.cache != nullptr || with.with.options.compare == comparison::hash_only),
        parts_(parts_of(files.size, with.with.options.part_bytes)),
        all_(files.members.size()) {
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].what = &files.members[i];
  }

  task<void> run() {
    ask_cache();
    records todo = whole();
    co_await hash_all_edges(todo);
    for (records& same : split(todo, &record::edges)) {
      if (with_.with.stopped()) break;
      if (!hashes_wanted_ && same.size() <= with_.together) {
        co_await verify_all(same, std::nullopt);
        continue;
      }
      co_await hash_all(same);
      for (const records& equal : split(same, &record::full)) co_await finish(equal);
    }
    tell_cache();
    add(with_.with.seen.files_done, all_.size());
    const std::uint64_t counted = counted_.load(std::memory_order_relaxed);  // all tasks have ended
    add(with_.with.seen.bytes_done, all_.size() * size_ - std::min(counted, all_.size() * size_));
  }

 private:
  records whole() {
    records result;
    for (record& each : all_) result.push_back(&each);
    return result;
  }

  void ask_cache() {
    if (with_.cache == nullptr) return;
    for (record& each : all_) {
      const auto known = with_.cache->find(each.what->first());
      if (!known) continue;
      each.edges = known->edges;
      each.full = known->full;
      add(with_.with.hashes_cached, 1);
    }
  }
  void tell_cache() {
    if (with_.cache == nullptr) return;
    for (const record& each : all_) {
      if (each.what->first().mtime_ns > started_ns_ - too_fresh_ns) continue;
      if (!each.bad && each.edges) with_.cache->keep(each.what->first(), {*each.edges, each.full});
    }
  }

  // Those with equal hashes, two at least; what was bad is left out.
  static std::vector<records> split(const records& from, std::optional<hash128> record::* by) {
    records good;
    for (record* const each : from) {
      if (!each->bad && each->*by) good.push_back(each);
    }
    std::ranges::sort(good, {}, [by](const record* each) { return *(each->*by); });
    std::vector<records> result;
    for (auto first = good.begin(); first != good.end();) {
      const auto end = std::find_if(first, good.end(), [&](const record* each) { return each->*by != (*first)->*by; });
      if (end - first > 1) result.emplace_back(first, end);
      first = end;
    }
    return result;
  }

  void spoil(record& which, int error) {
    which.bad = true;
    report_unreadable(with_.with, *which.what, error);
  }
  // After reading: the hash is of what the walk has seen.
  bool check(record& which, int opened) {
    if (unchanged(opened, which.what->first())) return true;
    which.bad = true;
    report_changed(with_.with, *which.what);
    return false;
  }

  task<void> hash_all_edges(records& which) {
    std::erase_if(which, [](const record* each) { return each->edges.has_value(); });
    auto body = [&](std::size_t batch) -> task<void> { return hash_edges_of(which, batch * batch_files); };
    co_await spread(with_, (which.size() + batch_files - 1) / batch_files, body);
    which = whole();
  }
  task<void> hash_edges_of(const records& which, std::size_t from) {
    const std::size_t to = std::min(which.size(), from + batch_files);
    for (; from < to && !with_.with.stopped(); ++from) {
      record& each = *which[from];
      const int number = open_member(with_.with, *each.what);
      if (number < 0) {
        spoil(each, -number);
        continue;
      }
      const descriptor opened(number);
      const hashed result = co_await hash_edges(with_, number, size_);
      spin_for_load(with_.with);
      if (result.error != 0) {
        spoil(each, result.error);
      } else if (check(each, number)) {
        each.edges = result.hash;
        if (edges_are_all(size_)) each.full = result.hash;
      }
    }
  }

  // Parts of files, or several small files, are a task.
  task<void> hash_all(const records& same) {
    records which;
    std::ranges::copy_if(same, std::back_inserter(which), [](const record* each) { return !each->full; });
    if (which.empty()) co_return;
    std::vector<hashed> results(which.size() * parts_);
    const std::size_t at_a_time =
        parts_ > 1
            ? 1
            : std::max<std::size_t>(1, static_cast<std::size_t>(batch_bytes / std::max<std::uint64_t>(size_, 1)));
    auto body = [&](std::size_t batch) -> task<void> {
      return hash_parts(which, results, batch * at_a_time, std::min(results.size(), (batch + 1) * at_a_time));
    };
    co_await spread(with_, (results.size() + at_a_time - 1) / at_a_time, body);
    if (with_.with.stopped()) co_return;
    for (std::size_t i = 0; i < which.size(); ++i)
      join_parts(*which[i], std::span(results).subspan(i * parts_, parts_));
  }
  task<void> hash_parts(const records& which, std::vector<hashed>& results, std::size_t from, std::size_t to) {
    const std::uint64_t part_bytes = parts_ == 1 ? size_ : with_.with.options.part_bytes;
    for (; from < to && !with_.with.stopped(); ++from) {
      const record& each = *which[from / parts_];
      const std::uint64_t start = from % parts_ * part_bytes;
      const int number = open_member(with_.with, *each.what);
      if (number < 0) {
        results[from].error = -number;
        continue;
      }
      const descriptor opened(number);
      const std::uint64_t end = std::min(size_, start + part_bytes);
      results[from] = co_await hash_range(with_, number, each.what->first().sparse(), start, end);
      add(counted_, end - start);
      if (results[from].error == 0 && !unchanged(number, each.what->first())) results[from].error = ended_early;
    }
  }
  void join_parts(record& which, std::span<const hashed> parts) {
    std::vector<hash128> hashes;
    for (const hashed& each : parts) {
      if (each.error != 0) {
        spoil(which, each.error);
        return;
      }
      hashes.push_back(each.hash);
    }
    which.full = hash_of_parts(hashes);
  }

  task<void> finish(const records& equal) {
    if (with_.with.options.compare == comparison::bytes) {
      add(with_.with.seen.bytes_to_do, equal.size() * size_);  // all over again
      co_await verify_all(equal, equal.front()->full);
    } else if (!with_.with.stopped()) {
      report_group(with_, size_, members_of(equal), equal.front()->full);
    }
  }
  task<void> verify_all(const records& equal, std::optional<hash128> hash) {
    std::vector<member*> rest = members_of(equal);
    if (!hash) add(counted_, rest.size() * size_);
    while (rest.size() > with_.together && !with_.with.stopped()) rest = co_await verify(std::move(rest), hash);
    if (rest.size() > 1 && !with_.with.stopped()) co_await verify_at_once(rest, hash);
  }
  // As many as can be compared with each other: one comparison finds all classes.
  task<void> verify_at_once(const std::vector<member*>& files, std::optional<hash128> hash) {
    const compared result = co_await compare(with_, files, size_);
    if (with_.with.stopped()) co_return;
    for (const auto& same : result.classes) {
      std::vector<member*> group_members;
      group_members.reserve(same.size());
      for (const std::uint32_t index : same) group_members.push_back(files[index]);
      report_group(with_, size_, group_members, hash);
    }
  }
  static std::vector<member*> members_of(const records& which) {
    std::vector<member*> result;
    for (const record* each : which) result.push_back(each->what);
    return result;
  }

  // More than that, and of one hash, so that all are equal but for an accident: reports what is equal to the first one, byte for byte;
  // returns what is neither equal nor bad.
  task<std::vector<member*>> verify(std::vector<member*> files, std::optional<hash128> hash) {
    const std::size_t others = with_.together - 1;
    std::vector<member*> same{files.front()};
    std::vector<member*> different;
    std::mutex lock;
    bool first_is_bad = false;
    auto body = [&](std::size_t batch) -> task<void> {
      std::vector<member*> some{files.front()};
      const std::size_t from = 1 + batch * others;
      some.insert(some.end(), files.begin() + static_cast<std::ptrdiff_t>(from),
                  files.begin() + static_cast<std::ptrdiff_t>(std::min(files.size(), from + others)));
      {
        const std::lock_guard guard(lock);
        if (first_is_bad) {
          different.insert(different.end(), some.begin() + 1, some.end());
          co_return;
        }
      }
      const compared result = co_await compare(with_, some, size_);
      std::vector<bool> equal(some.size(), false);
      for (const auto& each : result.classes) {
        if (std::ranges::find(each, 0U) == each.end()) continue;
        for (const std::uint32_t index : each) equal[index] = true;
      }
      const std::lock_guard guard(lock);
      first_is_bad = first_is_bad || result.bad[0];
      for (std::size_t i = 1; i < some.size(); ++i) {
        if (!result.bad[i]) (equal[i] ? same : different).push_back(some[i]);
      }
    };
    co_await spread(with_, (files.size() - 1 + others - 1) / others, body);
    if (with_.with.stopped()) co_return std::vector<member*>{};
    if (first_is_bad) {
      // Some were compared before it went bad, and some after: among each other they may all be equal.
      different.insert(different.end(), same.begin() + 1, same.end());
    } else if (same.size() > 1) {
      report_group(with_, size_, same, hash);
    }
    co_return different;
  }

  settling& with_;
  std::uint64_t size_;
  bool hashes_wanted_;
  std::size_t parts_;
  std::vector<record> all_;
  const std::int64_t started_ns_ = now_ns();
  std::atomic<std::uint64_t> counted_{0};
};

}  // namespace

task<void> settle_by_hash(settling& with, size_class files) {
  hash_run work(with, files);
  co_await work.run();
}

}  // namespace pilfer::dups
