// What a pool does its I/O by. Attached to the pool as its source of events, also if it brings none: so the pool remembers the choice.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <pilfer/io/backend.hpp>
#include <pilfer/io/operation.hpp>

#include "../runtime/event_source.hpp"
#include "../runtime/runtime.hpp"
#include "../runtime/worker.hpp"

namespace pilfer::io::detail {

class source : public pilfer::detail::event_source {
 public:
  source(backend kind, const options& wanted, std::string description)
      : kind_(kind), wanted_(wanted), description_(std::move(description)) {}

  // By that worker, or by who is none (null). False: done already.
  virtual bool start(pilfer::detail::worker* self, operation& wanted) noexcept = 0;
  virtual void count(statistics& into) const noexcept = 0;
  virtual void note_inline(pilfer::detail::worker* self) noexcept = 0;

  [[nodiscard]] backend kind() const noexcept { return kind_; }
  [[nodiscard]] const options& wanted() const noexcept { return wanted_; }
  [[nodiscard]] const std::string& description() const noexcept { return description_; }

 private:
  const backend kind_;
  const options wanted_;
  const std::string description_;
};

// Null, and why, if the kernel refuses.
[[nodiscard]] std::unique_ptr<source> make_ring_source(const options& wanted, std::string& why, int& error);
[[nodiscard]] std::unique_ptr<source> make_threads_source(const options& wanted, std::string description);

// Of that pool; chosen now, if it has none yet.
//   Throws  as configure.
[[nodiscard]] source& source_of(pilfer::detail::runtime& home);

}  // namespace pilfer::io::detail
