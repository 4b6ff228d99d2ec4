// Kits as entries: each compiles run<Kit>() of every program in a file of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "lab/applications/application.hpp"
#include "lab/applications/program_list.hpp"
#include "lab/measure/stopwatch.hpp"

namespace pilfer::lab::applications {

template <class Program>
class application_of final : public application {
 public:
  // From an effort, or from what else the program can be made from.
  template <class Given>
  explicit application_of(Given given) : program_(given) {}
  [[nodiscard]] std::string_view name() const override { return program_.name; }
  [[nodiscard]] std::string text() const override { return program_.text(); }
  [[nodiscard]] std::int64_t size() const override { return program_.size(); }
  void reset() override { program_.reset(); }
  void check(std::string_view who) const override { program_.check(who); }
  [[nodiscard]] Program& program() noexcept { return program_; }

 private:
  Program program_;
};

// Calls visit(program) with the program as its own type.
template <class Visit, class... Programs>
void visit_program(application& what, type_list<Programs...> /*of*/, const Visit& visit) {
  const auto is = [&]<class P>(type_list<P> /*one*/) {
    auto* const found = dynamic_cast<application_of<P>*>(&what);
    if (found != nullptr) visit(found->program());
    return found != nullptr;
  };
  if (!(is(type_list<Programs>{}) || ...))
    throw std::logic_error("not in program_list.hpp: " + std::string(what.name()));
}

// A kit inside a pool that has run(f).
template <class Kit, class Pool>
class kit_session : public session {
 public:
  // `given` is what the pool is made from. A worker alone is the caller: there is nobody who calms down.
  template <class Given>
  kit_session(std::string name, std::chrono::milliseconds calms_down_in, std::size_t workers, const Given& given)
      : session(std::move(name)), calms_down_in_(workers > 1 ? calms_down_in : calms_down_in.zero()), pool_(given) {}

 protected:
  double time(application& what) override {
    double seconds = 0;
    visit_program(what, program_list{}, [&]<class P>(P& program) {
      seconds = seconds_taken_by([&] { pool_.run([&program] { program.template run<Kit>(); }); });
    });
    return seconds;
  }
  void calm_down() const override { std::this_thread::sleep_for(calms_down_in_); }
  [[nodiscard]] Pool& pool() noexcept { return pool_; }
  [[nodiscard]] const Pool& pool() const noexcept { return pool_; }

 private:
  std::chrono::milliseconds calms_down_in_;
  Pool pool_;
};

}  // namespace pilfer::lab::applications
