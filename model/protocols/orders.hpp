// The orders of the runtime's protocols as variables, so that one instantiation serves all mutants. They begin as what
// ships, and each OS thread has its own.
#pragma once

#include <pilfer/detail/protocol/claim.hpp>
#include <pilfer/detail/protocol/completion.hpp>
#include <pilfer/detail/protocol/coro_join.hpp>
#include <pilfer/detail/protocol/deferred_call.hpp>
#include <pilfer/detail/protocol/follower_slot.hpp>
#include <pilfer/detail/protocol/join_latch.hpp>
#include <pilfer/detail/protocol/owner_ledger.hpp>
#include <pilfer/detail/protocol/parking.hpp>
#include <pilfer/detail/protocol/returned_blocks.hpp>
#include <pilfer/detail/protocol/ring_cancel.hpp>
#include <pilfer/detail/protocol/run_record.hpp>
#include <pilfer/detail/protocol/scope_stack.hpp>
#include <pilfer/detail/protocol/watch.hpp>

#include <vector>

#include "research/ticket.hpp"
#include "verify/subject.hpp"

namespace pilfer::model::protocols {

using verify::named_order;

// Of a latch, and of the sleeper that it names.
struct latch_variable {
  using shipped = pilfer::detail::latch_orders;
  static inline thread_local ext::edge start = shipped::start;
  static inline thread_local ext::edge result = shipped::result;
  static inline thread_local ext::edge rest = shipped::rest;
  static inline thread_local ext::edge awake = pilfer::detail::sleeper_orders::awake;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"start.rel", &start.rel},   {"start.acq", &start.acq}, {"result.rel", &result.rel},
            {"result.acq", &result.acq}, {"rest.rel", &rest.rel},   {"rest.acq", &rest.acq},
            {"awake.rel", &awake.rel},   {"awake.acq", &awake.acq}};
  }
};

struct parking_variable {
  using shipped = pilfer::detail::parking_orders;
  static inline thread_local ext::edge call = shipped::call;
  static inline thread_local std::memory_order leave = shipped::leave;
  static inline thread_local std::memory_order dekker = shipped::dekker;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"call.rel", &call.rel}, {"call.acq", &call.acq}, {"dekker", &dekker}};
  }
  static std::vector<named_order> with_lookouts() {
    std::vector<named_order> more = all();
    more.push_back({"leave", &leave});
    return more;
  }
};

struct watch_variable {
  using shipped = pilfer::detail::watch_orders;
  static inline thread_local std::memory_order dekker = shipped::dekker;
  static constexpr auto relaxed = shipped::relaxed;
  // The sleepers' half of dekker is the parking's.
  static std::vector<named_order> all() { return {{"dekker", &dekker}, {"parking.dekker", &parking_variable::dekker}}; }
};

struct run_variable {
  using shipped = pilfer::detail::run_orders;
  static inline thread_local ext::edge begin = shipped::begin;
  static inline thread_local ext::edge chain = shipped::chain;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"begin.rel", &begin.rel}, {"begin.acq", &begin.acq}, {"chain.rel", &chain.rel}, {"chain.acq", &chain.acq}};
  }
};

struct ticket_variable {
  using shipped = research::ticket_orders;
  static inline thread_local ext::edge reuse = shipped::reuse;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() { return {{"reuse.rel", &reuse.rel}, {"reuse.acq", &reuse.acq}}; }
};

struct completion_variable {
  using shipped = pilfer::detail::completion_orders;
  static inline thread_local ext::edge done = shipped::done;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() { return {{"done.rel", &done.rel}, {"done.acq", &done.acq}}; }
};

struct coro_variable {
  using shipped = pilfer::detail::coro_join_orders;
  static inline thread_local ext::edge last = shipped::last;
  static inline thread_local ext::edge result = shipped::result;
  static inline thread_local ext::edge rest = shipped::rest;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"last.rel", &last.rel},     {"last.acq", &last.acq}, {"result.rel", &result.rel},
            {"result.acq", &result.acq}, {"rest.rel", &rest.rel}, {"rest.acq", &rest.acq}};
  }
};

struct claim_variable {
  using shipped = pilfer::detail::claim_orders;
  static inline thread_local ext::edge begin = shipped::begin;
  static inline thread_local ext::edge last = shipped::last;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() { return {{"last.rel", &last.rel}, {"last.acq", &last.acq}}; }
};

// And the claim of what follows.
struct follower_variable {
  using shipped = pilfer::detail::follower_orders;
  static inline thread_local ext::edge result = shipped::result;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"result.rel", &result.rel},
            {"result.acq", &result.acq},
            {"begin.rel", &claim_variable::begin.rel},
            {"begin.acq", &claim_variable::begin.acq}};
  }
};

struct ledger_variable {
  using shipped = pilfer::detail::ledger_orders;
  static inline thread_local ext::edge leave = shipped::leave;
  static inline thread_local ext::edge publish = shipped::publish;
  static inline thread_local std::memory_order dekker = shipped::dekker;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"leave.rel", &leave.rel},
            {"leave.acq", &leave.acq},
            {"publish.rel", &publish.rel},
            {"publish.acq", &publish.acq},
            {"dekker", &dekker}};
  }
};

struct return_variable {
  using shipped = pilfer::detail::return_orders;
  static inline thread_local ext::edge back = shipped::back;
  static inline thread_local ext::edge last = shipped::last;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"back.rel", &back.rel}, {"back.acq", &back.acq}, {"last.rel", &last.rel}, {"last.acq", &last.acq}};
  }
};

struct ring_variable {
  using shipped = pilfer::detail::ring_orders;
  static inline thread_local ext::edge taken = shipped::taken;
  static inline thread_local ext::edge asked = shipped::asked;
  static inline thread_local ext::edge lock = shipped::lock;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"taken.rel", &taken.rel}, {"taken.acq", &taken.acq}, {"asked.rel", &asked.rel},
            {"asked.acq", &asked.acq}, {"lock.rel", &lock.rel},   {"lock.acq", &lock.acq}};
  }
};

struct scope_variable {
  using shipped = pilfer::detail::scope_orders;
  static inline thread_local ext::edge enter = shipped::enter;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() { return {{"enter.rel", &enter.rel}, {"enter.acq", &enter.acq}}; }
};

}  // namespace pilfer::model::protocols
