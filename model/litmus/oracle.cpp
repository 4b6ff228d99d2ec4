#include "litmus/oracle.hpp"

#include <algorithm>
#include <optional>

namespace pilfer::model::litmus {
namespace {

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

// Threads are run one after the other. A read chooses the place in the program (its *site*) whose store it reads, which
// may lie in a thread that has not run yet; what depends on a value that is not known yet is guessed, and checked when
// all have run. So each graph is met once, and cyclic ones (load buffering) are met too.
class enumeration {
 public:
  enumeration(const program& what, memory_model model) : program_(what), model_(model) {
    for (std::size_t l = 0; l < what.locations.size(); ++l) {
      sites_.push_back({.location = l, .thread = -1, .writes = true, .event = static_cast<int>(l)});
      events_.push_back({.kind = event_kind::write, .location = l});
      details_.push_back({});
    }
    for (std::size_t t = 0; t < what.threads.size(); ++t) {
      first_site_.push_back(sites_.size());
      for (const instruction& i : what.threads[t]) {
        const bool writes = i.kind == operation::store || i.kind == operation::fetch_add ||
                            i.kind == operation::exchange || i.kind == operation::cas || i.kind == operation::weak_cas;
        sites_.push_back({.location = i.location, .thread = static_cast<int>(t), .writes = writes});
      }
    }
    first_site_.push_back(sites_.size());
    register_read_.fill(-1);
  }

  oracle_result result() && {
    run(0, 0);
    return std::move(result_);
  }

 private:
  // A place in the program, or (first) a location's initial store.
  struct site {
    std::size_t location;
    int thread;
    bool writes;            // if it runs, and is no failing CAS
    int event = -1;         // its store, if it has run and stored
    int readers = 0;        // reads that chose it
    bool modified = false;  // a read-modify-write chose it: no other one can
  };
  struct detail {
    std::size_t source = 0;  // read: the site it reads
    int value_from = -1;     // write: the read whose value is added to `value`
    int value = 0;
    bool paired = false;    // write: of a read-modify-write, whose read is the event before
    event_set control = 0;  // the reads that decided that this runs
  };
  struct guess {
    std::size_t read;
    int value;
    bool equal;
  };

  void run(std::size_t thread, std::size_t pc) {
    if (thread == program_.threads.size()) return finish();
    if (pc == 0) control_ = 0;
    if (pc == program_.threads[thread].size()) {
      const event_set kept = control_;
      run(thread + 1, 0);
      control_ = kept;
      return;
    }
    const instruction& i = program_.threads[thread][pc];
    const std::size_t here = first_site_[thread] + pc;
    const auto next = [&] { run(thread, pc + 1); };
    switch (i.kind) {
      case operation::load: read(i, here, i.order, false, next); break;
      case operation::store:
        write(i, here, i.order, i.from < 0 ? -1 : register_read_[static_cast<std::size_t>(i.from)], next);
        break;
      case operation::fetch_add:
      case operation::exchange: modify(i, here, next); break;
      case operation::cas:
      case operation::weak_cas: compare_exchange(i, here, next); break;
      case operation::fence:
        if (i.order == std::memory_order_relaxed) return next();
        push({.kind = event_kind::fence}, i.order, true, true, here, {});
        next();
        pop();
        break;
      case operation::only_if: branch(i, here, next); break;
    }
  }

  void branch(const instruction& i, std::size_t here, auto&& next) {
    const auto on = static_cast<std::size_t>(register_read_[static_cast<std::size_t>(i.from)]);
    const event_set kept = control_;
    control_ |= only(on);
    suppose({on, i.operand, i.equal}, next);
    suppose({on, i.operand, !i.equal}, [&] {
      const auto thread = static_cast<std::size_t>(sites_[here].thread);
      for (std::size_t s = here; s < first_site_[thread + 1]; ++s)
        if (sites_[s].readers > 0) return;  // somebody wants to read what is not stored
      const event_set at_branch = control_;
      run(thread + 1, 0);
      control_ = at_branch;
    });
    control_ = kept;
  }

