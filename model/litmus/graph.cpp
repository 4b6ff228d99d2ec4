#include "litmus/graph.hpp"

namespace pilfer::model::litmus {

graph_base::graph_base(const std::vector<event>& events, const relation& read_from, const relation& rmw_pairs)
    : size(events.size()), po(size), rf(read_from), rmw(rmw_pairs), same_location(size), same_thread(size), hb(size) {
  for (std::size_t i = 0; i < size; ++i) {
    const event& e = events[i];
    (e.kind == event_kind::read ? reads : e.kind == event_kind::write ? writes : fences) |= only(i);
    if (e.acquire) acquires |= only(i);
    if (e.release) releases |= only(i);
    if (e.seq_cst) seq_cst |= only(i);
    for (std::size_t j = 0; j < size; ++j) {
      const event& f = events[j];
      if (e.kind != event_kind::fence && f.kind != event_kind::fence && e.location == f.location)
        same_location.add(i, j);
      if (e.thread == f.thread && e.thread >= 0) same_thread.add(i, j);
      // Events stand in the order in which their threads make them.
      if (e.thread < 0 ? f.thread >= 0 : (e.thread == f.thread && i < j)) po.add(i, j);
    }
  }
  const auto set = [&](event_set of) { return relation::identity(size, of); };
  const relation release_sequence = set(writes) * (rf * rmw).plus().maybe();
  const relation sw =
      set(releases) * (set(fences) * po).maybe() * release_sequence * rf * (po * set(fences)).maybe() * set(acquires);
  hb = (po | sw).plus();
}

namespace {

struct sc_relations {
  relation base, fence;
};

sc_relations partial_sc(const graph_base& g, const relation& mo, const relation& rb, const relation& eco) {
  const relation sc = relation::identity(g.size, g.seq_cst);
  const relation sc_fence = relation::identity(g.size, g.seq_cst & g.fences);
  const relation po_elsewhere = g.po - g.same_location;
  const relation scb = g.po | po_elsewhere * g.hb * po_elsewhere | (g.hb & g.same_location) | mo | rb;
  return {.base = (sc | sc_fence * g.hb.maybe()) * scb * (sc | g.hb.maybe() * sc_fence),
          .fence = sc_fence * (g.hb | g.hb * eco * g.hb) * sc_fence};
}

// [atomics.order]/4: what has to come first in S.
relation sc_precedence(const graph_base& g, const relation& eco) {
  const relation sc = relation::identity(g.size, g.seq_cst);
  const relation sc_fence = relation::identity(g.size, g.seq_cst & g.fences);
  return (sc | sc_fence * g.hb) * eco * (sc | g.hb * sc_fence);
}

bool no_thin_air(const graph_base& g, const relation& mo, const relation& dependencies, const relation& psc_fence) {
  const auto set = [&](event_set of) { return relation::identity(g.size, of); };
  const relation rfe = g.rf - g.same_thread;
  const relation rfi = g.rf & g.same_thread;
  const relation ppo = set(g.reads) * (dependencies | rfi | g.rmw).plus() * set(g.writes);
  const relation bob = g.po * set(g.writes & g.releases) | set(g.reads & g.acquires) * g.po | g.po * set(g.fences) |
                       set(g.fences) * g.po | set(g.writes & g.releases) * (g.po & g.same_location) * set(g.writes);
  const relation detour = ((mo - g.same_thread) * rfe) & g.po;
  return (rfe | ppo | bob | detour | psc_fence).acyclic();
}

}  // namespace

bool may_be_consistent(const graph_base& g, memory_model model, const relation& dependencies) {
  if (!g.hb.irreflexive()) return false;
  if (model == memory_model::standard) return true;
  if (model == memory_model::load_buffering) return no_thin_air(g, relation(g.size), dependencies, relation(g.size));
  return (g.po | g.rf).acyclic();
}

bool consistent(const graph_base& g, memory_model model, const relation& mo, const relation& dependencies) {
  const relation rb = g.rf.inverse() * mo;
  const relation eco = (g.rf | mo | rb).plus();
  if (!(g.hb * eco.maybe()).irreflexive()) return false;
  if (!(g.rmw & (rb * mo)).empty()) return false;  // atomicity
  if (model == memory_model::sc_execution) {
    return g.seq_cst == 0 || (g.po | g.rf | sc_precedence(g, eco)).acyclic();
  }
  sc_relations psc{relation(g.size), relation(g.size)};
  if (g.seq_cst != 0) {
    psc = partial_sc(g, mo, rb, eco);
    if (!(psc.base | psc.fence).acyclic()) return false;
  }
  return model != memory_model::load_buffering || no_thin_air(g, mo, dependencies, psc.fence);
}

}  // namespace pilfer::model::litmus
