// Queues with the memory orders that ship, and the same text with every order seq_cst.
#pragma once

#include <string>
#include <vector>

#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::details {

inline constexpr const char* orders_shipped = "shipped";
inline constexpr const char* orders_seq_cst = "seq_cst";
inline constexpr const char* orders_seq_cst_entries = "seq_cst_entries";  // the entries of blocks too

struct barrier_queue {
  std::string queue;   // "abp"
  std::string orders;  // one of the above
  queues::implementation who;
};

// The sequential stack and ring first; they have the orders "shipped".
[[nodiscard]] const std::vector<barrier_queue>& barrier_queues();

// "abp", "abp/seq_cst"
[[nodiscard]] std::string barrier_impl(const std::string& queue, const std::string& orders);

}  // namespace pilfer::lab::details
