// Whom to rob next: what a victim policy is, and the words it is written with.
//
// A policy object belongs to one thief. It is pure: it knows what it was told and its own random numbers, and asks for
// the rest through a view. So the scheduler, the simulator and the tests call the same object, and a seed repeats a run.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <pilfer/ext/machine_groups.hpp>
#include <pilfer/ext/random.hpp>

namespace pilfer::ext {

// The answer when there is nobody to rob.
inline constexpr std::size_t npos = static_cast<std::size_t>(-1);

struct victim_setup {
  std::size_t self = npos;  // the thief's index; not below `workers`: the thief is no worker, and may rob all of them
  std::size_t workers = 0;
  std::uint64_t seed = 0;                  // may be the same for all thieves: each takes the stream of its index
  const machine_groups* groups = nullptr;  // null: nothing is known. Must outlive the policy.
};

// What a thief can see of the others.
//   size_hint   about how many items the victim has. May touch the line that its owner works on.
//   sample      one probe with fresh random bits: is there probably something? True with a chance close to size / capacity.
template <class View>
concept victim_view = requires(View& view, std::size_t victim, std::uint64_t random) {
  { view.size_hint(victim) } -> std::convertible_to<std::size_t>;
  { view.sample(victim, random) } -> std::convertible_to<bool>;
};

// Stands for any view where a concept needs one.
struct blind_view {
  [[nodiscard]] static constexpr std::size_t size_hint(std::size_t /*victim*/) noexcept { return 0; }
  [[nodiscard]] static constexpr bool sample(std::size_t /*victim*/, std::uint64_t /*random*/) noexcept { return true; }
};

//   choose(view)   the next victim: below `workers`, never the thief itself; npos if there is no other worker. No allocation.
//   stole(v)       the last attempt on v gave something.
//   failed(v)      it did not. Telling is optional, for either; policies that remember nothing ignore it.
//   resize(n)      workers 0..n-1 are there from now on. May allocate.
template <class P>
concept victim_policy = requires(P& policy, blind_view view, std::size_t index) {
  { policy.choose(view) } -> std::same_as<std::size_t>;
  policy.stole(index);
  policy.failed(index);
  policy.resize(index);
};

// All policies but those that are chosen at run time.
template <class P>
concept static_victim_policy = victim_policy<P> && std::constructible_from<P, const victim_setup&>;

// Everybody but the thief, numbered without a gap.
class other_workers {
 public:
  constexpr other_workers(std::size_t self, std::size_t workers) noexcept : self_(self), workers_(workers) {}

  [[nodiscard]] constexpr std::size_t self() const noexcept { return self_; }
  [[nodiscard]] constexpr std::size_t workers() const noexcept { return workers_; }
  [[nodiscard]] constexpr std::size_t count() const noexcept { return workers_ - (self_ < workers_ ? 1 : 0); }
  [[nodiscard]] constexpr bool contains(std::size_t index) const noexcept { return index < workers_ && index != self_; }
  // Requires place < count().
  [[nodiscard]] constexpr std::size_t at(std::size_t place) const noexcept { return place < self_ ? place : place + 1; }
  // Any of them with equal chance; npos if there is none.
  [[nodiscard]] constexpr std::size_t pick(random_source& random) const noexcept {
    return count() == 0 ? npos : at(random.below(count()));
  }
  constexpr void resize(std::size_t workers) noexcept { workers_ = workers; }

 private:
  std::size_t self_;
  std::size_t workers_;
};

// The base of policies that choose by chance among the others. What a policy is told it may ignore.
class random_policy {
 public:
  void stole(std::size_t /*victim*/) noexcept {}
  void failed(std::size_t /*victim*/) noexcept {}
  void resize(std::size_t workers) noexcept { others_.resize(workers); }

 protected:
  explicit random_policy(const victim_setup& setup) noexcept
      : others_(setup.self, setup.workers), random_(setup.seed, setup.self) {}

  other_workers others_;
  random_source random_;
};

}  // namespace pilfer::ext

// Policies are written in these words.
namespace pilfer::victim {
using ext::npos;          // NOLINT(misc-unused-using-decls)
using ext::victim_setup;  // NOLINT(misc-unused-using-decls)
}  // namespace pilfer::victim
