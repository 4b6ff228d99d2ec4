#include "lab/queues/registry.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lab/measure/registry.hpp"

namespace pilfer::lab::queues {

thief_totals& thief_totals::operator+=(const thief_totals& other) noexcept {
  taken += other.taken;
  steals += other.steals;
  empty += other.empty;
  lost += other.lost;
  private_work += other.private_work;
  attempt_ns += other.attempt_ns;
  return *this;
}

const std::vector<implementation>& implementations() {
  static const std::vector<implementation> all = [] {
    std::vector<implementation> list;
    for (auto part : {plain_implementations, eigen_implementations, moodycamel_implementations, classic_implementations,
                      block_implementations, light_implementations}) {
      std::ranges::move(part(), std::back_inserter(list));
    }
    return list;
  }();
  return all;
}

const implementation* find_implementation(const std::string& name) { return find_by_name(implementations(), name); }

}  // namespace pilfer::lab::queues
