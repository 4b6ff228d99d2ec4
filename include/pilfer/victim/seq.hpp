// Goes round: each victim is the one after the last, whatever came of it. The first is the thief's own neighbour, so
// thieves that begin together do not all begin with worker 0.
// Sources: 001, 6.2.3, `seq`: "a static configuration", of which it says no more; this order is ours.
#pragma once

#include <cstddef>
#include <string_view>

#include <pilfer/ext/victim_policy.hpp>

namespace pilfer::victim {

class seq_victim {
 public:
  static constexpr std::string_view name = "seq";

  explicit seq_victim(const victim_setup& setup) noexcept : others_(setup.self, setup.workers), last_(setup.self) {}

  template <class View>
  [[nodiscard]] std::size_t choose(View&& /*view*/) noexcept {
    if (others_.count() == 0) return npos;
    last_ = after(last_);
    if (last_ == others_.self()) last_ = after(last_);
    return last_;
  }
  void stole(std::size_t /*victim*/) noexcept {}
  void failed(std::size_t /*victim*/) noexcept {}
  void resize(std::size_t workers) noexcept { others_.resize(workers); }

 private:
  // Also from a worker that has left, or from the index of a thief that is none.
  [[nodiscard]] std::size_t after(std::size_t index) const noexcept {
    return index < others_.workers() && index + 1 < others_.workers() ? index + 1 : 0;
  }

  ext::other_workers others_;
  std::size_t last_;
};

}  // namespace pilfer::victim
