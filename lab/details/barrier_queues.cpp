#include "lab/details/barrier_queues.hpp"

#include <memory>

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/global_queue.hpp>
#include <pilfer/queue/locked_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

#include "lab/details/seq_cst_sync.hpp"
#include "lab/queues/queue_adapter.hpp"
#include "lab/queues/sequential.hpp"

namespace pilfer::lab::details {
namespace {

using queues::payload;
using queues::queue_adapter;

constexpr const char* stack = "seq-stack";
constexpr const char* ring = "seq-ring";

template <class Queue>
void add(std::vector<barrier_queue>& list, const char* queue, const char* orders, const char* baseline) {
  barrier_queue one{.queue = queue, .orders = orders, .who = {}};
  one.who.name = barrier_impl(queue, orders);
  one.who.baseline = baseline;
  one.who.sequential = one.queue == baseline;
  one.who.make = &queue_adapter<Queue>::make;
  list.push_back(std::move(one));
}

// A queue whose second argument is its Sync, with either.
template <template <class, class> class Queue>
void add_both(std::vector<barrier_queue>& list, const char* queue, const char* baseline) {
  add<Queue<payload, ext::default_sync>>(list, queue, orders_shipped, baseline);
  add<Queue<payload, seq_cst_sync>>(list, queue, orders_seq_cst, baseline);
}

// Their further arguments have defaults, which a template of two arguments does not match.
template <class T, class Sync>
using abp = queue::abp_deque<T, Sync>;
template <class T, class Sync>
using chase_lev = queue::chase_lev_deque<T, Sync>;
template <class T, class Sync>
using chase_lev_bounded = queue::bounded_chase_lev_deque<T, Sync>;
template <class T, class Sync>
using bwos_lifo = queue::bwos_lifo<T, Sync>;
template <class T, class Sync>
using bwos_fifo = queue::bwos_fifo<T, Sync>;
template <class T, class Sync>
using split = queue::split_deque<T, Sync>;
template <class T, class Sync>
using split_signal = queue::signal_safe_split_deque<T, Sync>;
template <class T, class Sync>
using asymmetric = queue::asymmetric_deque<T, Sync>;
template <class T, class Sync>
using locked = queue::locked_deque<T, Sync>;
template <class T, class Sync>
using global = queue::global_queue<T, Sync>;

std::vector<barrier_queue> make_list() {
  std::vector<barrier_queue> list;
  add<queues::seq_stack<payload>>(list, stack, orders_shipped, stack);
  add<queues::seq_ring<payload>>(list, ring, orders_shipped, ring);
  add_both<abp>(list, "abp", stack);
  add_both<chase_lev>(list, "chase-lev", stack);
  add_both<chase_lev_bounded>(list, "chase-lev-bounded", stack);
  add_both<bwos_lifo>(list, "bwos-lifo", stack);
  add<bwos_lifo<payload, seq_cst_entries_sync>>(list, "bwos-lifo", orders_seq_cst_entries, stack);
  add_both<bwos_fifo>(list, "bwos-fifo", ring);
  add<bwos_fifo<payload, seq_cst_entries_sync>>(list, "bwos-fifo", orders_seq_cst_entries, ring);
  add_both<split>(list, "split", stack);
  add_both<split_signal>(list, "split-signal", stack);
  add_both<asymmetric>(list, "asymmetric", stack);
  add_both<locked>(list, "locked", stack);
  add_both<global>(list, "global", ring);
  return list;
}

}  // namespace

const std::vector<barrier_queue>& barrier_queues() {
  static const std::vector<barrier_queue> list = make_list();
  return list;
}

std::string barrier_impl(const std::string& queue, const std::string& orders) {
  return orders == orders_shipped ? queue : queue + "/" + orders;
}

}  // namespace pilfer::lab::details
