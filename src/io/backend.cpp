// Which backend a pool has.
#include <pilfer/io/backend.hpp>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "../sync/environment.hpp"
#include "source.hpp"
#include "threads.hpp"

namespace pilfer::io {

namespace {

backend_choice choice_of_environment() {
  const std::string_view name = pilfer::detail::environment::value_of(pilfer::detail::environment::io_backend);
  if (name.empty() || name == "auto") return backend_choice::automatic;
  if (name == "uring") return backend_choice::uring;
  if (name == "threads") return backend_choice::threads;
  throw std::invalid_argument("pilfer: PILFER_IO=" + std::string(name) + " is none of auto, uring, threads");
}

std::unique_ptr<detail::source> choose(const options& wanted) {
  const backend_choice choice = wanted.choice == backend_choice::automatic ? choice_of_environment() : wanted.choice;
  if (choice == backend_choice::threads) {
    return detail::make_threads_source(
        wanted, wanted.choice == choice ? "threads: chosen by the program" : "threads: PILFER_IO=threads");
  }
  std::string why;
  int error = 0;
  if (auto made = detail::make_ring_source(wanted, why, error)) return made;
  if (choice == backend_choice::uring) {
    throw std::system_error(error, std::system_category(),
                            "pilfer: io_uring is wanted (PILFER_IO=uring, or options) and cannot be had: " + why);
  }
  return detail::make_threads_source(wanted, "threads: no io_uring: " + why);
}

}  // namespace

namespace detail {

source& source_of(pilfer::detail::runtime& home) {
  if (auto* const there = home.events.source()) [[likely]]
    return static_cast<source&>(*there);
  return static_cast<source&>(home.events.attach(choose({})));  // somebody else's, if that was first
}

}  // namespace detail

std::string_view name_of(backend which) noexcept { return which == backend::uring ? "uring" : "threads"; }

void configure(pool& home, const options& wanted) {
  if (pilfer::detail::access::of(home).events.source() == nullptr) {
    auto made = choose(wanted);
    const auto* const mine = made.get();
    if (&pilfer::detail::access::of(home).events.attach(std::move(made)) == mine) return;
  }
  throw std::logic_error("pilfer: io::configure after the pool's first operation");
}

backend backend_of(pool& home) { return detail::source_of(pilfer::detail::access::of(home)).kind(); }
std::string describe_backend(pool& home) { return detail::source_of(pilfer::detail::access::of(home)).description(); }

statistics statistics_of(pool& home) {
  statistics all;
  detail::source_of(pilfer::detail::access::of(home)).count(all);
  all.cancelled += detail::cancelled_on_threads();
  all.threads_jobs = detail::blocking_threads::jobs();
  all.polled = detail::poller::polled();
  all.threads_stuck = detail::blocking_threads::all().stuck();
  return all;
}

}  // namespace pilfer::io
