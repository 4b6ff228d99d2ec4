// The engine under every loop: lazy binary splitting.
//
// A loop runs its iterations in chunks on the caller's thread. Between two chunks it looks whether anybody is idle; only then,
// and only if what is left is worth it, half of the rest is forked off. Both halves go on in the same way, so a loop that nobody
// helps with forks nothing and costs what a serial loop costs, and a loop whose iterations differ is balanced by whoever
// becomes idle.
//
// Chunks     1, 4, 16, ... iterations, until one takes some 8 us: the loop measures itself. An iteration that takes longer is
//            a chunk of its own; when iterations become slower the chunks become shorter.
// First fork after some 20 us: a short loop must not wake a worker that sleeps. A half that was forked off knows the measure and
//            need not wait.
// Grain      of the caller: each chunk has that size (the last one may have nearly twice), nothing is measured, and the first
//            look comes before the first chunk.
// Order      a half's results are combined with the other's, left before right (absorb).
// Throws     as fork_join: what the left half threw, else the right one; iterations of a chunk that come after the throwing one
//            are left out, the other half runs to its end.
// Sources    Tzannes, Caragea, Barua and Vishkin 2010, Lazy Binary-Splitting; the question who is idle, and the measure: ours.
//
// A body is
//   static constexpr bool nothrow              nothing of it throws
//   void run(size_t begin, size_t end)         the iterations of a chunk, as a plain loop that the compiler can vectorize;
//   bool run(...)                              or with a result: true ends this part of the loop
//   Body other()                               a body for the right half; absent: one body serves both, on different threads
//   void absorb(Body& right)                   takes over what the right half has found
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pilfer/algorithm/inside.hpp>
#include <pilfer/detail/fork/hunger.hpp>

namespace pilfer::detail {

// A clock that costs less than an iteration. Its unit is a nanosecond, or what x86 calls a cycle: 0.2 to 1 ns; no more is needed.
struct loop_clock {
  using ticks = std::uint64_t;
#if defined(__x86_64__) || defined(__i386__)
  [[nodiscard, gnu::always_inline]] static ticks now() noexcept { return __builtin_ia32_rdtsc(); }
  static constexpr ticks per_us = 2500;
#else
  [[nodiscard, gnu::always_inline]] static ticks now() noexcept {
    return static_cast<ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  static constexpr ticks per_us = 1000;
#endif
};

// How a loop goes on: what it knows of its iterations, and what it hands on to a half.
class pace {
 public:
  using ticks = loop_clock::ticks;
  static constexpr ticks chunk_ticks = 8 * loop_clock::per_us;  // a chunk should take: an idle worker waits so long
  static constexpr ticks patience = 20 * loop_clock::per_us;    // before the first fork: what it costs to wake a worker
  static constexpr ticks worth_ticks = 10 * loop_clock::per_us;  // a rest that takes less is not split
  static constexpr std::size_t growth = 4;                       // so much of a loop may be a surprise
  static constexpr std::size_t largest = std::size_t{1} << (sizeof(std::size_t) * 4 + 8);

  // n: iterations in all. least: the smallest part, if the options name none.
  pace(const loop_options& options, std::size_t n, std::size_t least = 1) noexcept
      : least_(std::clamp<std::size_t>(options.grain.value_or(least), 1, n == 0 ? 1 : n)),
        chunk_(least_),
        fixed_(options.grain.has_value()) {}

  [[nodiscard]] bool is_fixed() const noexcept { return fixed_; }
  [[nodiscard]] std::size_t least() const noexcept { return least_; }
  [[nodiscard]] std::size_t chunk() const noexcept { return chunk_; }
  // The next chunk of a rest; no smaller rest than the least is left over.
  [[nodiscard, gnu::always_inline]] std::size_t chunk_of(std::size_t rest) const noexcept {
    return chunk_ >= rest || rest - chunk_ < least_ ? rest : chunk_;
  }
  [[nodiscard]] bool can_split(std::size_t rest) const noexcept { return rest / 2 >= least_; }
  // Whether a rest is worth a fork, after `done` iterations took so long.
  [[nodiscard]] bool is_worth_it(std::size_t rest, std::size_t done, ticks took) const noexcept {
    return can_split(rest) && static_cast<double>(rest) * static_cast<double>(took) >=
                                  static_cast<double>(worth_ticks) * static_cast<double>(done);
  }
  // The left part of a rest that is split; a multiple of the grain, where there is one.
  [[nodiscard]] std::size_t half_of(std::size_t rest) const noexcept {
    return fixed_ ? rest / 2 / least_ * least_ : rest / 2;
  }
  // A chunk took so long.
  [[gnu::always_inline]] void learn(ticks took) noexcept {
    if (took < chunk_ticks / growth) {
      if (chunk_ < largest) chunk_ *= growth;
    } else if (took > 2 * chunk_ticks) [[unlikely]] {
      shrink(took);
    }
  }
  // The loop has waited long enough, and so have its halves.
  void has_waited() noexcept { patience_ = 0; }
  [[nodiscard]] ticks patience_left() const noexcept { return patience_; }

