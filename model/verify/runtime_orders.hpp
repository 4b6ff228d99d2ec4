// The orders of the shipped queues as variables, so that one instantiation serves all mutants. They begin as what ships,
// and each OS thread has its own.
#pragma once

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/split_deque.hpp>

#include <vector>

#include "subject.hpp"

namespace pilfer::model::verify {

struct abp_variable {
  using shipped = queue::abp_orders;
  static inline thread_local ext::edge publish = shipped::publish;
  static inline thread_local std::memory_order dekker = shipped::dekker;
  static inline thread_local std::memory_order claim = shipped::claim;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"publish.rel", &publish.rel}, {"publish.acq", &publish.acq}, {"dekker", &dekker}, {"claim", &claim}};
  }
};

// Tag: one copy for each queue that shares the text.
template <class Tag>
struct chase_lev_variable {
  using shipped = queue::asymmetric_orders;
  static inline thread_local ext::edge publish = shipped::publish;
  static inline thread_local ext::edge recycle = shipped::recycle;
  static inline thread_local ext::edge replace = shipped::replace;
  static inline thread_local ext::edge resign = shipped::resign;
  static inline thread_local std::memory_order dekker = shipped::dekker;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    std::vector<named_order> names{{"publish.rel", &publish.rel},
                                   {"publish.acq", &publish.acq},
                                   {"recycle.rel", &recycle.rel},
                                   {"recycle.acq", &recycle.acq},
                                   {"dekker", &dekker}};
    if constexpr (Tag::growing) {
      names.push_back({"replace.rel", &replace.rel});
      names.push_back({"replace.acq", &replace.acq});
    }
    if constexpr (Tag::asymmetric) {
      names.push_back({"resign.rel", &resign.rel});
      names.push_back({"resign.acq", &resign.acq});
    }
    return names;
  }
};

struct bwos_lifo_variable {
  using shipped = queue::bwos_lifo_orders;
  static inline thread_local ext::edge grant = shipped::grant;
  static inline thread_local ext::edge recycle = shipped::recycle;
  static inline thread_local std::memory_order notice = shipped::notice;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"grant.rel", &grant.rel},
            {"grant.acq", &grant.acq},
            {"recycle.rel", &recycle.rel},
            {"recycle.acq", &recycle.acq},
            {"notice", &notice}};
  }
};

struct bwos_fifo_variable {
  using shipped = queue::bwos_fifo_orders;
  static inline thread_local ext::edge publish = shipped::publish;
  static inline thread_local ext::edge recycle = shipped::recycle;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"publish.rel", &publish.rel},
            {"publish.acq", &publish.acq},
            {"recycle.rel", &recycle.rel},
            {"recycle.acq", &recycle.acq}};
  }
};

template <class Tag>
struct split_variable {
  using shipped = queue::split_orders;
  static inline thread_local ext::edge expose = shipped::expose;
  static inline thread_local ext::edge recycle = shipped::recycle;
  static inline thread_local ext::edge replace = shipped::replace;
  static inline thread_local std::memory_order dekker = shipped::dekker;
  static constexpr auto handler = shipped::handler;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"expose.rel", &expose.rel},
            {"expose.acq", &expose.acq},
            {"recycle.rel", &recycle.rel},
            {"recycle.acq", &recycle.acq},
            {"replace.rel", &replace.rel},
            {"replace.acq", &replace.acq},
            {"dekker", &dekker}};
  }
};

}  // namespace pilfer::model::verify
