// What operations mean: RC11 on views. engine.hpp has the overview.
#include <algorithm>

#include "engine.hpp"

namespace pilfer::model {
namespace {

[[nodiscard]] constexpr bool is_acquire(memory_order order) noexcept {
  return order == memory_order::acquire || order == memory_order::consume || order == memory_order::acq_rel ||
         order == memory_order::seq_cst;
}
[[nodiscard]] constexpr bool is_release(memory_order order) noexcept {
  return order == memory_order::release || order == memory_order::acq_rel || order == memory_order::seq_cst;
}

// Kinds of link in a thread's chain; any different numbers.
enum access_link : std::uint64_t {
  link_load = 1,
  link_store,
  link_rmw,
  link_fence,
  link_barrier,
  link_refused,
  link_spurious
};

}  // namespace

bool engine::sc_by_execution(memory_order order) const noexcept {
  return order == memory_order::seq_cst && options_->sc == sc_mode::execution &&
         mutant != checker_mutant::sc_is_acq_rel;
}

void engine::join(clocks& to, const clocks& from) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

void engine::join(view& to, const view& from) const { join(to, from, location_count_); }

void engine::join(view& to, const view& from, std::size_t locations) const {
  for (std::size_t l = first_location; l < locations; ++l) {
    if (to[l] != from[l] && position(from[l]) > position(to[l])) to[l] = from[l];
  }
}

void engine::join(view& to, const store_record& from) {
  if (from.message == 0) return;
  const store_id* message = &messages_[from.message - 1];
  for (std::size_t l = first_location; l < from.message_size; ++l) {
    if (to[l] != message[l] && position(message[l]) > position(to[l])) to[l] = message[l];
  }
}

std::uint32_t engine::new_message(const view& from) {
  const auto at = static_cast<std::uint32_t>(messages_.size());
  messages_.insert(messages_.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(location_count_));
  return at + 1;
}

hash128 engine::view_hash(const view& v) const {
  hash128 sum{0, 0};
  for (std::size_t l = first_location; l < location_count_; ++l) {
    const store_record& s = stores_[v[l]];
    if (s.position == 0) continue;
    hash128 one;
    one.append(l);
    one.append(s.uid);
    sum.add(one);
  }
  return sum;
}

const hash128& engine::order_hash(const location_record& l) const {
  if (!l.rehashed) {
    hash128 h;
    for (const store_id s : l.order) h.append(stores_[s].uid);
    l.order_hash = h;
    l.rehashed = true;
  }
  return l.order_hash;
}

// Reads.

std::uint16_t engine::lower_bound(location_id at, memory_order order) const {
  std::uint16_t least = position(threads_[running_].cur[at]);
  if (sc_by_execution(order)) {
    least = std::max(least, position(fences_[at]));
    least = std::max(least, position(sc_accesses_[at]));
  }
  return least;
}

void engine::acquire(thread_state& t, store_id from, memory_order order) {
  const store_record& s = stores_[from];
  if (s.message == 0) return;
  if (is_acquire(order)) {
    if (mutant == checker_mutant::no_acquire_join) return;
    join(t.cur, s);
    join(t.clock, s.message_clock);
  } else {
    t.read.push_back(from);
  }
}

void engine::finish_read(location_id at, store_id s, memory_order order) {
  thread_state& t = self();
  if (mutant != checker_mutant::no_coherence && position(s) > position(t.cur[at])) t.cur[at] = s;
  acquire(t, s, order);
  if (sc_by_execution(order) && position(s) > position(sc_accesses_[at])) sc_accesses_[at] = s;
}

// Which store a read takes: the newest first; or, in the exhaustive search, it waits for one to come.
template <class Filter>
store_id engine::choose_source(location_id at, memory_order order, bool sc, const Filter& admits) {
  thread_state& t = self();
  const location_record& l = locations_[at];
  if (conducting()) return l.order.back();
  store_id watermark = 0;
  std::array<store_id, 256> found;
  for (;;) {
    std::size_t least = lower_bound(at, order);
    if (t.must_pass == at) least = std::max<std::size_t>(least, position(t.passed) + std::size_t{1});
    if (mutant == checker_mutant::short_history && l.order.size() > 2) least = std::max(least, l.order.size() - 2);
    std::size_t count = 0;
    for (std::size_t p = l.order.size(); p-- > least && count < found.size();) {
      const store_id s = l.order[p];
      if (s >= watermark && admits(s)) found[count++] = s;
    }
    if (interleaves_) {
      if (count == 0) give_up(outcome::cut_off);
      return found[static_cast<std::size_t>(decide(count, false))];
    }
    const bool may_wait = others_may(at) || others_may(barrier_events) || (sc && others_may(sc_events));
    if (count == 0 && !may_wait && !replaying_) give_up(outcome::cut_off);
    const int choice = decide(count, may_wait);
    if (choice != wait) return found[static_cast<std::size_t>(choice)];
    const std::uint64_t sc_before = sc_count_;
    const std::uint32_t barriers_before = t.barriers;
    t.watermark = static_cast<store_id>(stores_.size());
    wait_for(at, sc);
    // After an event that may have moved its bounds, what was there before is a different choice.
    const bool anew = (sc && sc_count_ != sc_before) || t.barriers != barriers_before;
    watermark = anew ? store_id{0} : t.watermark;
  }
}

store_id engine::choose_any_source(location_id at, memory_order order) {
  return choose_source(at, order, sc_by_execution(order), [](store_id) { return true; });
}

std::uint64_t engine::load(location_id at, memory_order order, const where& site) {
  if (locations_[at].left_out) return stores_[locations_[at].order[0]].value;
  order = effective('l', order, site);
  begin_operation(site, read_matters(at, sc_by_execution(order)));
  const store_id s = choose_any_source(at, order);
  thread_state& t = self();
  if (sc_by_execution(order)) {
    note_footprint(sc_events);
    ++sc_count_;
  }
  finish_read(at, s, order);
  if (recording_) record('l', at, order, site, s, 0, stores_[s].value);
  if (t.must_pass == at) t.must_pass = 0;
  t.looked.emplace_back(at, s);
  t.graph.append(link_load);
  t.graph.append(std::uint64_t{at} << 32 | stores_[s].uid);
  t.chain.append(std::uint64_t{at} << 32 | stores_[s].uid);
  accessed(at);
  end_operation();
  if (sc_by_execution(order) && !interleaves_) cut_off_if_known();
  return stores_[s].value;
}

// Writes.

std::size_t engine::choose_position(location_id at, memory_order order) {
  const location_record& l = locations_[at];
  if (conducting()) return l.order.size();
  const bool sc = sc_by_execution(order);
  std::array<std::uint16_t, 256> places;
  for (;;) {
    const std::size_t least = lower_bound(at, order);
    std::size_t count = 0;
    for (std::size_t p = l.order.size(); p > least && count < places.size(); --p) {
      if (p < l.order.size() && stores_[l.order[p - 1]].followed && mutant != checker_mutant::split_rmw) continue;
      places[count++] = static_cast<std::uint16_t>(p);
      if (mutant == checker_mutant::append_only) break;
    }
    const bool may_wait = !interleaves_ && (others_may(barrier_events) || (sc && others_may(sc_events)));
    const int choice = decide(count, may_wait);
    if (choice != wait) return places[static_cast<std::size_t>(choice)];
    wait_for(0, sc);
  }
}

store_id engine::insert(location_id at, std::uint64_t value, memory_order order, std::size_t place, store_id read_from,
                        bool is_rmw) {
  thread_state& t = self();
  location_record& l = locations_[at];
  if (conducting() && !finishing_ && l.order.size() == 1 && !is_rmw) {
    // Nobody can have seen, nor will anybody see, what the constructor overwrites.
    stores_[l.order[0]].value = value;
    return l.order[0];
  }
  if (stores_.size() >= 60000 || l.order.size() >= 250) {
    fail(fault::livelock, "'" + name_of(at) + "' is stored to without end");
  }
  const auto s = static_cast<store_id>(stores_.size());
  stores_.emplace_back();
  store_record& fresh = stores_.back();
  fresh.value = value;
  fresh.uid = static_cast<std::uint32_t>((running_ + 1) << 16 | t.operations);
  fresh.at = at;
  fresh.thread = static_cast<std::uint8_t>(running_);
  fresh.is_rmw = is_rmw;
  fresh.read_from = read_from;
  l.order.insert(l.order.begin() + static_cast<std::ptrdiff_t>(place), s);
  for (std::size_t p = place; p < l.order.size(); ++p) stores_[l.order[p]].position = static_cast<std::uint16_t>(p);
  l.newest = s;
  t.cur[at] = s;
  if (is_release(order)) {
    fresh.message = new_message(t.cur);
    fresh.message_size = static_cast<std::uint16_t>(location_count_);
    fresh.message_clock = t.clock;
  } else if (t.has_released) {
    fresh.message = new_message(t.released);
    fresh.message_size = static_cast<std::uint16_t>(location_count_);
    fresh.message_clock = t.released_clock;
  }
  store_id continues = 0;  // the release sequence that this store is part of
  bool part_of_one = false;
  if (is_rmw && mutant != checker_mutant::no_rmw_chain) {
    continues = read_from;
    part_of_one = true;
  } else if (!is_rmw && mutant == checker_mutant::store_continues_chain && place > 0) {
    continues = l.order[place - 1];
    part_of_one = stores_[continues].thread == running_;
  }
  if (part_of_one && stores_[continues].message != 0) {
    const store_record& head = stores_[continues];
    if (fresh.message == 0) {
      fresh.message = head.message;
      fresh.message_size = head.message_size;
      fresh.message_clock = head.message_clock;
    } else {
      view both{};
      std::copy_n(messages_.begin() + static_cast<std::ptrdiff_t>(fresh.message - 1), location_count_, both.begin());
      join(both, head);
      fresh.message = new_message(both);
      join(fresh.message_clock, head.message_clock);
    }
  }
  if (is_rmw) stores_[read_from].followed = true;
  if (sc_by_execution(order) && position(s) > position(sc_accesses_[at])) sc_accesses_[at] = s;
  l.rehashed = false;
  note_footprint(at);
  return s;
}

void engine::store(location_id at, std::uint64_t value, memory_order order, const where& site) {
  if (locations_[at].left_out) {
    stores_[locations_[at].order[0]].value = value;
    return;
  }
  order = effective('s', order, site);
  begin_operation(site, store_matters(sc_by_execution(order)));
  const std::size_t place = choose_position(at, order);
  if (sc_by_execution(order)) {
    note_footprint(sc_events);
    ++sc_count_;
  }
  const store_id s = insert(at, value, order, place, 0, false);
  if (recording_) record('s', at, order, site, 0, s, value);
  thread_state& t = self();
  t.graph.append(link_store);
  t.graph.append(std::uint64_t{at});
  t.chain.append(std::uint64_t{link_store} << 48 | at);
  accessed(at);
  end_operation();
  if (sc_by_execution(order) && !interleaves_) cut_off_if_known();
}

engine::rmw_result engine::read_modify_write(location_id at, rmw what, std::uint64_t expected, std::uint64_t operand,
                                             std::uint64_t mask, memory_order success, memory_order failure,
                                             const where& site) {
  if (locations_[at].left_out) fail(fault::assertion, "an atomic that is left out cannot be read-modify-written");
  const bool conditional = what == rmw::cas || what == rmw::weak_cas;
  success = effective('r', success, site);
  if (conditional) failure = effective('c', failure, site);
  begin_operation(site, read_matters(at, sc_by_execution(success) || sc_by_execution(failure)));
  bool spurious = false;
  if (what == rmw::weak_cas && !conducting() && !spurious_used_) {
    spurious = decide(2, false) == 1;
    spurious_used_ = spurious_used_ || spurious;
    if (spurious) self().chain.append(link_spurious);  // it may wait before it reads
  }
  const auto matches = [&](store_id s) { return !conditional || stores_[s].value == expected; };
  const auto succeeds = [&](store_id s) { return !spurious && matches(s); };
  // Which of its two orders counts depends on what it reads.
  const bool sc = sc_by_execution(success) || (conditional && sc_by_execution(failure));
  const store_id s = choose_source(at, memory_order::relaxed, sc, [&](store_id candidate) {
    const bool stores = succeeds(candidate);
    if (position(candidate) < lower_bound(at, stores ? success : failure)) return false;
    if (spurious) return matches(candidate);
    return !stores || !stores_[candidate].followed || mutant == checker_mutant::split_rmw;
  });
  // What it might have been counts too: others must be able to wait for that.
  note_footprint(at);
  if (sc) note_footprint(sc_events);
  const bool stored = succeeds(s);
  const memory_order order = stored ? success : failure;
  const std::uint64_t found = stores_[s].value;
  if (sc_by_execution(order)) {
    note_footprint(sc_events);
    ++sc_count_;
  }
  finish_read(at, s, order);
  store_id written = 0;
  if (stored) {
    const std::uint64_t value = what == rmw::add ? (found + operand) & mask : operand;
    written = insert(at, value, order, std::size_t{position(s)} + 1, s, true);
  }
  if (recording_) record(stored ? 'r' : 'c', at, order, site, s, written, stored ? stores_[written].value : found);
  thread_state& t = self();
  if (t.must_pass == at) t.must_pass = 0;
  t.looked.emplace_back(at, stored ? written : s);
  t.graph.append(std::uint64_t{link_rmw} << 1 | (stored ? 1U : 0U));
  t.graph.append(std::uint64_t{at} << 32 | stores_[s].uid);
  t.chain.append(std::uint64_t{at} << 32 | stores_[s].uid);
  t.chain.append(std::uint64_t{link_rmw} << 1 | (stored ? 1U : 0U));
  accessed(at);
  end_operation();
  if (sc_by_execution(order) && !interleaves_) cut_off_if_known();
  return {found, stored};
}

// Fences.

void engine::fence_of(std::size_t thread, memory_order order) {
  thread_state& t = threads_[thread];
  if (is_acquire(order) && mutant != checker_mutant::no_acquire_fence) {
    for (const store_id s : t.read) {
      join(t.cur, stores_[s]);
      join(t.clock, stores_[s].message_clock);
    }
    t.read.clear();
  }
  if (sc_by_execution(order)) {
    if (mutant != checker_mutant::no_sc_fence_join) {
      join(t.cur, fences_);
      join(t.cur, sc_accesses_);
    }
    join(fences_, t.cur);
    t.chain.append(view_hash(t.cur));
  }
  if (is_release(order) && mutant != checker_mutant::no_release_fence) {
    std::copy_n(t.cur.begin(), location_count_, t.released.begin());
    t.released_clock = t.clock;
    t.has_released = true;
  }
}

void engine::fence(memory_order order, const where& site) {
  order = effective('f', order, site);
  if (order == memory_order::relaxed) return;
  begin_operation(site, store_matters(sc_by_execution(order)));
  if (!conducting()) {
    const bool sc = sc_by_execution(order);
    while (!interleaves_) {
      if (decide(1, others_may(barrier_events) || (sc && others_may(sc_events))) != wait) break;
      wait_for(0, sc);
    }
    if (sc) {
      note_footprint(sc_events);
      ++sc_count_;
    }
  }
  fence_of(running_, order);
  thread_state& t = self();
  t.graph.append(std::uint64_t{link_fence} << 8 | static_cast<std::uint64_t>(order));
  t.chain.append(std::uint64_t{link_fence} << 8 | static_cast<std::uint64_t>(order));
  if (recording_) record('f', 0, order, site, 0, 0, 0);
  end_operation();
  if (sc_by_execution(order) && !interleaves_) cut_off_if_known();
}

// membarrier: between its entry and its return every other thread executes a fence, the caller does at both ends.
//
// Modelled as one step per thread that ever calls light_fence(): a fence here, one there, one here. That is weaker than
// what the kernel does, so nothing is missed: other threads get no fence, and the caller's fences stand as late and as
// early as they can. A random execution may be the first, when nothing is known of the threads: there it is every thread.
bool engine::heavy_fence(const where& site) {
  if (conducting()) return options_->membarrier == barriers::work;
  if (options_->membarrier == barriers::refused_later && !barriers_refused_) {
    barriers_refused_ = decide(2, false) == 1;
  }
  if (options_->membarrier == barriers::refused || barriers_refused_) {
    self().chain.append(link_refused);
    self().graph.append(link_refused);
    if (recording_) record('M', 0, memory_order::relaxed, site, 0, 0, 0);
    return false;
  }
  std::array<bool, max_threads> hit{};
  for (;;) {
    begin_operation(site, true);
    std::array<std::size_t, max_threads> targets{};
    std::size_t count = 0;
    for (std::size_t u = 0; u < scenario_->threads; ++u) {
      const bool is_fenced = options_->mode == exploration::random || footprint_[u][light_fences] != 0;
      if (u != running_ && !hit[u] && is_fenced) targets[count++] = u;
    }
    if (count == 0) return true;
    thread_state& t = self();
    bool others_run = false;
    for (std::size_t i = 0; i < count; ++i) {
      const status s = threads_[targets[i]].state;
      others_run = others_run || (s != status::done && s != status::stopped);
    }
    note_footprint(barrier_events);
    note_footprint(sc_events);
    const int choice = decide(count, !interleaves_ && (others_run || others_may(sc_events)));
    if (choice == wait) {
      t.awaits_target = true;
      wait_for(0, true);
      t.awaits_target = false;
      continue;
    }
    const std::size_t target = targets[static_cast<std::size_t>(choice)];
    hit[target] = true;
    fence_of(running_, memory_order::seq_cst);
    fence_of(target, memory_order::seq_cst);
    fence_of(running_, memory_order::seq_cst);
    ++threads_[target].barriers;
    ++threads_[target].clock[target];
    threads_[target].graph.append(link_barrier);
    threads_[target].chain.append(link_barrier);
    t.graph.append(std::uint64_t{link_barrier} << 8 | target);
    t.chain.append(std::uint64_t{link_barrier} << 8 | target);
    ++sc_count_;
    if (recording_) record('m', 0, memory_order::seq_cst, site, 0, 0, target);
    end_operation();
    cut_off_if_known();
  }
}

}  // namespace pilfer::model
