#include "lab/documents/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pilfer::lab::documents {
namespace {

using experiments::effort;

constexpr std::size_t different_documents = 64;

struct amount {
  const char* size;
  std::size_t records;
  std::size_t decoded;       // tasks of a pass
  std::size_t decoded_fast;  // by simdjson
  std::size_t encoded;
};

// A pass takes a few milliseconds of serial code.
std::vector<amount> amounts(effort how) {
  switch (how) {
    case effort::tiny: return {{"small", 1, 40, 40, 40}};
    case effort::quick: return {{"small", 1, 1'000, 8'000, 2'500}, {"medium", 16, 80, 800, 200}};
    case effort::full:
      return {{"small", 1, 10'000, 100'000, 25'000}, {"medium", 16, 1'000, 8'000, 2'000}, {"large", 512, 64, 256, 64}};
  }
  return {};
}

[[noreturn]] void wrong(std::string_view who, const char* what, std::size_t task, const char* how) {
  throw std::runtime_error(fmt::format("json: {}: {} of document {} {}", who, what, task % different_documents, how));
}

class document_work : public work {
 public:
  document_work(std::size_t records, std::size_t tasks)
      : all_(make_documents(std::min(tasks, different_documents), records)), tasks_(tasks) {}
  [[nodiscard]] std::size_t tasks() const noexcept override { return tasks_; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < tasks_; ++i) sum += of(i).text.size();
    return sum;
  }

 protected:
  [[nodiscard]] const document& of(std::size_t task) const noexcept { return all_[task % all_.size()]; }
  [[nodiscard]] const std::vector<document>& all() const noexcept { return all_; }

 private:
  std::vector<document> all_;
  std::size_t tasks_;
};

class decoding : public document_work {
 public:
  decoding(std::size_t records, std::size_t tasks) : document_work(records, tasks), found_(tasks) {}
  void reset() override { std::ranges::fill(found_, digest{}); }
  void run(std::size_t task) noexcept override { found_[task] = decode(of(task).text); }
  void check(std::string_view who) const override {
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i] != of(i).contents) wrong(who, "decoding", i, "found something else than was put in");
    }
  }

 protected:
  void note(std::size_t task, const digest& found) noexcept { found_[task] = found; }

 private:
  std::vector<digest> found_;
};

class fast_decoding final : public decoding {
 public:
  fast_decoding(std::size_t records, std::size_t tasks) : decoding(records, tasks) {
    for (const document& one : all()) texts_.emplace_back(one.text);
  }
  void run(std::size_t task) noexcept override { note(task, decode_with_simdjson(texts_[task % texts_.size()])); }

 private:
  std::vector<padded_text> texts_;
};

// What is encoded was decoded before: so a document must come back as it was.
class encoding final : public document_work {
 public:
  encoding(std::size_t records, std::size_t tasks) : document_work(records, tasks), made_(tasks) {
    for (const document& one : all()) values_.push_back(json::parse(one.text));
  }
  void reset() override { std::ranges::fill(made_, std::string()); }
  void run(std::size_t task) noexcept override { made_[task] = encode(values_[task % values_.size()]); }
  void check(std::string_view who) const override {
    for (std::size_t i = 0; i < made_.size(); ++i) {
      if (made_[i] != of(i).text) wrong(who, "encoding", i, "made another text");
    }
  }

 private:
  std::vector<json> values_;
  std::vector<std::string> made_;
};

template <class Work>
auto maker(std::size_t records, std::size_t tasks) {
  return [=] { return std::make_unique<Work>(records, tasks); };
}

}  // namespace

std::vector<operation> operations(effort how) {
  std::vector<operation> list;
  for (const amount& one : amounts(how)) {
    list.push_back({.name = fmt::format("decode/{}", one.size),
                    .parser = "nlohmann",
                    .records = one.records,
                    .why_unavailable = {},
                    .make = maker<decoding>(one.records, one.decoded)});
    operation fast{.name = fmt::format("decode-simdjson/{}", one.size),
                   .parser = "simdjson",
                   .records = one.records,
                   .why_unavailable = "not installed when this was built (libsimdjson-dev)",
                   .make = {}};
    if (has_simdjson()) fast.make = maker<fast_decoding>(one.records, one.decoded_fast);
    list.push_back(std::move(fast));
    list.push_back({.name = fmt::format("encode/{}", one.size),
                    .parser = "nlohmann",
                    .records = one.records,
                    .why_unavailable = {},
                    .make = maker<encoding>(one.records, one.encoded)});
  }
  return list;
}

}  // namespace pilfer::lab::documents
