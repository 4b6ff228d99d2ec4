// Programs that all schedulers run: their inputs are made once and shared, every answer is checked.
//
// A program P is a type in a header of its own, listed in program_list.hpp:
//
//     struct histogram {
//       static constexpr const char* name = "histogram";
//       explicit histogram(effort how);                  // makes its input: seeded, the same every time
//       std::string text() const;                        // "histogram of 1000000 keys in 256 bins"
//       std::int64_t size() const;
//       void reset();                                    // before each run: forgets the last answer, restores the input
//       template <class S> void run();                   // inside the scheduler; keeps its answer. This alone is timed
//       void run_serial();                               // optional: what one writes without a scheduler
//       template <class Policy>                          // optional: where the program is one standard algorithm
//       void run_std(const Policy& policy);
//       void check(std::string_view who) const;          // wrong(who, name, "…") unless the answer is right
//     };
//
// Without run_serial, serial code is run<serial_kit>(): forks that are calls. A kit S has
//
//     template <class F, class G> static auto fork_join(F&& f, G&& g);   // both void, or both results: auto [a, b]
//     template <class F>                                                 // f(i) for each, in pieces of at least `grain`
//     static void parallel_for(std::size_t first, std::size_t last, std::size_t grain, F f);
//
// What is built on these two for everybody is in primitives.hpp. Nothing may leave run() by an exception: OpenMP has no way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/measure/run_log.hpp"

namespace pilfer::lab::applications {

using experiments::effort;

// One of three by effort.
template <class T>
[[nodiscard]] constexpr T sized(effort how, T tiny, T quick, T full) {
  return how == effort::tiny ? tiny : how == effort::quick ? quick : full;
}

//   Throws  std::runtime_error "WHO: PROGRAM: WHAT".
[[noreturn]] void wrong(std::string_view who, std::string_view program, std::string_view what);

// A program with its input. One run at a time.
class application {
 public:
  application() = default;
  virtual ~application() = default;
  application(const application&) = delete;
  application& operator=(const application&) = delete;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string text() const = 0;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  virtual void reset() = 0;
  //   Throws  std::runtime_error that names `who`.
  virtual void check(std::string_view who) const = 0;
};

struct application_entry {
  std::string name;
  std::function<std::unique_ptr<application>(effort how)> make;  // makes the input, too
};
// All of them, in the order of the tables.
[[nodiscard]] const std::vector<application_entry>& applications();

// A scheduler with its threads.
class session {
 public:
  explicit session(std::string name) : name_(std::move(name)) {}
  virtual ~session() = default;
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  // Resets the program, runs it, and checks the answer; returns the seconds it took, and notes what else it cost.
  //   Throws  std::runtime_error if it is wrong; std::logic_error if the scheduler cannot run it.
  double run(application& what, run_log& log);
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 protected:
  // Seconds of the program alone.
  virtual double time(application& what) = 0;
  [[nodiscard]] virtual std::optional<std::uint64_t> stolen_so_far() const { return std::nullopt; }
  virtual void calm_down() const {}  // waits for threads that go on after their work

 private:
  std::string name_;
};

// How a scheduler of ours is made; others have nothing to choose.
struct variant {
  std::string scheduler;          // of scheduler_names()
  std::size_t block_entries = 0;  // bwos-*; 0: as it is
};
// "bwos-lifo", or with blocks of its own "bwos-lifo(64)"
[[nodiscard]] std::string name_of(const variant& how);

enum class kind : unsigned char { serial, ours, peer };

// Who can run programs.
struct kit_entry {
  std::string name;  // "pilfer" stands for all schedulers of ours
  kind of = kind::peer;
  std::string version{};                                   // of a peer
  std::string why_unavailable{};                           // of one that is not in this build
  std::function<bool(const application& what)> can_run{};  // empty: all
  std::function<std::unique_ptr<session>(std::size_t workers, const variant& how)>
      make{};  // empty: see why_unavailable

  [[nodiscard]] bool runs(const application& what) const { return make && (!can_run || can_run(what)); }
};
[[nodiscard]] const std::vector<kit_entry>& kits();
// Null if there is none of that name.
[[nodiscard]] const kit_entry* find_kit(std::string_view name);

inline constexpr const char* serial_name = "serial";
inline constexpr const char* pilfer_name = "pilfer";
inline constexpr const char* tbb_name = "onetbb";
inline constexpr const char* openmp_name = "openmp";
inline constexpr const char* std_par_name = "std-par";

// By file.
[[nodiscard]] kit_entry serial_kit_entry();
[[nodiscard]] kit_entry pilfer_kit_entry();
[[nodiscard]] kit_entry tbb_kit_entry();
[[nodiscard]] kit_entry openmp_kit_entry();
[[nodiscard]] kit_entry std_par_kit_entry();

}  // namespace pilfer::lab::applications
