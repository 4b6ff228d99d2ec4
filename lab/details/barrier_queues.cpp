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
#include "lab/queues/registry.hpp"
#include "lab/queues/sequential.hpp"

namespace pilfer::lab::details {
namespace {

using queues::payload;
using queues::queue_adapter;
using queues::seq_ring_name;
using queues::seq_stack_name;

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
  add<queues::seq_stack<payload>>(list, seq_stack_name, orders_shipped, seq_stack_name);
  add<queues::seq_ring<payload>>(list, seq_ring_name, orders_shipped, seq_ring_name);
  add_both<abp>(list, "abp", seq_stack_name);
  add_both<chase_lev>(list, "chase-lev", seq_stack_name);
  add_both<chase_lev_bounded>(list, "chase-lev-bounded", seq_stack_name);
  add_both<bwos_lifo>(list, "bwos-lifo", seq_stack_name);
  add<bwos_lifo<payload, seq_cst_entries_sync>>(list, "bwos-lifo", orders_seq_cst_entries, seq_stack_name);
  add_both<bwos_fifo>(list, "bwos-fifo", seq_ring_name);
  add<bwos_fifo<payload, seq_cst_entries_sync>>(list, "bwos-fifo", orders_seq_cst_entries, seq_ring_name);
  add_both<split>(list, "split", seq_stack_name);
  add_both<split_signal>(list, "split-signal", seq_stack_name);
  add_both<asymmetric>(list, "asymmetric", seq_stack_name);
  add_both<locked>(list, "locked", seq_stack_name);
  add_both<global>(list, "global", seq_ring_name);
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
