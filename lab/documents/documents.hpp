// JSON documents: generated, seeded, the same in every run. What a document says is known before it is decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"

namespace pilfer::lab::documents {

// What a reader of a document adds up. Numbers are added in the order of the document: all get the same bits.
struct digest {
  std::uint64_t records = 0;
  std::uint64_t ids = 0;         // their sum
  std::uint64_t text_bytes = 0;  // of names and tags
  std::uint64_t active = 0;
  double numbers = 0;  // prices and places

  friend bool operator==(const digest&, const digest&) = default;
};

struct document {
  std::string text;
  json value;       // the same as a tree
  digest contents;  // found while it was made
};

// Each an array of so many records with numbers, text in several scripts, tags within tags, and nulls.
[[nodiscard]] std::vector<document> make_documents(std::size_t count, std::size_t records, std::uint64_t seed = 1);

// Of text that is no such document, an empty one.
[[nodiscard]] digest decode(std::string_view text);
[[nodiscard]] std::string encode(const json& value);

// simdjson wants some room behind the text.
class padded_text {
 public:
  explicit padded_text(std::string_view text);
  [[nodiscard]] const char* data() const noexcept { return text_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t room() const noexcept { return text_.size(); }

 private:
  std::string text_;
  std::size_t size_;
};
[[nodiscard]] bool has_simdjson() noexcept;
[[nodiscard]] std::string simdjson_version();  // empty: not in this build
// As decode. Requires has_simdjson().
[[nodiscard]] digest decode_with_simdjson(const padded_text& text);

}  // namespace pilfer::lab::documents
