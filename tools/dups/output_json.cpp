#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "buffered.hpp"
#include "output.hpp"
#include "words.hpp"

namespace pilfer::dups {
namespace {

using json = nlohmann::ordered_json;

// JSON is text and a name is bytes: of a name that is no UTF-8 there is a readable form, and beside it the bytes in hexadecimal.
void put_name(json& into, const std::string& key, const std::string& name) {
  into[key] = as_utf8(name);
  if (!is_utf8(name)) into[key + "_hex"] = as_hex(name);
}

json file_json(const duplicate& file) {
  json one;
  put_name(one, "path", file.path);
  one["reference"] = file.reference;
  one["hard_link"] = file.hard_link;
  one["links"] = file.links;
  one["mtime_ns"] = file.mtime_ns;
  one["device"] = file.device;
  one["inode"] = file.inode;
  one["disk_bytes"] = file.disk_bytes;
  if (!file.other_names.empty()) {
    json& names = one["other_names"] = json::array();
    for (const std::string& name : file.other_names) put_name(names.emplace_back(json::object()), "path", name);
  }
  return one;
}

json group_json(const group& same) {
  json one;
  one["size"] = same.size;
  one["wasted_bytes"] = same.wasted_bytes;
  one["xxh3_128"] = same.hash ? json(fmt::format("{:016x}{:016x}", same.hash->high, same.hash->low)) : json(nullptr);
  json& files = one["files"] = json::array();
  for (const duplicate& file : same.files) files.push_back(file_json(file));
  return one;
}

json problem_json(const problem& about) {
  json one;
  put_name(one, "path", about.path);
  one["kind"] = to_string(about.kind);
  one["failure"] = is_failure(about.kind);
  one["what"] = as_utf8(about.what);
  one["errno"] = about.error;
  one["message"] = about.error == 0 ? "" : std::generic_category().message(about.error);
  return one;
}

json step_json(const taken_step& taken) {
  json one;
  put_name(one, "path", taken.what.other.path);
  put_name(one, "kept", taken.what.kept.path);
  one["result"] = to_string(taken.came.result);
  if (!taken.came.why.empty()) one["why"] = as_utf8(taken.came.why);
  if (!taken.came.to.empty()) put_name(one, "to", taken.came.to);
  const bool counts = taken.came.result == step_result::done || taken.came.result == step_result::would_be_done;
  one["freed_bytes"] = counts ? taken.what.frees : 0;
  return one;
}

json totals_json(const outcome& found) {
  const search_totals& of = found.totals;
  return {{"groups", found.groups.size()},
          {"duplicates", of.duplicates},
          {"wasted_bytes", of.wasted_bytes},
          {"files", of.files},
          {"bytes", of.bytes},
          {"folders", of.folders},
          {"hard_links", of.hard_links},
          {"files_read", of.files_read},
          {"bytes_read", of.bytes_read},
          {"hashes_cached", of.hashes_cached},
          {"problems", found.problems.size()},
          {"skipped",
           {{"empty", of.skipped.empty},
            {"size", of.skipped.size},
            {"pattern", of.skipped.pattern},
            {"hidden", of.skipped.hidden},
            {"symlinks", of.skipped.symlinks},
            {"special", of.skipped.special},
            {"file_system", of.skipped.file_system},
            {"depth", of.skipped.depth},
            {"seen_before", of.skipped.seen_before}}}};
}

json statistics_json(const outcome& found, const run_facts& run) {
  return {{"scheduler", run.scheduler},       {"workers", run.workers},     {"io", as_utf8(run.io)},
          {"seconds", run.seconds},           {"tasks_run", run.tasks_run}, {"tasks_stolen", run.tasks_stolen},
          {"io_completed", run.io_completed}, {"io_stolen", run.io_stolen}, {"bytes_read", found.totals.bytes_read}};
}

// "key": [ one element per line ]
template <class Elements, class ToJson>
void add_array(const char* key, const Elements& elements, ToJson to_json, buffered& out) {
  out.add("  \"{}\": [", key);
  bool first = true;
  for (const auto& element : elements) {
    out.add("{}\n    {}", first ? "" : ",", to_json(element).dump());
    first = false;
  }
  out.add("{}", first ? "]" : "\n  ]");
}

}  // namespace

void write_json_search(const outcome& found, const run_facts& run, const sink& to) {
  buffered out(to);
  out.add("{{\n  \"schema\": \"pilfer.dups/1\",\n");
  add_array("groups", found.groups, group_json, out);
  out.add(",\n");
  add_array("problems", found.problems, problem_json, out);
  out.add(",\n  \"totals\": {},\n  \"statistics\": {}", totals_json(found).dump(), statistics_json(found, run).dump());
  out.flush();
}

void write_json_end(const outcome& found, const std::optional<action_report>& did, const sink& to) {
  buffered out(to);
  out.add(",\n  \"interrupted\": {}", found.interrupted || (did && did->interrupted));
  if (did) {
    const json action = {
        {"name", to_string(did->kind)}, {"dry_run", did->dry_run}, {"freed_bytes", did->freed_bytes()}};
    out.add(",\n  \"action\": {},\n", action.dump());
    add_array("steps", did->steps, step_json, out);
  }
  out.add("\n}}\n");
  out.flush();
}

void write_json(const outcome& found, const run_facts& run, const std::optional<action_report>& did, const sink& to) {
  write_json_search(found, run, to);
  write_json_end(found, did, to);
}

}  // namespace pilfer::dups
