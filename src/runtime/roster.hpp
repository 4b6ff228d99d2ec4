// The workers of a pool by number, as any thread may use them. They stay until the pool ends.
//
// State        writer            reader   meaning
//   table_     one at a time     all      the workers; grows only
//   known_     one at a time     all      how many of them there are
//
// Edges
//   enlist     add: stores of table_ and known_ -> at(), known(): loads of them   a worker is whole before it is seen
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "worker.hpp"

namespace pilfer::detail {

struct roster_orders {
  static constexpr ext::edge enlist{};
};

class roster {
  using orders = roster_orders;

 public:
  static constexpr std::size_t most_workers = std::size_t{1} << run_id::worker_bits;
  [[nodiscard]] worker_face& at(std::size_t index) const noexcept { return *table_[index].load(orders::enlist.acq); }
  [[nodiscard]] std::size_t known() const noexcept { return known_.load(orders::enlist.acq); }
  // By one thread at a time. Requires that there is room.
  worker& add(std::unique_ptr<worker> fresh) {
    const std::size_t index = workers_.size();
    workers_.push_back(std::move(fresh));
    table_[index].store(workers_.back().get(), orders::enlist.rel);
    known_.store(index + 1, orders::enlist.rel);
    return *workers_.back();
  }
  // At the end of the pool, when no thread sits at any of them.
  template <class F>
  void for_each_vacant(F&& f) const noexcept {
    for (const auto& each : workers_) f(*each);
  }

 private:
  std::array<ext::default_sync::atomic<worker_face*>, most_workers> table_;
  ext::default_sync::atomic<std::size_t> known_{0};
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace pilfer::detail
