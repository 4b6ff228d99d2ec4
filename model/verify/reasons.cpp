#include "reasons.hpp"

namespace pilfer::model::verify {

std::string reason_for_site(const std::string& queue, const site& at, std::memory_order weaker) {
  static_cast<void>(queue);
  static_cast<void>(at);
  static_cast<void>(weaker);
  return {};
}

std::string reason_for_edge(const std::string& queue, const std::string& edge) {
  static_cast<void>(queue);
  static_cast<void>(edge);
  return {};
}

}  // namespace pilfer::model::verify