  void compare_exchange(const instruction& i, std::size_t here, auto&& next) {
    modify(i, here, next);
    if (sites_[here].readers > 0) return;
    read(i, here, i.failure, false, [&] {
      const std::size_t read_event = events_.size() - 1;
      suppose({read_event, i.expected, false}, next);
      if (i.kind == operation::cas || spurious_failures_ == max_spurious_failures) return;
      ++spurious_failures_;
      suppose({read_event, i.expected, true}, next);
      --spurious_failures_;
    });
  }

  // A read by `here` of each site that coherence within the thread allows.
  void read(const instruction& i, std::size_t here, std::memory_order order, bool modifies, auto&& next) {
    const std::size_t oldest = oldest_source(here);
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      site& from = sites_[s];
      if (!from.writes || from.location != i.location || (modifies && from.modified)) continue;
      const bool has_run = from.event >= 0;
      if (from.thread == sites_[here].thread && (s >= here || s < oldest)) continue;
      if (from.thread < 0 && oldest != 0) continue;
      if (!has_run && from.thread <= sites_[here].thread) continue;  // did not run, or did not store
      ++from.readers;
      push({.kind = event_kind::read}, order, true, false, here, {.source = s});
      const int kept = i.result < 0 ? -1 : register_read_[static_cast<std::size_t>(i.result)];
      if (i.result >= 0) register_read_[static_cast<std::size_t>(i.result)] = static_cast<int>(events_.size()) - 1;
      next();
      if (i.result >= 0) register_read_[static_cast<std::size_t>(i.result)] = kept;
      pop();
      --from.readers;
    }
  }

  // The thread's own last store before `here`; nothing that it stored before, nor the initial value, can be read.
  [[nodiscard]] std::size_t oldest_source(std::size_t here) const {
    for (std::size_t s = here; s-- > 0;)
      if (sites_[s].thread == sites_[here].thread && sites_[s].location == sites_[here].location &&
          sites_[s].event >= 0)
        return s;
    return 0;
  }

  void modify(const instruction& i, std::size_t here, auto&& next) {
    read(i, here, i.order, true, [&] {
      const std::size_t read_event = events_.size() - 1;
      site& from = sites_[details_.back().source];
      from.modified = true;
      const int added_to = i.kind == operation::fetch_add ? static_cast<int>(read_event) : -1;
      const auto store = [&] { write(i, here, i.order, added_to, next); };
      if (i.kind == operation::cas || i.kind == operation::weak_cas) {
        suppose({read_event, i.expected, true}, store);
      } else {
        store();
      }
      from.modified = false;
    });
  }

  void write(const instruction& i, std::size_t here, std::memory_order order, int value_from, auto&& next) {
    push({.kind = event_kind::write}, order, false, true, here,
         {.value_from = value_from, .value = i.operand, .paired = i.kind != operation::store});
    sites_[here].event = static_cast<int>(events_.size()) - 1;
    next();
    sites_[here].event = -1;
    pop();
  }

  void push(event e, std::memory_order order, bool may_acquire, bool may_release, std::size_t here, detail d) {
    if (events_.size() == max_events) throw bad_program("too many events for the oracle: " + to_text(program_));
    e.acquire = may_acquire && acquires(order);
    e.release = may_release && releases(order);
    e.seq_cst = order == std::memory_order_seq_cst;
    e.thread = sites_[here].thread;
    e.location = sites_[here].location;
    d.control = control_;
    events_.push_back(e);
    details_.push_back(d);
  }
  void pop() {
    events_.pop_back();
    details_.pop_back();
  }

  // Goes on if `what` is or may become true.
  void suppose(guess what, auto&& next) {
    if (const auto known = value_read(what.read)) {
      if ((*known == what.value) == what.equal) next();
      return;
    }
    guesses_.push_back(what);
    next();
    guesses_.pop_back();
  }

  // None if not known yet, or if it depends on itself.
  [[nodiscard]] std::optional<int> value_read(std::size_t read, std::size_t depth = 0) const {
    const int from = sites_[details_[read].source].event;
    if (from < 0 || depth > max_events) return {};
    return value_written(static_cast<std::size_t>(from), depth + 1);
  }
  [[nodiscard]] std::optional<int> value_written(std::size_t write, std::size_t depth = 0) const {
    const detail& d = details_[write];
    if (d.value_from < 0) return d.value;
    const auto base = value_read(static_cast<std::size_t>(d.value_from), depth);
    if (!base) return {};
    return *base + d.value;
  }

