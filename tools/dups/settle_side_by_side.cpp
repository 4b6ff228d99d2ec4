// Files of any size, a few of them: read and compared at the same time.
#include <fcntl.h>
#include <sys/uio.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "settle.hpp"

namespace pilfer::dups {

namespace {

constexpr std::uint64_t ahead_bytes = std::uint64_t{16}
                                      << 20U;  // that the kernel reads for one comparison before they are needed
constexpr std::uint64_t page_bytes = 4096;

class comparison_run {
 public:
  comparison_run(settling& with, std::span<member* const> files, std::uint64_t size)
      : with_(with), files_(files), size_(size), opened_(files.size()), bad_(files.size(), false) {}

  task<compared> run() {
    const semaphore_permit room = co_await with_.descriptors.hold(files_.size());
    open_all();
    const std::uint64_t block = std::min<std::uint64_t>(block_bytes, size_);
    co_await compare_range(0, block);
    const std::uint64_t last = std::max(block, size_ - block);
    co_await compare_range(last, size_);
    co_await compare_rest(block, last);
    drop_changed();
    add(with_.with.seen.bytes_done, files_.size() * size_ - done_.load(std::memory_order_relaxed));  // all are done
    co_return compared{std::move(classes_), std::move(bad_)};
  }

 private:
  void open_all() {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < files_.size() && !with_.with.stopped(); ++i) {
      const int number = open_member(with_.with, *files_[i]);
      spin_for_load(with_.with);
      if (number < 0) {
        spoil(i, -number);
      } else {
        opened_[i] = descriptor(number);
        all.push_back(i);
      }
    }
    if (all.size() > 1) classes_.push_back(std::move(all));
  }

  // Reports it once, whoever meets it.
  void spoil(std::uint32_t index, int error) {
    {
      const std::lock_guard guard(lock_);
      if (bad_[index]) return;
      bad_[index] = true;
    }
    report_unreadable(with_.with, *files_[index], error);
  }

  task<void> compare_range(std::uint64_t from, std::uint64_t to) {
    classes_ = co_await refine(std::move(classes_), from, to);
  }

  // In parts, if it is much: front to back, so that what differs early is known early.
  task<void> compare_rest(std::uint64_t from, std::uint64_t to) {
    const std::uint64_t part = std::max<std::uint64_t>(parallel_bytes / files_.size(), 4 * chunk_bytes);
    if (classes_.empty() || from >= to) co_return;
    if (to - from < 2 * part) {
      co_await compare_range(from, to);
      co_return;
    }
    auto body = [&](std::size_t index) {
      return compare_part(from + index * part, std::min(to, from + (index + 1) * part));
    };
    co_await spread(with_, static_cast<std::size_t>((to - from + part - 1) / part), body);
  }

  task<void> compare_part(std::uint64_t from, std::uint64_t to) {
    partition before;
    {
      const std::lock_guard guard(lock_);
      before = classes_;
    }
    if (before.empty()) co_return;
    const partition after = co_await refine(std::move(before), from, to);
    const std::lock_guard guard(lock_);
    classes_ = meet(classes_, after, files_.size());
  }

  // What is together in both.
  static partition meet(const partition& left, const partition& right, std::size_t files) {
    std::vector<std::uint32_t> label(files, 0);
    std::uint32_t next = 0;
    for (const auto& same : right) {
      ++next;
      for (const std::uint32_t index : same) label[index] = next;
    }
    partition both;
    for (const auto& same : left) {
      std::vector<std::vector<std::uint32_t>> parts(next + 1);
      for (const std::uint32_t index : same) parts[label[index]].push_back(index);
      for (std::uint32_t i = 1; i <= next; ++i) {
        if (parts[i].size() > 1) both.push_back(std::move(parts[i]));
      }
    }
    return both;
  }

  // Splits the classes by what the files have in [from, to).
  task<partition> refine(partition classes, std::uint64_t from, std::uint64_t to) {
    borrowed_buffers room(with_.buffers);
    // Whole pages: none is looked up twice.
    const std::uint64_t most = std::max(
        page_bytes, std::min<std::uint64_t>(chunk_bytes, side_by_side_bytes / files_.size()) / page_bytes * page_bytes);
    std::uint64_t announced = from;
    while (!classes.empty() && from < to) {
      if (with_.with.stopped()) co_return partition{};
      const std::uint64_t data = skip_holes(classes, from, to);
      count(classes, data - from);
      from = data;
      const auto bytes = static_cast<std::size_t>(std::min(most, to - from));
      if (bytes == 0) break;
      if (from >= announced) announced = announce(classes, from, to);
      partition next;
      for (auto& each : classes) {
        std::vector<std::vector<std::uint32_t>> parts = co_await split(each, from, bytes, room);
        for (auto& part : parts) {
          if (part.size() > 1) next.push_back(std::move(part));
        }
      }
      count(classes, bytes);
      classes = std::move(next);
      from += bytes;
    }
    co_return classes;
  }

