#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "lab/dups/finders.hpp"

namespace pilfer::lab::dups {
namespace {

using nlohmann::json;

json parsed(const std::string& text, const char* who) {
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) throw std::runtime_error(fmt::format("{}: this is no JSON: '{:.80}'", who, text));
  return document;
}

std::optional<double> number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

}  // namespace

path_groups parse_lines(const std::string& text) {
  path_groups groups;
  std::vector<std::string> group;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      group.push_back(std::move(line));
    } else if (!group.empty()) {
      groups.push_back(std::exchange(group, {}));
    }
  }
  if (!group.empty()) groups.push_back(std::move(group));
  return groups;
}

// DUPTYPE_FIRST_OCCURRENCE id depth size device inode priority name; the others of a group have -id.
path_groups parse_rdfind(const std::string& text) {
  path_groups groups;
  long long id = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    std::string type;
    long long own_id = 0;
    std::string depth;
    std::string size;
    std::string device;
    std::string inode;
    std::string priority;
    std::string name;
    fields >> type >> own_id >> depth >> size >> device >> inode >> priority;
    fields.get();  // one blank; further ones are the name's
    if (!fields || !std::getline(fields, name)) throw std::runtime_error(fmt::format("rdfind wrote '{}'", line));
    if (type == "DUPTYPE_FIRST_OCCURRENCE") {
      groups.emplace_back();
      id = own_id;
    } else if (groups.empty() || own_id != -id) {
      throw std::runtime_error(fmt::format("rdfind: a group without a first file: '{}'", line));
    }
    groups.back().push_back(std::move(name));
  }
  return groups;
}

// A list with a header, a footer and files in between; the first of a group is "original".
path_groups parse_rmlint(const std::string& text) {
  const json document = parsed(text, "rmlint");
  if (!document.is_array()) throw std::runtime_error("rmlint: this is no list");
  path_groups groups;
  for (const json& one : document) {
    if (!one.is_object() || one.value("type", "") != "duplicate_file") continue;
    if (one.value("is_original", false)) groups.emplace_back();
    if (groups.empty()) throw std::runtime_error("rmlint: a group without an original");
    groups.back().push_back(one.value("path", ""));
  }
  return groups;
}

path_groups parse_own(const std::string& text) {
  const json document = parsed(text, own_name);
  const auto found = document.find("groups");
  if (found == document.end() || !found->is_array()) throw std::runtime_error("pilfer: there are no groups");
  path_groups groups;
  for (const json& one : *found) {
    std::vector<std::string>& group = groups.emplace_back();
    for (const json& file : one.at("files"))
      group.push_back(file.is_string() ? file.get<std::string>() : file.at("path").get<std::string>());
  }
  return groups;
}

own_statistics parse_own_statistics(const std::string& text) {
  const json document = parsed(text, own_name);
  const auto found = document.find("statistics");
  if (found == document.end() || !found->is_object()) return {};
  return {.tasks_stolen = number_at(*found, "tasks_stolen"),
          .io_stolen = number_at(*found, "io_stolen"),
          .bytes_read = number_at(*found, "bytes_read")};
}

}  // namespace pilfer::lab::dups
