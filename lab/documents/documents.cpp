#include "lab/documents/documents.hpp"

#include <array>

#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::documents {
namespace {

constexpr std::array<const char*, 10> words = {"ada", "grace", "líšeň", "Ελλάδα",         "東京",
                                               "мир", "naïve", "😀🚀",  "quo\"ted\\text", "two\nlines"};
constexpr std::array<const char*, 6> tags = {"new", "sale", "größer", "日本", "a/b", "\ttab"};

std::uint64_t below(xorshift& random, std::uint64_t end) { return (random.next() >> 16) % end; }

// With a few decimals, as prices have.
double number(xorshift& random, std::uint64_t end, double decimals) {
  return static_cast<double>(below(random, end)) / decimals;
}

json make_record(xorshift& random, digest& all) {
  const std::uint64_t id = below(random, 1'000'000'000);
  const std::string name = std::string(words[below(random, words.size())]) + " " + words[below(random, words.size())] +
                           " " + words[below(random, words.size())];
  const double price = number(random, 10'000'000, 100);
  const bool active = below(random, 2) == 0;
  json inner = json::array();
  json outer = json::array();
  for (std::uint64_t i = below(random, 4); i-- > 0;) {
    const std::string tag = tags[below(random, tags.size())];
    all.text_bytes += tag.size();
    (i % 2 == 0 ? outer : inner).push_back(tag);
  }
  outer.push_back(std::move(inner));
  const double latitude = number(random, 180'000'000, 1e6) - 90;
  const double longitude = number(random, 360'000'000, 1e6) - 180;
  ++all.records;
  all.ids += id;
  all.text_bytes += name.size();
  all.active += active ? 1 : 0;
  all.numbers += price;
  all.numbers += latitude;
  all.numbers += longitude;
  return {{"id", id},
          {"name", name},
          {"price", price},
          {"active", active},
          {"tags", std::move(outer)},
          {"note", nullptr},
          {"place", {{"latitude", latitude}, {"longitude", longitude}}}};
}

// Tags are texts, or lists of tags.
std::uint64_t tag_bytes(const json& some) {  // NOLINT(misc-no-recursion): as deep as the document
  if (some.is_string()) return some.get_ref<const std::string&>().size();
  std::uint64_t sum = 0;
  for (const json& one : some) sum += tag_bytes(one);
  return sum;
}

digest digest_of(const json& value) {
  digest all;
  for (const json& record : value) {
    ++all.records;
    all.ids += record.at("id").get<std::uint64_t>();
    all.text_bytes += record.at("name").get_ref<const std::string&>().size();
    all.numbers += record.at("price").get<double>();
    all.active += record.at("active").get<bool>() ? 1 : 0;
    all.text_bytes += tag_bytes(record.at("tags"));
    const json& place = record.at("place");
    all.numbers += place.at("latitude").get<double>();
    all.numbers += place.at("longitude").get<double>();
  }
  return all;
}

}  // namespace

std::vector<document> make_documents(std::size_t count, std::size_t records, std::uint64_t seed) {
  xorshift random(seed * 0x9e3779b97f4a7c15 + 1);
  std::vector<document> all(count);
  for (document& one : all) {
    one.value = json::array();
    for (std::size_t i = 0; i < records; ++i) one.value.push_back(make_record(random, one.contents));
    one.text = encode(one.value);
  }
  return all;
}

digest decode(std::string_view text) {
  const json value = json::parse(text, nullptr, false);
  if (!value.is_array()) return {};
  try {
    return digest_of(value);
  } catch (const json::exception&) {
    return {};
  }
}

std::string encode(const json& value) { return value.dump(); }

}  // namespace pilfer::lab::documents
