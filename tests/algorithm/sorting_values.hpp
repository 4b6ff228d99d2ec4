// What the tests of sorting have in common: where to sort, what to sort, and that all of it is there afterwards.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/pool.hpp>

#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {

// --- Where to sort.

struct place {
  std::string name;
  std::shared_ptr<pool> where;  // none: outside of any
  template <class F>
  void run(F&& f) const {
    if (where == nullptr) return f();
    where->run(std::forward<F>(f));
  }
};
[[nodiscard]] inline std::vector<place> all_places() {
  std::vector<place> places = {{"outside", nullptr}};
  for (const std::size_t workers : {1U, 2U, 4U}) {
    places.push_back({std::to_string(workers) + " workers", std::make_shared<pool>(workers)});
  }
  for (const char* name : {"ws-chase-lev", "bwos-fifo"}) {
    places.push_back({name, std::make_shared<pool>(pool_options{.workers = 3, .scheduler = name})});
  }
  return places;
}

class sorting : public ::testing::Test {
 protected:
  template <class F>
  void everywhere(F&& f) {
    for (const place& at : all_places()) {
      SCOPED_TRACE(at.name + ", " + describe_seed());
      f(at);
    }
  }
  watchdog dog_{std::chrono::seconds(250), "sorting"};
};

// --- What to sort.

struct input {
  std::string name;
  std::vector<int> keys;
};
[[nodiscard]] inline std::vector<input> inputs_of(std::size_t n, random_source& random) {
  std::vector<input> all;
  const auto add = [&](const char* name, auto&& key) {
    input next{name, std::vector<int>(n)};
    for (std::size_t i = 0; i < n; ++i) next.keys[i] = static_cast<int>(key(i));
    all.push_back(std::move(next));
  };
  add("random", [&](std::size_t) { return random() & 0x7FFFFFFF; });
  add("few values", [&](std::size_t) { return random.below(10); });
  if (n > 100'000 && under_tsan) return all;
  add("many equal", [&](std::size_t) { return random.below(n / 4 + 1); });
  add("sorted", [](std::size_t i) { return i; });
  add("reversed", [&](std::size_t i) { return n - i; });
  add("organ pipe", [&](std::size_t i) { return std::min(i, n - i); });
  if (n > (under_tsan ? 1000 : 10'000)) return all;
  add("two values", [&](std::size_t) { return random.below(2); });
  add("all equal", [](std::size_t) { return 7; });
  add("sorted, twice each", [](std::size_t i) { return i / 2; });
  add("reversed, twice each", [&](std::size_t i) { return n - i / 2; });
  add("saw", [](std::size_t i) { return i % 100; });
  add("nearly sorted", [&](std::size_t i) { return random.one_in(50) ? random.below(n) : i; });
  add("last is least", [&](std::size_t i) { return i + 1 == n ? 0 : i + 1; });
  add("first is greatest", [&](std::size_t i) { return i == 0 ? n : i; });
  return all;
}
[[nodiscard]] inline std::vector<std::size_t> sorting_sizes() {
  // clang-format off
  std::vector<std::size_t> all = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 21, 24, 25, 32, 33, 47, 48, 49, 63, 64, 65, 96, 127, 128,
                                  129, 130, 385, 511, 512, 513, 777, 2047, 2048, 2049, 4096, 4097, 5000, 20'000};
  // clang-format on
  all.push_back(140'000);  // large enough for partitions by several threads
  return all;
}

// A key, and which one it was. Not to be copied nor made from nothing; counted, so that none is lost or there twice.
template <std::size_t Alignment>
class alignas(Alignment) tracked_key {
 public:
  tracked_key(int key, int id) : key_(key), id_(id) { ++alive; }
  tracked_key(tracked_key&& other) noexcept : key_(other.key_), id_(std::exchange(other.id_, -1)) { ++alive; }
  tracked_key& operator=(tracked_key&& other) noexcept {
    EXPECT_NE(this, &other);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % Alignment, 0U);
    key_ = other.key_;
    id_ = std::exchange(other.id_, -1);
    return *this;
  }
  tracked_key(const tracked_key&) = delete;
  tracked_key& operator=(const tracked_key&) = delete;
  ~tracked_key() { --alive; }
  [[nodiscard]] int key() const {
    EXPECT_GE(id_, 0) << "a value that was moved away";
    return key_;
  }
  [[nodiscard]] int id() const { return id_; }
  friend bool operator<(const tracked_key& a, const tracked_key& b) { return a.key() < b.key(); }

  static std::atomic<long> alive;

 private:
  int key_;
  int id_;
};
template <std::size_t Alignment>
std::atomic<long> tracked_key<Alignment>::alive = 0;

struct record {  // plain
  int key = 0;
  int id = 0;
  std::int64_t more = 0;
  friend bool operator==(const record&, const record&) = default;
};

template <class T>
[[nodiscard]] T make(int key, int id) {
  if constexpr (std::is_same_v<T, record>) {
    return record{key, id, key};
  } else {
    return T(key, id);
  }
}
[[nodiscard]] inline int key_of(const record& x) { return x.key; }
[[nodiscard]] inline int id_of(const record& x) { return x.id; }
template <std::size_t A>
[[nodiscard]] int key_of(const tracked_key<A>& x) {
  return x.key();
}
template <std::size_t A>
[[nodiscard]] int id_of(const tracked_key<A>& x) {
  return x.id();
}

template <class Container>
[[nodiscard]] Container made_of(const std::vector<int>& keys) {
  Container values;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    values.push_back(make<typename Container::value_type>(keys[i], static_cast<int>(i)));
  }
  return values;
}

// Each id once, each with its own key.
template <class Container>
void expect_all_there(const Container& values, const std::vector<int>& keys) {
  ASSERT_EQ(values.size(), keys.size());
  std::vector<int> seen(keys.size());
  for (const auto& x : values) {
    ASSERT_GE(id_of(x), 0);
    ASSERT_LT(static_cast<std::size_t>(id_of(x)), keys.size());
    ++seen[static_cast<std::size_t>(id_of(x))];
    ASSERT_EQ(key_of(x), keys[static_cast<std::size_t>(id_of(x))]);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(seen.size()));
}
template <class Container>
void expect_sorted(const Container& values, const std::vector<int>& keys, bool stable) {
  expect_all_there(values, keys);
  for (std::size_t i = 1; i < values.size(); ++i) {
    ASSERT_LE(key_of(values[i - 1]), key_of(values[i])) << "at " << i;
    if (stable && key_of(values[i - 1]) == key_of(values[i])) {
      ASSERT_LT(id_of(values[i - 1]), id_of(values[i])) << "at " << i;
    }
  }
}

struct key_less {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return key_of(a) < key_of(b);
  }
};

struct named {
  std::string name;
  int id = 0;
};

}  // namespace pilfer::test
