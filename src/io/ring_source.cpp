// A pool on io_uring: a ring for each of its threads, made when that first does I/O.
#include "source.hpp"

#if defined(PILFER_HAS_URING)

#include <cerrno>
#include <memory>

#include <pilfer/pool.hpp>

#include "ring.hpp"
#include "system_calls.hpp"
#include "threads.hpp"

namespace pilfer::io::detail {

namespace {

// State        writer               reader   meaning
//   rings_     each worker its own  all      null: none yet
//   known_     all                  all      one more than the highest number of a worker with a ring
// Edges
//   made       make_ring: store of rings_[i]   -> any other load of it   the ring is whole
//   known      make_ring: CAS of known_        -> loads of known_        no more than a hint: a ring that is missed is found the next time
struct ring_source_orders {
  static constexpr ext::edge made{};
  static constexpr ext::edge known{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

class ring_source final : public source {
  using Orders = ring_source_orders;

 public:
  using worker = pilfer::detail::worker;

  ring_source(const options& wanted, std::string description)
      : source(backend::uring, wanted, std::move(description)), rings_(new slot[worker_limit]) {}
  ~ring_source() override {
    for (std::size_t i = 0; i < worker_limit; ++i) delete rings_[i].load(Orders::made.acq);
  }

  bool start(worker* self, operation& wanted) noexcept override {
    if (wanted.wanted.code == opcode::connect && wanted.wanted.target < 0) {
      wanted.outcome = prepare_connect(wanted.wanted);
      if (wanted.outcome < 0) return false;
    }
    // The kernel has no way to ask for a status without a thread of its own.
    if (self != nullptr && self->has_thread() && wanted.wanted.code != opcode::stat) {
      ring* const mine = ring_for(*self);
      if (mine != nullptr && mine->start(wanted)) return true;
    }
    elsewhere_.add();
    return start_on_threads(wanted);
  }
  void note_inline(worker* self) noexcept override {
    ring* const mine = self != nullptr ? of(*self) : nullptr;
    if (mine == nullptr || !self->has_thread()) {
      inline_elsewhere_.add();
      return;
    }
    mine->operations.add();
    mine->inline_done.add();
  }

  void flush(worker& self) noexcept override {
    if (ring* const mine = of(self)) mine->flush();
  }
  std::size_t reap(worker& self) noexcept override {
    ring* const mine = of(self);
    return mine != nullptr ? mine->reap(true) : 0;
  }
  std::size_t reap_others(worker& self) noexcept override {
    std::size_t count = 0;
    for_others(self, [&](ring& each) {
      if (!each.is_slept_in()) {
        each.send_cancels_again();
        count += each.reap(false);
      }
      return false;
    });
    return count;
  }
  [[nodiscard]] bool has_come(const worker& self) const noexcept override {
    const ring* const mine = of(self);
    if (mine != nullptr && mine->has_come()) return true;
    return for_others(self, [](const ring& each) { return !each.is_slept_in() && each.has_come(); });
  }
  [[nodiscard]] bool waits(const worker& self) const noexcept override {
    const ring* const mine = of(self);
    return mine != nullptr && mine->waits();
  }
  [[nodiscard]] others others_wait(const worker& self) const noexcept override {
    bool any = false;
    const bool unattended = for_others(self, [&](const ring& each) {
      if (!each.waits()) return false;
      any = true;
      return !each.is_slept_in();
    });
    return unattended ? others::unattended : (any ? others::attended : others::nothing);
  }
  void sleep(worker& self, std::chrono::nanoseconds limit) noexcept override {
    if (ring* const mine = of(self)) mine->sleep(limit);
  }
  void kick(pilfer::detail::worker_face& sleeper) noexcept override {
    if (const ring* const its = of(sleeper)) its->kick();
  }

  void count(statistics& into) const noexcept override {
    into.operations = elsewhere_.value();
    into.inline_done = inline_elsewhere_.value();
    into.operations += into.inline_done;
    const std::size_t known = known_.load(Orders::known.acq);
    for (std::size_t i = 0; i < known; ++i) {
      const ring* const each = rings_[i].load(Orders::made.acq);
      if (each == nullptr) continue;
      ++into.rings;
      into.operations += each->operations.value();
      into.inline_done += each->inline_done.value();
      into.ring_enters += each->enters.value();
      into.ring_entries += each->entries.value();
      into.reaped += each->reaped.value();
      into.reaped_by_others += each->reaped_by_others.value();
      into.cancelled += each->cancelled.value();
    }
  }

 private:
  using slot = ext::default_sync::atomic<ring*>;

  [[nodiscard]] ring* of(const pilfer::detail::worker_face& whose) const noexcept {
    return rings_[whose.index].load(Orders::made.acq);
  }
  [[nodiscard]] ring* ring_for(const worker& self) noexcept {
    if (ring* const mine = of(self)) [[likely]]
      return mine;
    return make_ring(self);
  }
  // Null: not one more could be had. Then threads do what this worker wants.
  [[gnu::noinline, gnu::cold]] ring* make_ring(const worker& self) noexcept {
    try {
      auto made = std::make_unique<ring>();
      std::string what;
      if (made->open(wanted().ring_entries, what) != 0) return nullptr;
      made->give_short_name();
      ring* const mine = made.release();
      rings_[self.index].store(mine, Orders::made.rel);
      std::size_t known = known_.load(Orders::relaxed);  // rechecked by the CAS
      while (known <= self.index && !known_.compare_exchange(known, self.index + 1, Orders::known.rel,
                                                             Orders::relaxed)) {  // failure: again
      }
      return mine;
    } catch (const std::exception&) {
      return nullptr;
    }
  }
  // Until one says true.
  template <class F>
  bool for_others(const worker& self, F&& f) const noexcept {
    const std::size_t known = known_.load(Orders::known.acq);
    for (std::size_t i = 0; i < known; ++i) {
      if (i == self.index) continue;
      ring* const each = rings_[i].load(Orders::made.acq);
      if (each != nullptr && f(*each)) return true;
    }
    return false;
  }

  std::unique_ptr<slot[]> rings_;  // NOLINT(modernize-avoid-c-arrays): atomics cannot be moved
  ext::default_sync::atomic<std::size_t> known_{0};
  shared_counter elsewhere_;
  shared_counter inline_elsewhere_;
};

}  // namespace

std::unique_ptr<source> make_ring_source(const options& wanted, std::string& why, int& error) {
  const int failed = probe_rings(wanted.ring_entries, why);
  if (failed == 0) {
    return std::make_unique<ring_source>(
        wanted, "io_uring: a ring of " + std::to_string(wanted.ring_entries) + " entries per worker");
  }
  error = -failed;
  why += ": " + std::system_category().message(error);
  return nullptr;
}

}  // namespace pilfer::io::detail

#else

#include <cerrno>

namespace pilfer::io::detail {

std::unique_ptr<source> make_ring_source(const options& /*wanted*/, std::string& why, int& error) {
  why = "this library was built without liburing";
  error = ENOSYS;
  return nullptr;
}

}  // namespace pilfer::io::detail

#endif
