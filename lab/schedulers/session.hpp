// Every scheduler by name, ours and others', as CLI, tests and lab see it: make a session (a pool that lives on) and run
// programs in it.
//
//     for (const entry& one : registry())
//       if (one.make) EXPECT_EQ(one.make(4)->run_fib(20), 6765);
//
// To add one: a type with fork_join(f, g) and one with run(f), see pool_session.hpp; an entry in one of the files here, and
// its function in registry.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/programs/workload.hpp"

namespace pilfer::lab::schedulers {

using programs::program;
using programs::workload;

class session {
 public:
  session() = default;
  virtual ~session() = default;
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  // Runs it once and checks the answer.
  //   Throws  std::runtime_error if it is wrong, or if the scheduler could not run it.
  double seconds_of(const workload& what);

  // For tests: only runs it. One caller at a time, unless the scheduler is one of ours.
  std::int64_t run_fib(int n) { return whole_answer({program::fib, n}); }
  std::int64_t run_nqueens(int n) { return whole_answer({program::nqueens, n}); }
  std::int64_t run_skewed_left(std::int64_t numbers) { return whole_answer({program::skewed_left, numbers}); }
  std::int64_t run_skewed_right(std::int64_t numbers) { return whole_answer({program::skewed_right, numbers}); }

  // Runs and times it.
  virtual programs::timed_answer run(const workload& what) = 0;

  // Jobs stolen since it was made; none of a scheduler that does not say, which others' do not.
  [[nodiscard]] virtual std::optional<std::uint64_t> steals_so_far() const { return std::nullopt; }

  // Who is named when an answer is wrong.
  void set_name(std::string name) { name_ = std::move(name); }

 private:
  std::int64_t whole_answer(const workload& what) { return static_cast<std::int64_t>(run(what).answer); }
  std::string name_ = "a scheduler";
};

enum class family : unsigned char {
  serial,         // no scheduler
  users_pool,     // pilfer::pool as users have it, in its forms
  configuration,  // basic_pool of one configuration, fixed when compiled
  switched,       // pilfer::pool, the configuration chosen when run
  peer,           // somebody else's
};

struct entry {
  std::string name;
  std::string description;
  family of = family::configuration;
  std::vector<program> only;                                          // programs it can run; empty: all
  std::string why_unavailable;                                        // of one that cannot be made here
  std::string version;                                                // of a peer
  std::function<std::unique_ptr<session>(std::size_t workers)> make;  // empty: see why_unavailable

  [[nodiscard]] bool runs(program what) const;
};

// All of them, in the order of the tables.
[[nodiscard]] const std::vector<entry>& registry();
// Null if there is none of that name.
[[nodiscard]] const entry* find_scheduler(std::string_view name);

inline constexpr const char* serial_name = "serial";
inline constexpr const char* default_name = "default";
inline constexpr const char* context_name = "default-context";
inline constexpr const char* throwing_name = "default-throwing";

// Fences and compare-and-swaps of the queues, and what they were for, of all threads of a pool. Counted until each
// thread's last look for work but one.
struct synchronization {
  std::uint64_t fences = 0;
  std::uint64_t cas = 0;
  std::uint64_t pushes = 0;
  std::uint64_t pops = 0;
  std::uint64_t steals = 0;    // pushes == pops + steals
  std::uint64_t exposed = 0;   // jobs made stealable; only split deques count them
  std::uint64_t unstolen = 0;  // of those: taken back by their owner
  synchronization& operator+=(const synchronization& other) noexcept {
    fences += other.fences;
    cas += other.cas;
    pushes += other.pushes;
    pops += other.pops;
    steals += other.steals;
    exposed += other.exposed;
    unstolen += other.unstolen;
    return *this;
  }
};

// A configuration in the counting build: makes a pool, runs the program once, and counts. One call at a time.
struct counted_entry {
  std::string name;
  std::function<synchronization(const workload& what, std::size_t workers)> count;
};
[[nodiscard]] const std::vector<counted_entry>& counted_registry();

}  // namespace pilfer::lab::schedulers
