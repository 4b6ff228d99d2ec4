#include "wait_graph.hpp"

#include <cstddef>
#include <sstream>

#include "../sync/process_wide.hpp"
#include "inside_scope.hpp"
#include "rest.hpp"
#include "runtime.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

namespace {

// Tasks to look at: with more of them on the stacks of sleeping threads, long circles are left to the watchdog.
constexpr std::size_t most_looks = 10'000;

bool has_on_stack(const worker_face& self, const wait_target& target, std::size_t& looks) noexcept {
  for (const inside_scope* each = self.innermost_work(); each != nullptr && looks < most_looks;
       each = each->around(), ++looks) {
    if (target.what == wait_target::kind::group ? each->scope() == target.object : each->work() == target.object) {
      return true;
    }
  }
  return false;
}

}  // namespace

wait_graph& wait_graph::only() { return process_wide<wait_graph>::only(); }

// Does the end of `target` need that thread to go on? A fork or task on its stack does, and so does every group that such a task belongs to.
bool wait_graph::needs(const wait_target& target, const sleeping_thread& other, std::size_t& looks) noexcept {
  using kind = wait_target::kind;
  if (target.what != kind::fork && target.what != kind::group && target.what != kind::future) return false;
  for (const held_place* each = other.places; each != nullptr; each = each->outer) {
    if (&each->self->home == target.home && has_on_stack(*each->self, target, looks)) return true;
  }
  return false;
}

// How well a wait is suited to fail: 0 is not at all.
unsigned wait_graph::fitness(const sleeping_thread& each) noexcept {
  if (each.may_fail == failing::never) return 0;
  if (each.may_fail == failing::at_last) return 1;
  if (each.target.what != wait_target::kind::group) return 2;
  for (const held_place* place = each.places; place != nullptr; place = place->outer) {
    for (const inside_scope* work = place->self->innermost_work(); work != nullptr; work = work->around()) {
      for (const task_scope* scope = work->scope(); scope != nullptr; scope = scope->parent()) {
        if (scope == each.target.object) return 3;
      }
    }
  }
  return 2;
}

// Breadth first from the target.
sleeping_thread* wait_graph::find_victim(sleeping_thread& me) noexcept {
  std::size_t looks = 0;
  sleeping_thread* last = &me;
  sleeping_thread* closer = nullptr;  // its target needs `me`
  me.next_found = nullptr;
  for (sleeping_thread* from = &me; from != nullptr && closer == nullptr; from = from->next_found) {
    for (sleeping_thread* each = newest_; each != nullptr && looks < most_looks; each = each->older, ++looks) {
      if (each->limited || each->is_doomed || each->is_found || !needs(from->target, *each, looks)) continue;
      if (each == &me) {
        closer = from;
        break;
      }
      each->is_found = true;
      each->next_found = nullptr;
      each->found_from = from;
      last->next_found = each;
      last = each;
    }
  }
  for (sleeping_thread* each = me.next_found; each != nullptr; each = each->next_found) each->is_found = false;
  if (closer == nullptr) return nullptr;
  sleeping_thread* best = &me;
  for (; closer != &me; closer = closer->found_from) {
    if (fitness(*closer) > fitness(*best)) best = closer;
  }
  return fitness(*best) != 0 ? best : nullptr;
}

bool wait_graph::enlist(sleeping_thread& me) noexcept {
  const std::lock_guard lock(mutex_);
  me.older = newest_;
  if (newest_ != nullptr) newest_->newer = &me;
  newest_ = &me;
  if (me.limited || me.places == nullptr) return true;
  // A wait may close several circles at once. No later one would find them: this thread sleeps on when one of the others fails.
  while (sleeping_thread* const victim = find_victim(me)) {
    if (victim == &me) return false;
    victim->is_doomed = true;
    victim->bed->wake();
  }
  return true;
}

bool wait_graph::refuse_depth(const runtime& home) noexcept {
  const std::lock_guard lock(mutex_);
  for (sleeping_thread* each = newest_; each != nullptr; each = each->older) {
    if (each->target.home != &home || each->limited || each->may_fail == failing::never || !each->what->can_give_up()) {
      continue;
    }
    each->is_too_deep = true;
    each->bed->wake();
    return true;
  }
  return false;
}

void wait_graph::delist(sleeping_thread& me) noexcept {
  const std::lock_guard lock(mutex_);
  (me.newer != nullptr ? me.newer->older : newest_) = me.older;
  if (me.older != nullptr) me.older->newer = me.newer;
}

bool wait_graph::has_waits(const runtime& home) noexcept {
  const std::lock_guard lock(mutex_);
  for (const sleeping_thread* each = newest_; each != nullptr; each = each->older) {
    if (each->target.home == &home && !each->limited) return true;
  }
  return false;
}

std::string wait_graph::describe(const runtime& home) {
  const auto now = std::chrono::steady_clock::now();
  std::ostringstream out;
  const std::lock_guard lock(mutex_);
  for (const sleeping_thread* each = newest_; each != nullptr; each = each->older) {
    bool is_here = each->target.home == &home;
    for (const held_place* place = each->places; place != nullptr && !is_here; place = place->outer) {
      is_here = &place->self->home == &home;
    }
    if (!is_here) continue;
    out << "  ";
    if (each->places == nullptr) out << "a caller from outside";
    const char* between = "";
    for (const held_place* place = each->places; place != nullptr; place = place->outer) {
      out << between << "worker " << place->self->index << (&place->self->home == &home ? "" : " of another pool");
      between = ", ";
    }
    out << " waits for ";
    switch (each->target.what) {
      case wait_target::kind::fork: out << "a stolen half of a fork_join"; break;
      case wait_target::kind::group: out << "group"; break;
      case wait_target::kind::future: out << "the future of task"; break;
      case wait_target::kind::coroutine: out << "the end of a coroutine"; break;
      case wait_target::kind::call: out << "a call into a pool"; break;
      case wait_target::kind::room: out << "room for a task in pool"; break;
      case wait_target::kind::pool_end: out << "the tasks of a pool"; break;
    }
    out << ' ' << each->target.object;
    if (each->target.home != &home) out << " of another pool";
    if (each->limited) out << ", with a limit";
    out << ", since " << std::chrono::duration_cast<std::chrono::milliseconds>(now - each->since).count() << " ms";
    for (const held_place* place = each->places; place != nullptr; place = place->outer) {
      const char* in = "; on its stack: ";
      for (const inside_scope* work = place->self->innermost_work(); work != nullptr; work = work->around()) {
        out << in << "task " << static_cast<const void*>(work->work());
        if (work->scope() != nullptr) out << " of group " << static_cast<const void*>(work->scope());
        in = ", ";
      }
    }
    out << '\n';
  }
  return out.str();
}

}  // namespace pilfer::detail
