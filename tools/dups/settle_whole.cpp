// Small files: each read at once, compared in memory.
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "settle.hpp"

namespace pilfer::dups {

namespace {

// Room for the contents of one class: the lane's, if they fit.
class contents {
 public:
  contents(lane_room& room, const size_class& files) : size_(static_cast<std::size_t>(files.size)) {
    const std::size_t bytes = files.members.size() * size_;
    if (bytes <= batch_bytes) {
      if (!room.contents) room.contents = std::make_unique_for_overwrite<std::byte[]>(batch_bytes);  // NOLINT
      start_ = room.contents.get();
    } else {
      own_ = std::make_unique_for_overwrite<std::byte[]>(bytes);  // NOLINT(modernize-avoid-c-arrays)
      start_ = own_.get();
    }
  }
  [[nodiscard]] std::span<std::byte> of(std::size_t index) const { return {start_ + index * size_, size_}; }

 private:
  std::size_t size_;
  bytes_buffer own_;
  std::byte* start_;
};

// Where a file stands.
struct copy {
  std::uint32_t index = 0;
  bool read = false;
  std::uint64_t hash = 0;
  descriptor opened = {};
};

// Calls `same` for each run of equal contents.
template <class F>
void for_each_group(std::vector<copy>& copies, const contents& texts, F&& same) {
  const auto equal = [&](const copy& left, const copy& right) {
    const auto a = texts.of(left.index);
    return std::memcmp(a.data(), texts.of(right.index).data(), a.size()) == 0;
  };
  std::erase_if(copies, [](const copy& each) { return !each.read; });
  if (copies.size() > 4) {
    for (copy& each : copies) each.hash = XXH3_64bits(texts.of(each.index).data(), texts.of(each.index).size());
    std::ranges::sort(copies, {}, &copy::hash);
  }
  for (auto first = copies.begin(); first != copies.end();) {
    const auto end = std::find_if(first, copies.end(), [&](const copy& each) { return each.hash != first->hash; });
    // Of equal hashes all have the same content, but for an accident: then what differs is looked at again.
    for (auto from = first; end - from > 1;) {
      const auto last = std::partition(from + 1, end, [&](const copy& each) { return equal(*from, each); });
      if (last - from > 1) same(std::span(from, last));
      from = last;
    }
    first = end;
  }
}

// Room for so many open files, if it is there at once; for none, never.
class open_files {
 public:
  open_files(async_semaphore& from, std::size_t count)
      : from_(from), count_(count > 0 && from.try_acquire(count) ? count : 0) {}
  ~open_files() {
    if (granted()) from_.release(count_);
  }
  open_files(const open_files&) = delete;
  open_files& operator=(const open_files&) = delete;
  [[nodiscard]] bool granted() const noexcept { return count_ > 0; }

 private:
  async_semaphore& from_;
  std::size_t count_;
};

// Reads files [from, to); with `keep` they stay open.
task<void> read_some(settling& with, const size_class& files, const contents& texts, std::span<copy> copies,
                     std::size_t from, std::size_t to, bool keep) {
  for (std::size_t i = from; i < to && !with.with.stopped(); ++i) {
    const member& what = files.members[i];
    const int number = open_member(with.with, what);
    if (number < 0) {
      report_unreadable(with.with, what, -number);
      continue;
    }
    descriptor opened(number);
    const int error = co_await fill(with.with, number, texts.of(i), 0);
    spin_for_load(with.with);
    if (error != 0) {
      report_unreadable(with.with, what, error);
    } else if (!keep && !unchanged(number, what.first())) {
      report_changed(with.with, what);
    } else {
      copies[i].read = true;
      if (keep) copies[i].opened = std::move(opened);
    }
  }
}

}  // namespace

task<void> settle_whole(settling& with, size_class files, lane_room& room) {
  const std::size_t count = files.members.size();
  const contents texts(room, files);
  // Of a few, only those that turn out to be equal are looked at again: they stay open, as far as there are descriptors.
  const open_files room_for_all(with.descriptors, count <= batch_files ? count : 0);
  const bool few = room_for_all.granted();
  std::vector<copy> copies(count);
  for (std::size_t i = 0; i < count; ++i) copies[i].index = static_cast<std::uint32_t>(i);
  if (few) {
    co_await read_some(with, files, texts, copies, 0, count, true);
  } else {
    auto body = [&](std::size_t batch) {
      return read_some(with, files, texts, copies, batch * batch_files, std::min(count, (batch + 1) * batch_files),
                       false);
    };
    co_await spread(with, (count + batch_files - 1) / batch_files, body);
  }
  if (with.with.stopped()) co_return;
  std::vector<member*> same;
  for_each_group(copies, texts, [&](std::span<copy> equal) {
    same.clear();
    for (const copy& each : equal) {
      member& what = files.members[each.index];
      if (few && !unchanged(each.opened.get(), what.first())) {
        report_changed(with.with, what);
      } else {
        same.push_back(&what);
      }
    }
    if (same.size() > 1) report_group(with, files.size, same, std::nullopt);
  });
  add(with.with.seen.files_done, count);
  add(with.with.seen.bytes_done, count * files.size);
}

}  // namespace pilfer::dups
