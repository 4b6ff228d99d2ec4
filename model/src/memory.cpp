// Atomics, cells and allocations: how they begin and end, and who may touch them when.
#include <algorithm>
#include <cstring>

#include "engine.hpp"

namespace pilfer::model {

void engine::create(operations::location& at, std::uint64_t value, const char* name) {
  thread_state& t = self();
  auto& numbers = numbering_[running_];
  const std::size_t ordinal = t.locations++;
  if (ordinal == numbers.size()) {
    if (numbered_ == max_locations) {
      fail(fault::assertion, "the scenario has more than " + std::to_string(max_locations) + " atomics");
    }
    numbers.push_back(static_cast<location_id>(numbered_++));
  }
  const location_id number = numbers[ordinal];
  for (; location_count_ <= number; ++location_count_) {
    // Views of threads that do not know it yet say 0: its first store.
    for (thread_state& each : threads_) each.cur[location_count_] = each.released[location_count_] = 0;
    fences_[location_count_] = sc_accesses_[location_count_] = 0;
    locations_[location_count_].order.clear();
    locations_[location_count_].dead = true;
  }
  location_record& l = locations_[number];
  l.name = name;
  l.left_out = name != nullptr &&
               std::find(options_->left_out.begin(), options_->left_out.end(), name) != options_->left_out.end();
  l.dead = false;
  l.locked = false;
  l.locks = 0;
  l.creator = static_cast<std::uint8_t>(running_);
  l.created = t.clock[running_];
  l.accessed.fill(0);
  l.order.clear();
  store_record first;
  first.value = value;
  first.uid = 0x80000000U | number;
  first.at = number;
  first.thread = static_cast<std::uint8_t>(running_);
  l.newest = static_cast<store_id>(stores_.size());
  l.order.push_back(l.newest);
  stores_.push_back(first);
  l.rehashed = false;
  at.number = number;
}

location_id engine::checked(const operations::location& at) {
  if (at.number < first_location || at.number >= location_count_) {
    fail(fault::use_after_free, "an atomic in freed memory was used");
  }
  const auto number = static_cast<location_id>(at.number);
  const location_record& l = locations_[number];
  if (l.dead) fail(fault::use_after_free, "'" + name_of(number) + "' was used after its end");
  if (self().clock[l.creator] < l.created) {
    fail(fault::race, "'" + name_of(number) + "' is used by a thread to which its construction is not visible");
  }
  return number;
}

void engine::accessed(location_id at) { locations_[at].accessed[running_] = self().clock[running_]; }

void engine::destroy(operations::location& at) {
  const location_id number = checked(at);
  location_record& l = locations_[number];
  for (std::size_t u = 0; u < l.accessed.size(); ++u) {
    if (l.accessed[u] > self().clock[u]) {
      fail(fault::race, "'" + name_of(number) + "' ends while another thread may be using it");
    }
  }
  l.dead = true;
}

void engine::read_cell(operations::cell_history& history, const where& site) {
  const thread_state& t = self();
  if (history.writer == operations::cell_history::dead || history.writer == 0xdd) {
    fail(fault::use_after_free, std::string("a cell was read after its end, line ") + std::to_string(site.line()));
  }
  if (history.writer == operations::cell_history::unwritten) {
    fail(fault::uninitialized, std::string("a cell was read that nobody wrote, line ") + std::to_string(site.line()));
  }
  if (recording_) record('g', 0, memory_order::relaxed, site, 0, 0, 0);
  if (history.written > t.clock[history.writer]) {
    fail(fault::race, "a cell is read at line " + std::to_string(site.line()) + ", and thread T" +
                          std::to_string(history.writer) + " wrote it, neither before the other");
  }
  history.read[running_] = t.clock[running_];
}

void engine::write_cell(operations::cell_history& history, const where& site) {
  const thread_state& t = self();
  if (history.writer == operations::cell_history::dead || history.writer == 0xdd) {
    fail(fault::use_after_free, std::string("a cell was written after its end, line ") + std::to_string(site.line()));
  }
  if (recording_) record('p', 0, memory_order::relaxed, site, 0, 0, 0);
  if (history.writer != operations::cell_history::unwritten && history.written > t.clock[history.writer]) {
    fail(fault::race, "a cell is written at line " + std::to_string(site.line()) + " and by thread T" +
                          std::to_string(history.writer) + ", neither before the other");
  }
  for (std::size_t u = 0; u < history.read.size(); ++u) {
    if (history.read[u] > t.clock[u]) {
      fail(fault::race, "a cell is written at line " + std::to_string(site.line()) + ", and thread T" +
                            std::to_string(u) + " read it, neither before the other");
    }
  }
  history.writer = static_cast<std::uint8_t>(running_);
  history.written = t.clock[running_];
  history.read.fill(0);
}

void engine::destroy_cell(operations::cell_history& history) {
  if (history.writer != operations::cell_history::unwritten) write_cell(history, where::current());
  history.writer = operations::cell_history::dead;
}

void* engine::allocate(std::size_t bytes, std::size_t alignment) {
  arena_used_ = (arena_used_ + alignment - 1) / alignment * alignment;
  if (arena_used_ + bytes > arena_bytes) fail(fault::assertion, "the scenario allocates too much");
  std::byte* const memory = arena_ + arena_used_;
  arena_used_ += bytes;
  allocations_.push_back({memory, bytes, false});
  return memory;
}

void engine::deallocate(void* memory) {
  if (memory == nullptr) return;
  for (allocation& a : allocations_) {
    if (a.memory != memory) continue;
    if (a.freed) fail(fault::use_after_free, "memory was freed twice");
    a.freed = true;
    std::memset(a.memory, 0xdd, a.bytes);
    return;
  }
  fail(fault::use_after_free, "memory was freed that was never allocated");
}

}  // namespace pilfer::model
