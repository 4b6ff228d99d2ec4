// RC11's condition on seq_cst events, on a finished graph (Lahav et al. 2017): psc_base and psc_F together have no cycle.
#include <bitset>

#include "engine.hpp"

namespace pilfer::model {
namespace {

constexpr std::size_t most_events = 256;
using row = std::bitset<most_events>;
using relation = std::vector<row>;

[[nodiscard]] relation composed(const relation& a, const relation& b) {
  relation c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (a[i][j]) c[i] |= b[j];
    }
  }
  return c;
}

void close(relation& r) {
  for (std::size_t k = 0; k < r.size(); ++k) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (r[i][k]) r[i] |= r[k];
    }
  }
}

void add(relation& to, const relation& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] |= from[i];
}

}  // namespace

bool psc_is_acyclic(const std::vector<event>& all, const std::vector<store_record>& stores) {
  std::vector<event> events;
  bool any_sc = false;
  for (const event& e : all) {
    if (e.thread >= conductor_thread ||
        (e.kind != 'l' && e.kind != 's' && e.kind != 'r' && e.kind != 'c' && e.kind != 'f')) {
      continue;
    }
    any_sc = any_sc || e.order == memory_order::seq_cst;
    events.push_back(e);
  }
  if (!any_sc) return true;
  const std::size_t n = events.size();
  if (n > most_events) throw std::length_error("the axiomatic seq_cst mode copes with 256 events");
  relation po(n), hb(n), mo(n), fr(n), eco(n), apart(n);
  row sc_access, sc_fence;
  const auto position = [&](store_id s) { return stores[s].position; };
  for (std::size_t i = 0; i < n; ++i) {
    const event& a = events[i];
    if (a.order == memory_order::seq_cst) (a.kind == 'f' ? sc_fence : sc_access)[i] = true;
    for (std::size_t j = 0; j < n; ++j) {
      const event& b = events[j];
      if (i == j) continue;
      if (a.thread == b.thread && a.clock < b.clock) po[i][j] = true;
      if (b.seen[a.thread] >= a.clock && (a.thread != b.thread || a.clock < b.clock)) hb[i][j] = true;
      if (a.at == 0 || a.at != b.at) continue;
      if (a.written != 0 && b.written != 0 && position(a.written) < position(b.written)) mo[i][j] = true;
      if (a.written != 0 && b.read == a.written) eco[i][j] = true;  // rf
      if (a.read != 0 && b.written != 0 && position(a.read) < position(b.written)) fr[i][j] = true;
    }
  }
  add(eco, mo);
  add(eco, fr);
  close(eco);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) apart[i][j] = po[i][j] && (events[i].at != events[j].at || events[i].at == 0);
  }
  relation scb = po;
  add(scb, composed(composed(apart, hb), apart));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (hb[i][j] && events[i].at != 0 && events[i].at == events[j].at) scb[i][j] = true;
    }
  }
  add(scb, mo);
  add(scb, fr);
  // [sc] or [sc fence];hb? on the left, [sc] or hb?;[sc fence] on the right.
  relation left(n), right(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (sc_access[i] || sc_fence[i]) left[i][i] = right[i][i] = true;
    if (sc_fence[i]) left[i] |= hb[i];
    for (std::size_t j = 0; j < n; ++j) {
      if (hb[i][j] && sc_fence[j]) right[i][j] = true;
    }
  }
  relation psc = composed(composed(left, scb), right);
  relation between = hb;
  add(between, composed(composed(hb, eco), hb));
  for (std::size_t i = 0; i < n; ++i) {
    if (!sc_fence[i]) continue;
    psc[i] |= between[i] & sc_fence;
  }
  close(psc);
  for (std::size_t i = 0; i < n; ++i) {
    if (psc[i][i]) return false;
  }
  return true;
}

}  // namespace pilfer::model