  // All threads have run: the graph is complete but for modification orders.
  void finish() {
    for (std::size_t e = 0; e < events_.size(); ++e)
      if (events_[e].kind == event_kind::read && !value_read(e)) return;
    for (const guess& each : guesses_)
      if ((*value_read(each.read) == each.value) != each.equal) return;

    const std::size_t size = events_.size();
    relation rf(size), rmw(size);
    dependencies_ = relation(size);
    for (std::size_t e = 0; e < size; ++e) {
      const detail& d = details_[e];
      for_each(d.control, [&](std::size_t read_event) { dependencies_.add(read_event, e); });
      if (events_[e].kind == event_kind::read) rf.add(static_cast<std::size_t>(sites_[d.source].event), e);
      if (d.paired) rmw.add(e - 1, e);
      if (d.value_from >= 0) dependencies_.add(static_cast<std::size_t>(d.value_from), e);
    }
    const graph_base graph(events_, rf, rmw);
    if (!may_be_consistent(graph, model_, dependencies_)) return;
    forced_ = forced_order(graph);
    order_location(graph, 0, relation(size));
  }

  // What coherence says about the order of stores, so that only few orders have to be tried.
  [[nodiscard]] relation forced_order(const graph_base& g) const {
    // The store that a read reads is as old or older than the store or read after it, and so on.
    const relation seen = relation::identity(g.size, g.writes) | g.rf;
    const relation same = g.hb & g.same_location;
    return (seen * same * seen.inverse()) - relation::identity(g.size, g.writes);
  }

  void order_location(const graph_base& g, std::size_t location, const relation& mo) {
    if (location == program_.locations.size()) return judge(g, mo);
    event_set stores = 0;
    for (std::size_t e = 0; e < events_.size(); ++e)
      if (events_[e].kind == event_kind::write && events_[e].location == location) stores |= only(e);
    place(g, location, mo, stores & ~only(location), 0, location);
  }

  // Chooses the store after `last`; `placed` are those before it.
  void place(const graph_base& g, std::size_t location, const relation& mo, event_set left, event_set placed,
             std::size_t last) {
    placed |= only(last);
    if (left == 0) {
      const std::size_t kept = last_of_[location];
      last_of_[location] = last;
      order_location(g, location + 1, mo);
      last_of_[location] = kept;
      return;
    }
    const event_set modifiers = (g.rf * g.rmw).after(last);
    for_each(left, [&](std::size_t e) {
      if ((forced_.after(e) & (placed | only(e))) != 0) return;
      if (modifiers != 0 ? modifiers != only(e) : details_[e].paired) return;
      relation longer = mo;
      for_each(placed, [&](std::size_t before) { longer.add(before, e); });
      place(g, location, longer, left & ~only(e), placed, e);
    });
  }

  void judge(const graph_base& g, const relation& mo) {
    if (!consistent(g, model_, mo, dependencies_)) return;
    ++result_.graphs;
    outcome end;
    for (std::size_t r = 0; r < program_.registers; ++r)
      if (register_read_[r] >= 0) end.registers[r] = *value_read(static_cast<std::size_t>(register_read_[r]));
    for (std::size_t l = 0; l < program_.locations.size(); ++l) end.memory[l] = *value_written(last_of_[l]);
    result_.outcomes.insert(end);
  }

  const program& program_;
  const memory_model model_;
  std::vector<site> sites_;
  std::vector<std::size_t> first_site_;  // of each thread
  std::vector<event> events_;            // the initial stores, then thread by thread
  std::vector<detail> details_;          // of the same events
  std::vector<guess> guesses_;
  std::array<int, max_registers> register_read_{};  // the read that set it
  event_set control_ = 0;
  int spurious_failures_ = 0;
  relation dependencies_, forced_;
  std::array<std::size_t, max_locations> last_of_{};
  oracle_result result_;
};

}  // namespace

oracle_result run_oracle(const program& what, memory_model model) { return enumeration(what, model).result(); }

}  // namespace pilfer::model::litmus