 private:
  [[gnu::noinline, gnu::cold]] void shrink(ticks took) noexcept {
    const double scale = static_cast<double>(chunk_ticks) / static_cast<double>(took);
    chunk_ = std::max(least_, static_cast<std::size_t>(static_cast<double>(chunk_) * scale));
  }

  std::size_t least_;
  std::size_t chunk_;
  ticks patience_ = patience;
  bool fixed_;
};

template <class Body>
concept splitting_body = requires(Body& body, Body& right) {
  { body.other() } -> std::same_as<Body>;
  body.absorb(right);
};

// A chunk; true: this part of the loop is over. Not inlined, so that the compiler does not copy it into what is seldom executed.
template <class Body>
[[gnu::noinline]] bool run_chunk(Body& body, std::size_t begin, std::size_t end) noexcept(Body::nothrow) {
  if constexpr (std::is_void_v<decltype(body.run(begin, end))>) {
    body.run(begin, end);
    return false;
  } else {
    return body.run(begin, end);
  }
}

template <class Body>
void run_part(context here, Body& body, std::size_t begin, std::size_t end, pace p) noexcept(Body::nothrow);

template <class Body>
[[gnu::noinline, gnu::cold]] void run_halves(context here, Body& body, std::size_t begin, std::size_t end,
                                             pace p) noexcept(Body::nothrow) {
  const std::size_t middle = begin + p.half_of(end - begin);
  const auto both = [&](Body& right) noexcept(Body::nothrow) {
    fork_join(
        here, [&](context x) noexcept(Body::nothrow) { run_part(x, body, begin, middle, p); },
        [&](context x) noexcept(Body::nothrow) { run_part(x, right, middle, end, p); });
  };
  if constexpr (splitting_body<Body>) {
    Body right = body.other();
    both(right);
    body.absorb(right);
  } else {
    both(body);
  }
}

// With a grain of the caller's.
template <class Body>
void run_grains(context here, Body& body, std::size_t begin, std::size_t end, pace p) noexcept(Body::nothrow) {
  while (begin != end) {
    const std::size_t rest = end - begin;
    if (is_anyone_hungry(position_of(here)) && p.can_split(rest)) {
      run_halves(here, body, begin, end, p);
      return;
    }
    const std::size_t n = p.chunk_of(rest);
    if (run_chunk(body, begin, begin + n)) return;
    begin += n;
  }
}

template <class Body>
void run_part(context here, Body& body, std::size_t begin, std::size_t end, pace p) noexcept(Body::nothrow) {
  if (p.is_fixed()) {
    run_grains(here, body, begin, end, p);
    return;
  }
  const loop_clock::ticks start = loop_clock::now();
  loop_clock::ticks last = start;
  while (begin != end) {
    const std::size_t n = p.chunk_of(end - begin);
    if (run_chunk(body, begin, begin + n)) return;
    begin += n;
    if (begin == end) return;
    const loop_clock::ticks now = loop_clock::now();
    const loop_clock::ticks took = now - last;
    last = now;
    p.learn(took);
    if (now - start >= p.patience_left() && is_anyone_hungry(position_of(here)) && p.is_worth_it(end - begin, n, took))
        [[unlikely]] {
      p.has_waited();
      run_halves(here, body, begin, end, p);
      return;
    }
  }
}

// All of a loop of n iterations.
template <class Body>
[[gnu::always_inline]] inline void run_loop(context here, Body& body, std::size_t n, const loop_options& options,
                                            std::size_t least = 1) noexcept(Body::nothrow) {
  run_part(here, body, 0, n, pace(options, n, least));
}

// A callable as a chunk uses it. A small trivial one that does not change itself is copied: its captures are then the compiler's
// to keep in registers, as in a serial loop.
template <class F, class... Args>
using chunk_callable = std::conditional_t<std::is_trivially_copyable_v<F> && sizeof(F) <= 8 * sizeof(void*) &&
                                              std::is_invocable_v<const std::remove_const_t<F>&, Args...>,
                                          const std::remove_const_t<F>, F&>;

}  // namespace pilfer::detail
