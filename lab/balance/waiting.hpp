// How long tasks wait: from their spawn to their begin, task by task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pilfer::lab::balance {

enum class arrival : unsigned char {
  batch,   // one task spawns all the others, then waits
  steady,  // chains: each task spawns the next one of its chain when it ends, as connections of a server do
};
[[nodiscard]] std::string_view name_of(arrival how) noexcept;

struct waiting_plan {
  arrival how = arrival::batch;
  std::size_t tasks = 1000;
  std::size_t chains = 1;  // of equal length; only with steady arrival
  int fib = 18;            // what a task computes
};

struct waiting_run {
  std::vector<double> waited_us;  // by task
  double seconds = 0;             // of the whole run
};

// Who runs the tasks: a pool, or plain code.
class waiting_room {
 public:
  waiting_room() = default;
  virtual ~waiting_room() = default;
  waiting_room(const waiting_room&) = delete;
  waiting_room& operator=(const waiting_room&) = delete;

  //   Throws  std::runtime_error if a task did not run, or computed something else.
  [[nodiscard]] virtual waiting_run run(const waiting_plan& plan) = 0;
  [[nodiscard]] virtual std::optional<std::uint64_t> steals_so_far() const { return std::nullopt; }
};

inline constexpr const char* plain_fifo = "serial";

// By name: a scheduler of pilfer::pool, or plain_fifo, one thread and a plain queue.
[[nodiscard]] std::unique_ptr<waiting_room> make_waiting_room(const std::string& name, std::size_t workers);

}  // namespace pilfer::lab::balance
