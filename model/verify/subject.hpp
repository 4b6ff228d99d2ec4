// What can be verified: a queue with its sizes, or a faulty one that must be caught.
#pragma once

#include <pilfer/ext/queue_concept.hpp>

#include <string>
#include <utility>
#include <vector>

#include "queue_scenario.hpp"
#include "run.hpp"

namespace pilfer::model::verify {

// An order of a queue under a name, in this OS thread's copy.
struct named_order {
  const char* name;  // "publish.rel"
  std::memory_order* value;
};

struct subject {
  std::string name;
  ext::queue_traits traits;
  bool blocks = false;
  bool growing = false;
  bool locks = false;    // a stopped thread may hold the lock: no promise of progress
  bool narrow = true;    // there is a form with narrow indices
  bool signals = false;  // exposure from a handler
  bool asymmetric = false;
  bool reuses_slots = false;  // a slot is read before the claim, and written again after it (slot_reuse.hpp)
  bool seizes = false;        // a thief can expose by itself
  std::vector<run> (*protocol)() = nullptr;  // no queue: its own runs, and no other client (model/protocols)
  std::vector<run> (*large)() = nullptr;     // a protocol: runs that take minutes to exhaust
  result (*check)(const run&, const options&) = nullptr;
  std::vector<named_order> (*orders)() = nullptr;
};

[[nodiscard]] const std::vector<subject>& subjects();
[[nodiscard]] const subject& subject_called(const std::string& name);

// Each file of subjects adds its own.
void add_classic(std::vector<subject>& to);
void add_blocks(std::vector<subject>& to);
void add_light(std::vector<subject>& to);
void add_fork(std::vector<subject>& to);
void add_protocols(std::vector<subject>& to);

// Runs `what` on a Queue that `make()` makes.
template <class Queue, promises Promised, class Make>
result check_queue(const run& what, const options& how, const Make& make) {
  using scenario = queue_scenario<Queue, Promised>;
  options here = how;
  here.killed = what.killed;
  here.interrupts = what.interrupts;
  here.membarrier = what.membarrier;
  if (!what.hints)
    here.left_out = {"seen"};  // what thieves remember for sample(), which no client calls: decides about itself only
  return check_made<scenario>(here, what.thieves.size() + 1, [&](void* at) { new (at) scenario(what, make); });
}

}  // namespace pilfer::model::verify
