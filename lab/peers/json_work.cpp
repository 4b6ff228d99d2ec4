#include "lab/peers/json_work.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::peers {
namespace {

constexpr int records_per_document = 50;

// Fractions are eighths, so that every decoder gets the same number.
std::string document(xorshift& random) {
  std::string text = "[";
  const auto to = std::back_inserter(text);
  const auto below = [&](std::uint64_t limit) { return random.next() % limit; };
  for (int i = 0; i < records_per_document; ++i) {
    if (i > 0) text += ',';
    fmt::format_to(to, R"({{"id":{})", below(1'000'000));
    fmt::format_to(to, R"(,"name":"user {}")", below(10'000));
    fmt::format_to(to, R"(,"score":{}.125,"tags":[)", below(1000));
    const std::uint64_t tags = below(6);
    for (std::uint64_t t = 0; t < tags; ++t) fmt::format_to(to, R"({}"tag-{}")", t > 0 ? "," : "", below(100));
    fmt::format_to(to, R"(],"place":{{"x":{}.5)", below(360));
    fmt::format_to(to, R"(,"y":{}.25}}}})", below(180));
  }
  return text + ']';
}

std::int64_t length_of(const nlohmann::ordered_json& text) {
  return static_cast<std::int64_t>(text.get_ref<const std::string&>().size());
}

}  // namespace

std::vector<std::string> json_documents(std::int64_t count) {
  xorshift random;
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all.push_back(document(random));
  return all;
}

std::int64_t transcoded(const std::string& document) {
  const auto records = nlohmann::ordered_json::parse(document);
  if (records.dump().size() != document.size()) {
    throw std::runtime_error("a document has another length when it is encoded again");
  }
  std::int64_t sum = 0;
  for (const auto& one : records) {
    const auto& place = one.at("place");
    const double fractions = one.at("score").get<double>() + place.at("x").get<double>() + place.at("y").get<double>();
    sum += one.at("id").get<std::int64_t>() + static_cast<std::int64_t>(8 * fractions) + length_of(one.at("name"));
    for (const auto& tag : one.at("tags")) sum += length_of(tag);
  }
  return sum;
}

}  // namespace pilfer::lab::peers
