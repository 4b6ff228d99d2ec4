// All connections of a server: those that are open, and the memory of those that were.
//
// State     open_, free_, total_: under guard_. A connection is swept only while it is in open_, and its socket is closed only after
//           it was taken out: nobody shuts down a descriptor that belongs to somebody else by now.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "tools/serve/connection.hpp"

namespace pilfer::serve {

class registry {
 public:
  explicit registry(surroundings& around) : around_(around) {}

  // Null: there are as many as there may be; the socket is the caller's still.
  //   Throws  std::bad_alloc
  [[nodiscard]] connection* open(io::socket& with);
  // Adds up what it has done and closes its socket. Whoever calls it has nothing to do with this object any more.
  void close(connection& which) noexcept;
  void count_turned_away() noexcept;

  // Ends the waits for clients that are too slow.
  void sweep(std::uint32_t now_ms) noexcept;
  // Ends all.
  void cut_all() noexcept;

  // Waits for the last close(); false: not that long.
  [[nodiscard]] bool are_over(std::chrono::milliseconds limit);

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] counts total() const noexcept;  // of those that have ended

 private:
  surroundings& around_;
  mutable std::mutex guard_;
  std::condition_variable none_left_;
  std::vector<connection*> open_;
  std::vector<connection*> free_;
  std::vector<std::unique_ptr<connection>> all_;
  counts total_;
};

}  // namespace pilfer::serve
