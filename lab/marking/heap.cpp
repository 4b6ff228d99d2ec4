#include "lab/marking/heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace pilfer::lab::marking {
namespace {

constexpr std::size_t fewest_objects = 3;
constexpr std::size_t most_objects = std::numeric_limits<std::uint32_t>::max() / 8;  // references are numbered, too
constexpr std::size_t largest_structure = 8192;
constexpr std::size_t fewest_structures =
    32;  // about; also of a small heap, so that it has garbage and work for several
constexpr std::uint64_t garbage_one_in = 5;
constexpr object tree_branches = 3;

enum class form : unsigned char { list, tree, array };
constexpr std::uint64_t forms = 3;

}  // namespace

heap::heap(std::size_t objects, std::uint64_t seed) {
  if (objects < fewest_objects || objects > most_objects) {
    throw std::invalid_argument(
        fmt::format("heap: {} objects, but it must be {} to {}", objects, fewest_objects, most_objects));
  }
  xorshift random(seed * 0x9e3779b97f4a7c15 + 1);
  alive_.reserve(objects);
  first_.reserve(objects + 1);
  const std::size_t without_root = objects - 1;
  const std::size_t largest = std::clamp<std::size_t>(2 * objects / fewest_structures, 1, largest_structure);
  while (next() < without_root) {
    const object first = next();
    const auto left = static_cast<object>(without_root - first);
    const auto wanted = static_cast<object>(1 + random.next() % largest);
    const object size = std::min(wanted, left);
    const bool lives = first == 0 || random.next() % garbage_one_in != 0;
    switch (static_cast<form>(random.next() % forms)) {
      case form::list: add_list(size, random); break;
      case form::tree: add_tree(size); break;
      case form::array: add_array(size, random); break;
    }
    if (lives) living_.push_back({.first = first, .size = size});
    alive_.insert(alive_.end(), size, lives);
  }
  // The root: a table of all that lives.
  for (const structure& one : living_) references_.push_back(one.first);
  end_object();
  alive_.push_back(true);

  for (object one = 0; one < alive_.size(); ++one) {
    if (alive_[one]) reachable_.add(one);
  }
  marks_ = std::make_unique<std::atomic<std::uint8_t>[]>(alive_.size());  // NOLINT(modernize-avoid-c-arrays)
}

// Every other object is a link, which refers to the next link and to a value of its own; that value refers to anything.
void heap::add_list(object size, xorshift& random) {
  const object first = next();
  const object end = first + size;
  for (object at = first; at < end; ++at) {
    const bool is_link = (at - first) % 2 == 0;
    if (is_link) {
      if (at + 1 < end) references_.push_back(at + 1);
      if (at + 2 < end) references_.push_back(at + 2);
    } else {
      references_.push_back(any_living(random, first));
    }
    end_object();
  }
}

// Laid out level by level.
void heap::add_tree(object size) {
  const object first = next();
  for (object at = 0; at < size; ++at) {
    for (object branch = 1; branch <= tree_branches; ++branch) {
      const object child = at * tree_branches + branch;
      if (child < size) references_.push_back(first + child);
    }
    end_object();
  }
}

// The first object refers to all others; every fourth of these refers to anything, the others to nothing.
void heap::add_array(object size, xorshift& random) {
  const object first = next();
  for (object at = 1; at < size; ++at) references_.push_back(first + at);
  end_object();
  for (object at = 1; at < size; ++at) {
    if (at % 4 == 0) references_.push_back(any_living(random, first));
    end_object();
  }
}

object heap::any_living(xorshift& random, object otherwise) const noexcept {
  if (living_.empty()) return otherwise;
  const structure& within = living_[random.next() % living_.size()];
  return within.first + static_cast<object>(random.next() % within.size);
}

void heap::clear_marks() noexcept {
  for (std::size_t i = 0; i < alive_.size(); ++i) marks_[i].store(0, std::memory_order_relaxed);
}

void heap::check(std::string_view who, const scanned& found) const {
  for (object one = 0; one < alive_.size(); ++one) {
    const bool marked = marks_[one].load(std::memory_order_relaxed) != 0;
    if (marked == alive_[one]) continue;
    throw std::runtime_error(fmt::format("marking: {}: object {} is {}", who, one,
                                         marked ? "garbage, but was marked" : "reachable, but was not marked"));
  }
  if (found == reachable_) return;
  throw std::runtime_error(fmt::format("marking: {}: {} objects are reachable, but {} were scanned{}", who,
                                       reachable_.count, found.count,
                                       found.count == reachable_.count ? ": not the same ones" : ""));
}

}  // namespace pilfer::lab::marking
