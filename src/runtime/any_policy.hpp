// A policy chosen by its name, at run time. A closed set: a variant, no virtual call, no allocation of its own.
// Stands here and not in victim/, because there no header needs another.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <pilfer/detail/callable.hpp>
#include <pilfer/ext/victim_policy.hpp>
#include <pilfer/victim/best_of_many.hpp>
#include <pilfer/victim/best_of_two.hpp>
#include <pilfer/victim/last.hpp>
#include <pilfer/victim/numa.hpp>
#include <pilfer/victim/probabilistic.hpp>
#include <pilfer/victim/rand.hpp>
#include <pilfer/victim/seq.hpp>

namespace pilfer::victim {

class any_policy {
  template <class... Selectors>
  struct set_of {
    using type = std::variant<Selectors..., probabilistic<Selectors>...>;
    static constexpr std::array names{Selectors::name..., probabilistic<Selectors>::name...};

    // The one whose name it is; otherwise nothing.
    template <class Policy>
    static void make_if(std::optional<type>& made, std::string_view name, const victim_setup& setup) {
      if (name == Policy::name) made.emplace(std::in_place_type<Policy>, setup);
    }
    static std::optional<type> make(std::string_view name, const victim_setup& setup) {
      std::optional<type> made;
      (make_if<Selectors>(made, name, setup), ...);
      (make_if<probabilistic<Selectors>>(made, name, setup), ...);
      return made;
    }
  };
  using set = set_of<rand_victim, seq_victim, last_victim, best_of_two, best_of_many, numa_victim>;

 public:
  //   Throws  std::invalid_argument for a name that is not in names().
  any_policy(std::string_view name, const victim_setup& setup) : policy_(make(name, setup)) {}

  // The selectors, then each with `probabilistic-` before it.
  [[nodiscard]] static constexpr std::span<const std::string_view> names() noexcept { return set::names; }
  [[nodiscard]] std::string_view name() const {
    return std::visit([]<class Policy>(const Policy&) { return Policy::name; }, policy_);
  }

  template <class View>
  [[nodiscard]] std::size_t choose(View&& view) {
    return std::visit([&](auto& policy) { return policy.choose(view); }, policy_);
  }
  void stole(std::size_t victim) {
    std::visit([&](auto& policy) { policy.stole(victim); }, policy_);
  }
  void failed(std::size_t victim) {
    std::visit([&](auto& policy) { policy.failed(victim); }, policy_);
  }
  void resize(std::size_t workers) {
    std::visit([&](auto& policy) { policy.resize(workers); }, policy_);
  }

 private:
  static set::type make(std::string_view name, const victim_setup& setup) {
    std::optional<set::type> made = set::make(name, setup);
    if (!made) reject(name);
    return *std::move(made);
  }
  [[noreturn]] static void reject(std::string_view name) {
    std::string text = "victim policy '" + std::string(name) + "' is unknown; there are:";
    for (const std::string_view known : names()) text.append(" ").append(known);
    detail::bad_argument(text);
  }

  set::type policy_;
};

[[nodiscard]] constexpr std::span<const std::string_view> policy_names() noexcept { return any_policy::names(); }

}  // namespace pilfer::victim
