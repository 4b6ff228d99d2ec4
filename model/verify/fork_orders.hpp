// The orders of fork_deque as variables, as in runtime_orders.hpp.
#pragma once

#include <pilfer/queue/fork_deque.hpp>

#include <vector>

#include "subject.hpp"

namespace pilfer::model::verify {

struct fork_variable {
  using shipped = queue::fork_orders;
  static inline thread_local ext::edge publish = shipped::publish;
  static inline thread_local ext::edge expose = shipped::expose;
  static inline thread_local ext::edge recycle = shipped::recycle;
  static inline thread_local ext::edge guard = shipped::guard;
  static inline thread_local std::memory_order dekker = shipped::dekker;
  static inline thread_local std::memory_order settle = shipped::settle;
  static constexpr auto relaxed = shipped::relaxed;
  static std::vector<named_order> all() {
    return {{"publish.rel", &publish.rel}, {"publish.acq", &publish.acq},
            {"expose.rel", &expose.rel},   {"expose.acq", &expose.acq},
            {"recycle.rel", &recycle.rel}, {"recycle.acq", &recycle.acq},
            {"guard.rel", &guard.rel},     {"guard.acq", &guard.acq},
            {"dekker", &dekker},           {"settle", &settle}};
  }
};

}  // namespace pilfer::model::verify
