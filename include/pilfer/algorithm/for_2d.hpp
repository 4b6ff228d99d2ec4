// parallel_for over a rectangle of indices.
//
//   pilfer::parallel_for(pilfer::blocked_range2d(0, rows, 0, cols), [&](const pilfer::blocked_range2d& block) {
//     for (std::size_t r = block.rows().begin(); r != block.rows().end(); ++r) ...
//   });
//
// Calls     f for disjoint blocks that cover the rectangle. A rectangle is halved across its longer side, in units of its grain, so blocks are as
//           square as the grains are.
// Options   grain: so many cells, rows times columns, are never split; nothing is measured, and the loop is split down to so many as soon as
//           a worker is idle. No block is lower or narrower than the range's own grains, with this option or without.
// Otherwise as the parallel_for of for.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>

#include <pilfer/algorithm/loop.hpp>
#include <pilfer/algorithm/range.hpp>

namespace pilfer {
namespace detail {

// The rectangle is halved until a part is a chunk. What is left waits in an array, the largest first: that is given away.
template <class F>
class rectangle_loop {
  static constexpr bool nothrow = std::is_nothrow_invocable_v<F&, const blocked_range2d&>;

 public:
  rectangle_loop(F& f, const blocked_range2d& all) noexcept
      : f_(f), grain_rows_(all.rows().grain()), grain_cols_(all.cols().grain()) {}

  void run(context here, const blocked_range2d& all, const loop_options& options) const noexcept(nothrow) {
    const rectangle whole{all.rows().begin(), all.rows().end(), all.cols().begin(), all.cols().end()};
    const pace p(options, std::numeric_limits<std::size_t>::max());
    run_rectangle(here, whole, p);
  }

 private:
  struct rectangle {
    std::size_t row, rows_end, col, cols_end;
    [[nodiscard]] std::size_t rows() const noexcept { return rows_end - row; }
    [[nodiscard]] std::size_t cols() const noexcept { return cols_end - col; }
    [[nodiscard]] double area() const noexcept { return static_cast<double>(rows()) * static_cast<double>(cols()); }
  };
  // A part that waits at place i is the result of i halvings at least, and a side can be halved as often as it has bits.
  static constexpr std::size_t most = 2 * std::numeric_limits<std::size_t>::digits + 1;
  struct waiting_parts {
    std::array<rectangle, most> parts;
    std::size_t oldest = 0;
    std::size_t end = 0;
    [[nodiscard]] bool empty() const noexcept { return oldest == end; }
  };

  // Keeps the first half, which is not the larger one. Returns false if the part is as small as it may be.
  [[nodiscard]] bool halve(rectangle& part, rectangle& second, std::size_t least_cells) const noexcept {
    const std::size_t rows = part.rows() / grain_rows_;
    const std::size_t cols = part.cols() / grain_cols_;
    if (rows < 2 && cols < 2) return false;
    rectangle first = part;
    second = part;
    if (rows >= cols) {
      first.rows_end = second.row = part.row + part.rows() / 2;
    } else {
      first.cols_end = second.col = part.col + part.cols() / 2;
    }
    if (first.area() < static_cast<double>(least_cells)) return false;
    part = first;
    return true;
  }

  void run_rectangle(context here, const rectangle& whole, const pace& p) const noexcept(nothrow) {
    waiting_parts
        waiting;  // NOLINT(cppcoreguidelines-pro-type-member-init): the parts are written before they are read
    waiting.parts[waiting.end++] = whole;
    run_waiting(here, waiting, p);
  }

  void run_waiting(context here, waiting_parts& waiting, pace p) const noexcept(nothrow) {
    const loop_clock::ticks start = loop_clock::now();
    loop_clock::ticks last = start;
    while (!waiting.empty()) {
      rectangle part = waiting.parts[--waiting.end];
      const auto chunk = static_cast<double>(p.chunk());
      while (part.area() > chunk && halve(part, waiting.parts[waiting.end], p.least())) ++waiting.end;
      if (p.is_fixed()) {
        if (!waiting.empty() && is_anyone_hungry(position_of(here))) {
          waiting.parts[waiting.end++] = part;
          share(here, waiting, p);
          return;
        }
        call(part);
        continue;
      }
      call(part);
      if (waiting.empty()) return;
      const loop_clock::ticks now = loop_clock::now();
      const loop_clock::ticks took = now - last;
      last = now;
      if (2 * part.area() > chunk) p.learn(took);  // of a small part there is nothing to learn
      if (now - start >= p.patience_left() && is_anyone_hungry(position_of(here))) [[unlikely]] {
        p.has_waited();
        share(here, waiting, p);
        return;
      }
    }
  }
  // Gives the largest part away, and goes on with the others.
  [[gnu::noinline, gnu::cold]] void share(context here, waiting_parts& waiting, const pace& p) const noexcept(nothrow) {
    const rectangle given = waiting.parts[waiting.oldest++];
    fork_join(
        here, [&](context x) noexcept(nothrow) { run_waiting(x, waiting, p); },
        [&](context x) noexcept(nothrow) { run_rectangle(x, given, p); });
  }

  void call(const rectangle& part) const noexcept(nothrow) {
    const blocked_range2d block(part.row, part.rows_end, part.col, part.cols_end, grain_rows_, grain_cols_);
    static_cast<void>(std::invoke(f_, block));
  }

  F& f_;
  const std::size_t grain_rows_;
  const std::size_t grain_cols_;
};

}  // namespace detail

template <class F>
void parallel_for(const blocked_range2d& all, F&& f, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<F&, const blocked_range2d&>::is_plain);
  static_assert(
      std::is_invocable_v<F&, const blocked_range2d&>,
      "pilfer: parallel_for over a blocked_range2d calls f(block), and this f cannot be called so; a block has "
      "rows() and cols()");
  if constexpr (std::is_invocable_v<F&, const blocked_range2d&>) {
    detail::require_callable(f);
    detail::require_grain(options);
    if (all.empty()) return;
    const detail::rectangle_loop<std::remove_reference_t<F>> loop(f, all);
    detail::inside([&](context here) { loop.run(here, all, options); });
  }
}

}  // namespace pilfer
