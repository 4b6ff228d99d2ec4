// A litmus test's program as data, so that the oracle and the checker run the same thing.
//
// Its text has threads separated by `|` and instructions by `;`. Registers are r0, r1, ...; any other name is a location,
// 0 at the start. An order (rlx acq rel ar sc) stands last and is relaxed unless told:
//
//   x=1 rel          store; also x=r0, x=r0+1 (a data dependency)
//   r0=x acq         load
//   r0=add(x,1) ar   fetch_add; the register may be left out, here and below
//   r0=swap(x,1)     exchange
//   r0=cas(x,0,1) ar/acq    compare_exchange_strong from 0 to 1, with the order of failure; r0 is the value read
//   r0=weak(x,0,1)   compare_exchange_weak
//   fence sc
//   if r0==1         the rest of the thread runs only then (a control dependency); also !=
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pilfer::model::litmus {

inline constexpr std::size_t max_program_threads = 4;
inline constexpr std::size_t max_locations = 4;
inline constexpr std::size_t max_registers = 10;

enum class operation : std::uint8_t { load, store, fetch_add, exchange, cas, weak_cas, fence, only_if };

struct instruction {
  operation kind = operation::fence;
  std::uint8_t location = 0;
  int result = -1;    // the register that takes the value read; -1: none
  int from = -1;      // store: the register whose value is added to `operand`; only_if: the register compared
  int operand = 0;    // stored, added, exchanged or desired; only_if: compared with
  int expected = 0;   // of a CAS
  bool equal = true;  // of only_if
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failure = std::memory_order_relaxed;
};

struct program {
  std::vector<std::vector<instruction>> threads;
  std::vector<std::string> locations;
  std::size_t registers = 0;
};

// How an execution ended. Registers of code that did not run are 0; a location's value is the last of its modification
// order.
struct outcome {
  std::array<int, max_registers> registers{};
  std::array<int, max_locations> memory{};
  friend auto operator<=>(const outcome&, const outcome&) = default;
};
using outcome_set = std::set<outcome>;

// All of `r0=1 & x=2`, and so on.
class condition {
 public:
  condition() = default;
  condition(std::string_view text, const program& of);
  [[nodiscard]] bool holds(const outcome& at) const noexcept;
  [[nodiscard]] bool holds_somewhere(const outcome_set& in) const noexcept;

 private:
  struct term {
    bool is_register;
    std::size_t index;
    int value;
  };
  std::vector<term> terms_;
};

class bad_program : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[nodiscard]] program parse(std::string_view text);
[[nodiscard]] std::string to_text(const program& what);
[[nodiscard]] std::string to_text(const outcome& what, const program& of);

}  // namespace pilfer::model::litmus
