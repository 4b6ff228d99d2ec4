// Who gave something last, again and again until it fails; otherwise anybody.
// Sources: 001, 6.2.3, `last`: the last *selected* one. Taken literally, a thief would never leave an empty victim; ours
// stays while it is worth it.
#pragma once

#include <cstddef>
#include <string_view>

#include <pilfer/ext/victim_policy.hpp>

namespace pilfer::victim {

class last_victim : public ext::random_policy {
 public:
  static constexpr std::string_view name = "last";

  explicit last_victim(const victim_setup& setup) noexcept : random_policy(setup) {}

  template <class View>
  [[nodiscard]] std::size_t choose(View&& /*view*/) noexcept {
    return giver_ != npos ? giver_ : others_.pick(random_);
  }
  // Work may also have come from a worker that has left since.
  void stole(std::size_t victim) noexcept { giver_ = others_.contains(victim) ? victim : npos; }
  void failed(std::size_t victim) noexcept {
    if (victim == giver_) giver_ = npos;
  }
  void resize(std::size_t workers) noexcept {
    others_.resize(workers);
    if (!others_.contains(giver_)) giver_ = npos;
  }

 private:
  std::size_t giver_ = npos;
};

}  // namespace pilfer::victim
