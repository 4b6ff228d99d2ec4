// Decoding and encoding of documents, after 001 section 6.3.3. The documents are those of lab/peers/go/json.go, byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pilfer::lab::peers {

// Arrays of fifty objects with ids, names, fractions, tags and places. The same ones every time.
[[nodiscard]] std::vector<std::string> json_documents(std::int64_t count);

// Decodes and encodes one; returns a sum over what was found in it.
//   Throws  std::runtime_error if it has another length when it is encoded again.
[[nodiscard]] std::int64_t transcoded(const std::string& document);

}  // namespace pilfer::lab::peers
