// The figures to reach, by the ids of the issue. They are judged by rows, whether just measured or read from a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/queues/alone.hpp"
#include "lab/queues/thieves.hpp"

namespace pilfer::lab::queues {

// The rows of one suite, by name and implementation.
class suite_rows {
 public:
  // `all` must live as long as this.
  suite_rows(const std::vector<row>& all, std::string_view suite) : all_(&all), suite_(suite) {}

  // Null if it was not measured.
  [[nodiscard]] const row* find(std::string_view name, std::string_view impl) const;
  [[nodiscard]] bool any(std::string_view name) const;
  // All of that name, in their order.
  [[nodiscard]] std::vector<const row*> named(std::string_view name) const;

 private:
  const std::vector<row>* all_;
  std::string suite_;
};

// An owner's throughput with thieves, relative to the same queue without: rows named `name` have the key
// `relative_throughput`. Too small a stolen share and threads that share a processor prove nothing; the note says so.
struct kept_throughput {
  const char* id;
  const char* text;
  std::optional<double> paper;
  std::optional<double> goal;
  const char* queue;
  double share;      // stolen, the target
  std::string name;  // of the rows
};
[[nodiscard]] claim judged(const kept_throughput& what, const suite_rows& rows);

// Why a row with thieves proves nothing about `share`: oversubscribed, or less than nine tenths of it stolen. Empty: it does.
[[nodiscard]] std::string why_not_shown(const row& with_thieves, double share);

// Throughput of one over another's, with rows named `name`; `rows` are in ns/op. Without a figure the note says why.
struct throughput_ratio {
  const char* id;
  const char* text;
  std::optional<double> paper;
  std::optional<double> goal;
  const char* fast;
  const char* slow;
};
[[nodiscard]] claim judged(const throughput_ratio& what, const suite_rows& rows, std::string_view name);

// The name of the rows that the claims about an owner alone refer to.
inline constexpr std::string_view alone_claims_name = "alone/8192";

// All claims about an owner alone, always.
[[nodiscard]] std::vector<claim> alone_claims(const suite_rows& rows);

// 20 % stolen by one thief, LIFO and FIFO BWoS; `name`: of the rows.
[[nodiscard]] claim lifo_stolen20(const suite_rows& rows, std::string name);
[[nodiscard]] claim fifo_stolen20(const suite_rows& rows, std::string name);

// All claims of `pilfer bench queues`, always; what was not measured (a null argument, a queue that was not chosen) has no
// figure and a note that says why. `alone` is the large geometry.
[[nodiscard]] std::vector<claim> queue_claims(const alone_result* alone, const thieves_result* thieves);

}  // namespace pilfer::lab::queues
