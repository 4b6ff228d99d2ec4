// What is measured: one pass over many documents, and whether it was right.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/documents/documents.hpp"
#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::documents {

class work {
 public:
  work() = default;
  virtual ~work() = default;
  work(const work&) = delete;
  work& operator=(const work&) = delete;

  [[nodiscard]] virtual std::size_t tasks() const noexcept = 0;
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;  // of all documents
  // Forgets the last answers.
  virtual void reset() = 0;
  virtual void run(std::size_t task) noexcept = 0;
  //   Throws  std::runtime_error that names `who`, unless every answer is right.
  virtual void check(std::string_view who) const = 0;
};

struct operation {
  std::string name;                             // "decode/small"
  std::string parser;                           // "nlohmann", "simdjson"
  std::size_t records;                          // of a document
  std::string why_unavailable;                  // of one that is not in this build
  std::function<std::unique_ptr<work>()> make;  // empty: see why_unavailable
};

// Each kind of work with each size of document; in the order of the charts.
[[nodiscard]] std::vector<operation> operations(experiments::effort how);

}  // namespace pilfer::lab::documents
