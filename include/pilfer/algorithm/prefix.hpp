// The engine under scans and filters: loops in which each part needs something of all parts before it.
//
// The caller's thread goes on from the front, where everything before is known: one pass, as a serial loop. When somebody is idle, a
// stretch of blocks is laid open. The front goes on with its first block, helpers take blocks from the far end and only prepare
// them (add them up, test them). Where they meet, what each prepared block needs is worked out, and those are finished by everybody; what
// no helper takes, the front does in one pass.
//
// State        writer             reader        meaning
//   claims_    front, helpers     all           {blocks taken from the left, blocks taken from the right}
//
// Invariants
//   I1  The first `count` claims of a stretch are good, all later ones are not: so each block is claimed once, and those of
//       the front are the first ones.
// Edges
//   none: what helpers write is ordered by the joins.
// Sources      the front that scans while others reduce: ours; two passes over blocks: Blelloch 1990, Prefix sums and their applications.
//
// A job is
//   void front(size_t begin, size_t end)              does it all; everything before is done
//   void open(size_t blocks, size_t block)            a stretch: so many blocks, of at most so many elements
//   void prepare(size_t k, size_t begin, size_t end)  what block k contributes; on any thread
//   void settle(size_t k)                             what block k needs, from what is before it: in order, on one thread
//   void finish(size_t k, size_t begin, size_t end)   on any thread
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <pilfer/algorithm/loop.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct prefix_orders {
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Job>
class prefix_loop {
  using Orders = prefix_orders;

 public:
  // Of a stretch: some 4 ms. Measured with `pilfer bench algorithms` (scan of 10^8 doubles, 2 workers): 32 blocks are as slow as
  // serial code, 128 take 0.82 of it, 512 take 0.75: a stretch costs a steal, a barrier and a join that waits for the other side.
  static constexpr std::size_t most_blocks = 512;

  // fixed_block: blocks lie at the multiples of so many elements.
  prefix_loop(Job& job, std::size_t n, const loop_options& options, std::optional<std::size_t> fixed_block = {})
      : job_(job), n_(n), fixed_block_(fixed_block), pace_(options, n) {}

  void run(context here) {
    const loop_clock::ticks start = loop_clock::now();
    loop_clock::ticks last = start;
    while (done_ != n_) {
      if (pace_.is_fixed() && is_anyone_hungry(position_of(here)) && can_open()) {
        run_stretch(here);
        continue;
      }
      const std::size_t n = std::min(n_ - done_, fixed_block_.value_or(pace_.chunk_of(n_ - done_)));
      run_front(n);
      if (done_ == n_) return;
      if (pace_.is_fixed()) continue;
      const loop_clock::ticks now = loop_clock::now();
      const loop_clock::ticks took = now - last;
      last = now;
      pace_.learn(took);
      if (now - start >= pace::patience && is_anyone_hungry(position_of(here)) && can_open() &&
          pace_.is_worth_it(n_ - done_, n, took)) {
        run_stretch(here);
        last = loop_clock::now();
      }
    }
  }

 private:
  [[gnu::noinline]] void run_front(std::size_t n) {
    job_.front(done_, done_ + n);
    done_ += n;
  }

  [[nodiscard]] std::size_t block_size() const noexcept {
    return fixed_block_.value_or(std::max(pace_.least(), std::min(pace_.chunk(), (n_ - done_) / 4)));
  }
  [[nodiscard]] bool can_open() const noexcept { return (n_ - done_) / 2 >= block_size(); }

  [[gnu::noinline]] void run_stretch(context here) {
    begin_ = done_;
    block_ = block_size();
    const std::size_t rest = n_ - done_;
    count_ = std::min(most_blocks, rest / block_ + (rest % block_ != 0 ? 1 : 0));
    if (!fixed_block_ && count_ > 1 && rest / block_ < count_)
      --count_;  // the last block is as long as the others, at least
    job_.open(count_, block_);
    claims_.store(0, Orders::relaxed);  // before anyone helps
    fork_join(here, [&](context x) { go_ahead(x); }, [&](context x) { help(x); });
    const std::size_t met = (done_ - begin_ + block_ - 1) / block_;
    for (std::size_t k = met; k != count_; ++k) job_.settle(k);
    const finishing body{*this, met};
    run_loop(here, body, count_ - met, loop_options{.grain = 1});
    done_ = std::min(n_, begin_ + count_ * block_);
  }

  struct finishing {
    static constexpr bool nothrow = false;
    prefix_loop& all;
    std::size_t first;
    void run(std::size_t begin, std::size_t end) const {
      for (std::size_t k = first + begin; k != first + end; ++k) all.job_.finish(k, all.begin_of(k), all.end_of(k));
    }
  };

  // The front of a stretch; more helpers for whoever becomes idle.
  void go_ahead(context here) {
    while (const std::optional<std::size_t> k = claim(side::left)) {
      run_front(end_of(*k) - begin_of(*k));
      if (is_anyone_hungry(position_of(here))) {
        fork_join(here, [&](context x) { go_ahead(x); }, [&](context x) { help(x); });
        return;
      }
    }
  }
  void help(context here) {
    while (const std::optional<std::size_t> k = claim(side::right)) {
      job_.prepare(*k, begin_of(*k), end_of(*k));
      if (is_anyone_hungry(position_of(here))) {
        fork_join(here, [&](context x) { help(x); }, [&](context x) { help(x); });
        return;
      }
    }
  }

  enum class side : bool { left, right };
  [[nodiscard]] std::optional<std::size_t> claim(side from) noexcept {
    const std::uint64_t one = from == side::left ? 1 : std::uint64_t{1} << 32U;
    const std::uint64_t before = claims_.fetch_add(one, Orders::relaxed);  // carried by the joins
    const std::size_t left = before & 0xFFFFFFFFU;
    const std::size_t right = before >> 32U;
    if (left + right >= count_) return std::nullopt;
    return from == side::left ? left : count_ - 1 - right;
  }
  [[nodiscard]] std::size_t begin_of(std::size_t k) const noexcept { return begin_ + k * block_; }
  [[nodiscard]] std::size_t end_of(std::size_t k) const noexcept { return std::min(n_, begin_of(k) + block_); }

  Job& job_;
  const std::size_t n_;
  const std::optional<std::size_t> fixed_block_;
  pace pace_;
  std::size_t done_ = 0;   // all before is finished
  std::size_t begin_ = 0;  // of the stretch
  std::size_t block_ = 1;
  std::size_t count_ = 0;
  ext::default_sync::atomic<std::uint64_t> claims_{0};
};

}  // namespace pilfer::detail
