#include "lab/algorithms/problems.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace pilfer::lab::algorithms {
namespace {

// Calls f.template operator()<P>() for every problem.
template <class F>
void for_each_problem(F&& f) {
  [&]<class... P>(std::type_identity<std::variant<P...>>) {
    (f.template operator()<P>(), ...);
  }(std::type_identity<problem>{});
}

}  // namespace

std::uint64_t churn(std::uint64_t seed, unsigned rounds) noexcept {
  xorshift chain(seed);
  std::uint64_t last = seed;
  for (; rounds > 0; --rounds) last = chain.next();
  return last;
}

std::vector<double> random_doubles(std::size_t count) {
  xorshift random;
  std::vector<double> numbers(count);
  std::ranges::generate(numbers, [&] { return static_cast<double>(random.next() >> 56); });
  return numbers;
}

std::vector<std::string> random_strings(std::size_t count) {
  constexpr std::size_t shortest = 4;
  constexpr std::size_t longest = 24;
  xorshift random;
  std::vector<std::string> strings(count);
  for (std::string& one : strings) {
    one.resize(shortest + random.next() % (longest - shortest + 1));
    std::ranges::generate(one, [&] { return static_cast<char>('a' + random.next() % 26); });
  }
  return strings;
}

std::vector<record> random_records(std::size_t count) {
  xorshift random;
  std::vector<record> records(count);
  std::uint32_t place = 0;
  std::ranges::generate(records, [&] { return record{static_cast<std::uint32_t>(random.next() >> 48), place++}; });
  return records;
}

trivial_loop::trivial_loop(scale how) : passes_(pass_counts.at(how)), original_(of.at(how)) {
  std::iota(original_.begin(), original_.end(), 1U);
  expected_ = original_;
  for (std::size_t pass = 0; pass < passes_; ++pass) {
    for (std::uint32_t& x : expected_) triple_and_one{}(0, x);
  }
  values_ = original_;
}

skewed_loop::skewed_loop(scale how) : values_(of.at(how)), expected_(of.at(how)) {
  const skewed_churn f{heavy_end()};
  for (std::size_t i = 0; i < expected_.size(); ++i) f(i, expected_[i]);
}

record_sort::record_sort(scale how) : sorting(random_records(of.at(how))) {}

bool prefix_sums::is_right() const {
  double so_far = 0;
  return std::ranges::equal(in(), out(), [&](double x, double found) { return (so_far += x) == found; });
}

selection::selection(scale how) : in_(numbers_to_sort(of.at(how))), out_(in_.size()) {
  std::ranges::copy_if(in_, std::back_inserter(expected_), is_odd{});
}

void selection::prepare() {
  std::ranges::fill(out_, std::int64_t{0});
  kept_ = 0;
}

bool selection::is_right() const {
  return kept_ == expected_.size() && std::equal(expected_.begin(), expected_.end(), out_.begin());
}

byte_counts::byte_counts(scale how) : values_(of.at(how)), expected_(bins) {
  xorshift random;
  std::ranges::generate(values_, [&] { return static_cast<std::uint32_t>(random.next() >> 32); });
  for (const std::uint32_t x : values_) ++expected_[low_byte{}(x)];
}

needle_search::needle_search(scale how) : values_(of.at(how)) {
  xorshift random;
  std::ranges::generate(values_, [&] { return static_cast<std::int32_t>(random.next() >> 33); });  // none is negative
  values_[needle_place()] = is_needle::needle;
}

two_halves::two_halves(scale how) : expected_(numbers_to_sort(of.at(how))) {
  const auto middle = expected_.begin() + static_cast<std::ptrdiff_t>(expected_.size() / 2);
  first_.assign(expected_.begin(), middle);
  second_.assign(middle, expected_.end());
  for (auto* part : {&first_, &second_, &expected_}) std::ranges::sort(*part);
  out_.resize(expected_.size());
}

const std::vector<std::string>& problem_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for_each_problem([&]<class P>() { names.emplace_back(P::name); });
    return names;
  }();
  return all;
}

problem make_problem(std::string_view name, scale how) {
  std::optional<problem> made;
  for_each_problem([&]<class P>() {
    if (P::name == name) made.emplace(std::in_place_type<P>, how);
  });
  if (!made) throw std::invalid_argument(fmt::format("there is no problem '{}'", name));
  return std::move(*made);
}

std::string_view name_of(const problem& what) {
  return std::visit([]<class P>(const P&) { return P::name; }, what);
}

std::string text_of(const problem& what) {
  return std::visit([]<class P>(const P& one) { return fmt::format(fmt::runtime(P::text), one.size()); }, what);
}

std::size_t size_of(const problem& what) {
  return std::visit([](const auto& one) { return one.size(); }, what);
}

bool has_full_size(const problem& what) {
  return std::visit([]<class P>(const P& one) { return one.size() == P::of.full; }, what);
}

}  // namespace pilfer::lab::algorithms
