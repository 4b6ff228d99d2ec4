// One execution graph and the axioms of RC11 on it (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing sequential consistency
// in C/C++11, PLDI 2017), with C++20's release sequences: same-thread stores do not continue one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "litmus/relation.hpp"

namespace pilfer::model::litmus {

enum class memory_model : std::uint8_t {
  rc11,
  // RC11 where the order S of seq_cst events is one in which the program can have run: what the checker explores by
  // default. It loses those executions in which S contradicts happens-before (IRIW-acq-sc).
  sc_execution,
  // Without RC11's ban on load buffering: a read may see a store that comes after it, unless dependencies, fences or
  // acquire and release accesses keep them apart. This is IMM (Podkopaev, Lahav, Vafeiadis, POPL 2019) but for the
  // order that it gives a store after a read-modify-write, which is not kept by single-instruction atomics.
  load_buffering,
  // C++20's normative text: nothing at all is said against load buffering, and dependencies keep nothing apart.
  standard,
};

enum class event_kind : std::uint8_t { read, write, fence };

// A read-modify-write is two events, as in the paper.
struct event {
  event_kind kind = event_kind::fence;
  bool acquire = false;
  bool release = false;
  bool seq_cst = false;
  int thread = -1;  // -1: an initial store
  std::size_t location = 0;
};

// What does not depend on the modification order.
struct graph_base {
  graph_base(const std::vector<event>& events, const relation& read_from, const relation& rmw_pairs);

  std::size_t size;
  event_set reads = 0, writes = 0, fences = 0, acquires = 0, releases = 0, seq_cst = 0;
  relation po, rf, rmw, same_location, same_thread;
  relation hb;
};

// Independent of mo; `dependencies` are data and control dependencies (used by load_buffering only).
[[nodiscard]] bool may_be_consistent(const graph_base& g, memory_model model, const relation& dependencies);
// The rest. `mo` holds a total order on each location's stores.
[[nodiscard]] bool consistent(const graph_base& g, memory_model model, const relation& mo,
                              const relation& dependencies);

}  // namespace pilfer::model::litmus