  // Files that are not in memory: the kernel reads what comes next of all of them at the same time. One stands for all. Returns
  // how far that goes.
  [[nodiscard]] std::uint64_t announce(const partition& classes, std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t each = std::max<std::uint64_t>(ahead_bytes / files_.size(), chunk_bytes);
    const std::uint64_t end = std::min(to, from + each);
    char one = 0;
    const iovec place{.iov_base = &one, .iov_len = 1};
    const int first = opened_[classes.front().front()].get();
    if (::preadv2(first, &place, 1, static_cast<off_t>(from), RWF_NOWAIT) >= 0 || errno != EAGAIN) return end;
    for (const auto& same : classes) {
      for (const std::uint32_t index : same) {
        ::posix_fadvise(opened_[index].get(), static_cast<off_t>(from), static_cast<off_t>(end - from),
                        POSIX_FADV_WILLNEED);
      }
    }
    return end;
  }

  // One chunk of one class. The buffer i has what parts[i] has in common. Most are like the first; where there are more, hashes tell
  // which one to compare with.
  task<partition> split(const std::vector<std::uint32_t>& files, std::uint64_t from, std::size_t bytes,
                        borrowed_buffers& room) {
    partition parts;
    std::vector<std::uint64_t> hashes;
    for (const std::uint32_t index : files) {
      std::byte* const text = room.at(parts.size());
      const int error = co_await fill(with_.with, opened_[index].get(), {text, bytes}, from);
      if (error != 0) {
        spoil(index, error);
        continue;
      }
      std::size_t like = 0;
      if (!parts.empty() && std::memcmp(room.at(0), text, bytes) != 0) {
        const std::uint64_t hash = XXH3_64bits(text, bytes);
        hashes.resize(parts.size(), 0);
        for (like = 1; like < parts.size(); ++like) {
          if (hashes[like] == hash && std::memcmp(room.at(like), text, bytes) == 0) break;
        }
        if (like == parts.size()) hashes.push_back(hash);
      }
      if (like == parts.size()) parts.emplace_back();
      parts[like].push_back(index);
    }
    co_return parts;
  }

  // Where all of them have a hole, they are equal.
  std::uint64_t skip_holes(const partition& classes, std::uint64_t from, std::uint64_t to) const {
    std::uint64_t data = to;
    for (const auto& same : classes) {
      for (const std::uint32_t index : same) {
        if (!files_[index]->first().sparse()) return from;
        data = std::min(data, next_data(opened_[index].get(), from, to));
        if (data <= from) return from;
      }
    }
    return data;
  }

  void count(const partition& classes, std::uint64_t bytes) {
    std::uint64_t files = 0;
    for (const auto& same : classes) files += same.size();
    add(done_, files * bytes);
    add(with_.with.seen.bytes_done, files * bytes);
  }

  void drop_changed() {
    for (auto& same : classes_) {
      std::erase_if(same, [&](std::uint32_t index) {
        if (bad_[index]) return true;
        if (unchanged(opened_[index].get(), files_[index]->first())) return false;
        bad_[index] = true;
        report_changed(with_.with, *files_[index]);
        return true;
      });
    }
    std::erase_if(classes_, [](const auto& same) { return same.size() < 2; });
  }

  settling& with_;
  std::span<member* const> files_;
  std::uint64_t size_;
  std::vector<descriptor> opened_;
  std::mutex lock_;  // for classes_ and bad_, while there are parts
  partition classes_;
  std::vector<bool> bad_;
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace

task<compared> compare(settling& with, std::span<member* const> files, std::uint64_t size) {
  comparison_run work(with, files, size);
  co_return co_await work.run();
}

task<void> settle_side_by_side(settling& with, size_class files) {
  std::vector<member*> all;
  for (member& each : files.members) all.push_back(&each);
  const compared result = co_await compare(with, all, files.size);
  add(with.with.seen.files_done, all.size());
  if (with.with.stopped()) co_return;
  std::vector<member*> group_members;
  for (const auto& same : result.classes) {
    group_members.clear();
    for (const std::uint32_t index : same) group_members.push_back(all[index]);
    report_group(with, files.size, group_members, std::nullopt);
  }
}

}  // namespace pilfer::dups
