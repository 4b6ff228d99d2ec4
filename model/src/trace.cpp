// What happened, for people: one line per event, then the modification orders.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "engine.hpp"

namespace pilfer::model {
namespace {

[[nodiscard]] const char* short_name(memory_order order) {
  switch (order) {
    case memory_order::relaxed: return "rlx";
    case memory_order::consume:
    case memory_order::acquire: return "acq";
    case memory_order::release: return "rel";
    case memory_order::acq_rel: return "a+r";
    case memory_order::seq_cst: return "sc";
  }
  return "?";
}

[[nodiscard]] const char* verb(char kind) {
  switch (kind) {
    case 'l': return "load";
    case 's': return "store";
    case 'r': return "rmw";
    case 'c': return "cas failed";
    case 'f': return "fence";
    case 'm': return "barrier";
    case 'M': return "barrier refused";
    case 'k': return "lock";
    case 'u': return "unlock";
    case 'w': return "park";
    case 'W': return "wake";
    case 'y': return "pause";
    case 'g': return "read cell";
    case 'p': return "write cell";
    case 'n': return "note";
    case 'i': return "INTERRUPT";
    case 'x': return "STOPPED";
    default: return "?";
  }
}

[[nodiscard]] std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

}  // namespace

const char* to_string(fault what) noexcept {
  switch (what) {
    case fault::none: return "none";
    case fault::assertion: return "assertion";
    case fault::race: return "data race";
    case fault::use_after_free: return "use after free";
    case fault::uninitialized: return "read of uninitialized memory";
    case fault::leak: return "leak";
    case fault::deadlock: return "deadlock";
    case fault::livelock: return "livelock";
  }
  return "?";
}

void engine::record(char kind, location_id at, memory_order order, const where& site, store_id read, store_id written,
                    std::uint64_t value) {
  event e;
  e.thread = static_cast<std::uint8_t>(running_);
  e.kind = kind;
  e.order = order;
  e.at = at;
  e.read = read;
  e.written = written;
  e.value = value;
  e.site = site;
  e.clock = self().clock[running_];
  e.seen = self().clock;
  if (read != 0) {
    const std::size_t newer = locations_[at].order.size() - 1 - position(read);
    e.stale = static_cast<std::uint16_t>(newer - (written != 0 ? 1 : 0));
  }
  if (written != 0) e.position = position(written);
  events_.push_back(e);
}

void engine::note(const char* text, std::uint64_t value) {
  if (!tracing_) return;
  record('n', 0, memory_order::relaxed, where::current(), 0, 0, value);
  events_.back().text = text;
}

std::string engine::name_of(location_id at) const {
  const location_record& l = locations_[at];
  const std::string base = l.name != nullptr ? l.name : "atomic";
  // Of several with one name, each gets a number.
  std::size_t before = 0;
  std::size_t all = 0;
  for (std::size_t i = first_location; i < location_count_; ++i) {
    const char* other = locations_[i].name != nullptr ? locations_[i].name : "atomic";
    if (base != other) continue;
    ++all;
    if (i < at) ++before;
  }
  return all > 1 ? base + "[" + std::to_string(before) + "]" : base;
}

std::string engine::value_text(location_id at, std::uint64_t value) const {
  static_cast<void>(at);
  const auto start = reinterpret_cast<std::uintptr_t>(arena_);
  if (value >= start && value <= start + arena_bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "@%lx", static_cast<unsigned long>(value - start));
    return text;
  }
  if (value > 0xffffffff) {  // packed words
    char text[32];
    std::snprintf(text, sizeof text, "0x%lx", static_cast<unsigned long>(value));
    return text;
  }
  return std::to_string(value);
}

std::string engine::store_name(store_id s) const {
  const store_record& r = stores_[s];
  if ((r.uid & 0x80000000U) != 0) return "init";
  const std::size_t thread = (r.uid >> 16) - 1;
  return (thread == conductor_thread ? "end." : "T" + std::to_string(thread) + ".") + std::to_string(r.uid & 0xffff);
}

std::string engine::describe() const {
  std::string text;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const event& e = events_[i];
    std::string line = padded(std::to_string(i), 4);
    line += padded(e.thread == conductor_thread ? "end" : "T" + std::to_string(e.thread), 4);
    const bool plain =
        e.kind == 'g' || e.kind == 'p' || e.kind == 'n' || e.kind == 'i' || e.kind == 'x' || e.kind == 'y';
    if (e.kind == 'n') {
      line += std::string("-- ") + (e.text != nullptr ? e.text : "") + " " + std::to_string(e.value);
      text += line + "\n";
      continue;
    }
    line += padded(verb(e.kind), 11);
    line += padded(e.at != 0 ? name_of(e.at) : e.kind == 'm' ? "on T" + std::to_string(e.value) : "", 14);
    line += padded(plain ? "" : short_name(e.order), 4);
    if (e.at != 0) line += "= " + value_text(e.at, e.value);
    if (e.written != 0) {
      line += "  [" + store_name(e.written) + "]";
      if (e.position + std::size_t{1} < locations_[e.at].order.size()) {
        line += " place " + std::to_string(position(e.written)) + " of " +
                std::to_string(locations_[e.at].order.size() - 1);
      }
    }
    if (e.read != 0) line += "  <- " + store_name(e.read);
    if (e.stale != 0) line += "  (stale: " + std::to_string(e.stale) + " newer)";
    const char* file = std::strrchr(e.site.file_name(), '/');
    file = file != nullptr ? file + 1 : e.site.file_name();
    text += padded(line, 64) + "  " + file + ":" + std::to_string(e.site.line()) + "\n";
  }
  text += "modification orders\n";
  for (std::size_t l = first_location; l < location_count_; ++l) {
    const location_record& r = locations_[l];
    if (r.order.size() < 2) continue;
    std::string line = "  " + padded(name_of(static_cast<location_id>(l)), 14);
    for (const store_id s : r.order) {
      line += " " + store_name(s) + "=" + value_text(static_cast<location_id>(l), stores_[s].value);
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace pilfer::model
