// Decoding with simdjson, where it was found.
#include <stdexcept>

#include "lab/documents/documents.hpp"

#if defined(PILFER_LAB_HAS_SIMDJSON)
#include <fmt/format.h>
#include <simdjson.h>
#endif

namespace pilfer::lab::documents {

#if defined(PILFER_LAB_HAS_SIMDJSON)
namespace {

namespace on_demand = simdjson::ondemand;

std::uint64_t on_demand_tag_bytes(on_demand::array some) {  // NOLINT(misc-no-recursion): as deep as the document
  std::uint64_t sum = 0;
  for (on_demand::value one : some) {
    const on_demand::json_type type = one.type();
    sum += type == on_demand::json_type::string ? std::string_view(one.get_string()).size()
                                                : on_demand_tag_bytes(one.get_array());
  }
  return sum;
}

}  // namespace

padded_text::padded_text(std::string_view text) : text_(text), size_(text.size()) {
  text_.resize(size_ + simdjson::SIMDJSON_PADDING);
}

bool has_simdjson() noexcept { return true; }
std::string simdjson_version() {
  return fmt::format("{}.{}.{}", static_cast<int>(simdjson::SIMDJSON_VERSION_MAJOR),
                     static_cast<int>(simdjson::SIMDJSON_VERSION_MINOR),
                     static_cast<int>(simdjson::SIMDJSON_VERSION_REVISION));
}

// On demand: fields are read in their order, text is unescaped.
digest decode_with_simdjson(const padded_text& text) {
  thread_local on_demand::parser parser;  // keeps its buffers
  digest all;
  try {
    on_demand::document read = parser.iterate(simdjson::padded_string_view(text.data(), text.size(), text.room()));
    for (on_demand::object record : read.get_array()) {
      ++all.records;
      all.ids += record["id"].get_uint64();
      all.text_bytes += std::string_view(record["name"].get_string()).size();
      all.numbers += record["price"].get_double();
      all.active += record["active"].get_bool() ? 1 : 0;
      all.text_bytes += on_demand_tag_bytes(record["tags"].get_array());
      on_demand::object place = record["place"].get_object();
      all.numbers += place["latitude"].get_double();
      all.numbers += place["longitude"].get_double();
    }
  } catch (const simdjson::simdjson_error&) {
    return {};
  }
  return all;
}

#else

padded_text::padded_text(std::string_view text) : text_(text), size_(text.size()) {}
bool has_simdjson() noexcept { return false; }
std::string simdjson_version() { return {}; }
digest decode_with_simdjson(const padded_text& /*text*/) { throw std::logic_error("this build has no simdjson"); }

#endif

}  // namespace pilfer::lab::documents
