// Stands for ParlayLib's header of this name: what it declares before it chooses a scheduler, the names of its macros, and
// what it builds on the four functions. No more of ParlayLib is here.
#ifndef PARLAY_PARALLEL_H_
#define PARLAY_PARALLEL_H_

#include <algorithm>
#include <cstddef>
#include <utility>

namespace parlay {

inline size_t num_workers();
inline size_t worker_id();
template <typename F>
inline void parallel_for(size_t start, size_t end, F&& f, long granularity = 0, bool conservative = false);
template <typename Lf, typename Rf>
inline void par_do(Lf&& left, Rf&& right, bool conservative = false);

template <typename Lf, typename Rf>
inline void parallel_do(Lf&& left, Rf&& right, bool conservative = false) {
  par_do(std::forward<Lf>(left), std::forward<Rf>(right), conservative);
}
template <typename F>
inline void blocked_for(size_t start, size_t end, size_t block_size, F&& f, bool conservative = false) {
  const size_t blocks = start < end ? (end - start + block_size - 1) / block_size : 0;
  const auto one = [&](size_t i) { f(i, start + i * block_size, std::min(start + (i + 1) * block_size, end)); };
  parallel_for(0, blocks, one, 0, conservative);
}
template <typename Lf, typename Rf>
static void par_do_if(bool do_parallel, Lf&& left, Rf&& right, bool cons = false) {
  if (do_parallel) return par_do(std::forward<Lf>(left), std::forward<Rf>(right), cons);
  left();
  right();
}
template <typename Lf, typename Mf, typename Rf>
inline void par_do3(Lf&& left, Mf&& mid, Rf&& right) {
  par_do([&] { par_do(std::forward<Lf>(left), std::forward<Mf>(mid)); }, std::forward<Rf>(right));
}
template <typename Lf, typename Mf, typename Rf>
static void par_do3_if(bool do_parallel, Lf&& left, Mf&& mid, Rf&& right) {
  if (do_parallel) return par_do3(std::forward<Lf>(left), std::forward<Mf>(mid), std::forward<Rf>(right));
  left();
  mid();
  right();
}

}  // namespace parlay

#if defined(PARLAY_SEQUENTIAL)
#if !defined(PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_H_)
#error "the sequential scheduler was to be left out"
#endif
#elif defined(PARLAY_PILFER)  // the two lines of docs/parlaylib.md
#include <pilfer/parlay.hpp>
#else
#error "ParlayLib's own scheduler was chosen"
#endif

#endif
