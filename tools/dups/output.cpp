#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "buffered.hpp"
#include "words.hpp"

namespace pilfer::dups {
namespace {

std::string csv_field(const std::string& bytes) {
  if (bytes.find_first_of(",\"\r\n") == std::string::npos) return bytes;
  std::string quoted = "\"";
  for (const char c : bytes) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

void add_csv_row(buffered& out, std::size_t number, const group& same, const duplicate& file, const std::string& path,
                 bool hard_link) {
  out.add("{},{},{},{},{},{},{},{},{}\r\n", number, same.size, csv_field(path), file.reference ? 1 : 0,
          hard_link ? 1 : 0, file.links, file.mtime_ns, file.device, file.inode);
}

std::string left_out(const skipped_counts& of) {
  const std::pair<std::uint64_t, const char*> kinds[] = {{of.empty, "empty"},
                                                         {of.size, "of other sizes"},
                                                         {of.pattern, "by pattern"},
                                                         {of.hidden, "hidden"},
                                                         {of.symlinks, "symbolic links"},
                                                         {of.special, "special files"},
                                                         {of.file_system, "on other file systems"},
                                                         {of.depth, "too deep"},
                                                         {of.seen_before, "reached before"}};
  std::string text;
  for (const auto& [count, what] : kinds) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  }
  return text;
}

struct wording {
  const char* ask;    // "Delete"
  const char* done;   // "deleted"
  const char* would;  // "would delete"
};
wording words_of(action_kind kind) {
  switch (kind) {
    case action_kind::remove: return {"Delete", "deleted", "would delete"};
    case action_kind::hard_link: return {"Replace by hard links", "hard-linked", "would hard-link"};
    case action_kind::reflink: return {"Share the blocks of", "reflinked", "would reflink"};
    case action_kind::move: return {"Move", "moved", "would move"};
  }
  return {"", "", ""};
}

}  // namespace

std::uint64_t action_report::count(step_result result) const noexcept {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(steps, [&](const taken_step& one) { return one.came.result == result; }));
}

std::uint64_t action_report::freed_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const taken_step& one : steps) {
    const bool counts = one.came.result == step_result::done || one.came.result == step_result::would_be_done;
    if (counts) sum += one.what.frees;
  }
  return sum;
}

void write_text(const outcome& found, const sink& to) {
  buffered out(to);
  for (const group& same : found.groups) {
    out.add("{} of {}, {} wasted\n", counted(same.files.size(), "file"), bytes_text(same.size),
            bytes_text(same.wasted_bytes));
    for (const duplicate& file : same.files) {
      out.add("  {}{}{}\n", shown(file.path), file.reference ? "  (reference)" : "",
              file.hard_link ? "  (hard link)" : "");
      for (const std::string& name : file.other_names) out.add("    = {}  (hard link)\n", shown(name));
    }
    out.add("\n");
  }
  out.flush();
}

void write_fdupes(const outcome& found, const sink& to) {
  buffered out(to);
  for (const group& same : found.groups) {
    for (const duplicate& file : same.files) out.add("{}\n", file.path);
    out.add("\n");
  }
  out.flush();
}

void write_csv(const outcome& found, const sink& to) {
  buffered out(to);
  out.add("group,size,path,reference,hard_link,links,mtime_ns,device,inode\r\n");
  std::size_t number = 0;
  for (const group& same : found.groups) {
    ++number;
    for (const duplicate& file : same.files) {
      add_csv_row(out, number, same, file, file.path, file.hard_link);
      for (const std::string& name : file.other_names) add_csv_row(out, number, same, file, name, true);
    }
  }
  out.flush();
}

std::string summary_text(const outcome& found, const run_facts& run) {
  const search_totals& of = found.totals;
  std::string text;
  if (found.groups.empty()) {
    text = "No duplicates.\n";
  } else {
    text = fmt::format("{} in {}: {} wasted.\n", counted(of.duplicates, "duplicate"),
                       counted(found.groups.size(), "group"), bytes_text(of.wasted_bytes));
  }
  text += fmt::format("{} of {} in {}; {} read in {} ({}, {}, {}).\n", counted(of.files, "file"), bytes_text(of.bytes),
                      counted(of.folders, "folder"), bytes_text(of.bytes_read), seconds_text(run.seconds),
                      counted(run.workers, "worker"), run.scheduler, run.io);
  if (of.hard_links > 0) text += fmt::format("Hard links: {} further names of files.\n", of.hard_links);
  if (of.hashes_cached > 0) text += fmt::format("From the cache: {} hashes.\n", of.hashes_cached);
  if (const std::string skipped = left_out(of.skipped); !skipped.empty())
    text += fmt::format("Left out: {}.\n", skipped);
  if (found.interrupted) text += "Interrupted: this report is partial.\n";
  return text;
}

std::string problem_text(const problem& about) {
  std::string text = fmt::format("{}: {}", shown(about.path), about.what);
  if (about.error != 0) text += fmt::format(": {}", std::generic_category().message(about.error));
  return text;
}

std::string step_text(const action_report& of, const taken_step& one) {
  const wording words = words_of(of.kind);
  const std::string path = shown(one.what.other.path);
  switch (one.came.result) {
    case step_result::done:
    case step_result::would_be_done: {
      const char* verb = one.came.result == step_result::done ? words.done : words.would;
      const std::string to = one.came.to.empty() ? "" : " to " + shown(one.came.to);
      return fmt::format("{} {}{} (kept {})", verb, path, to, shown(one.what.kept.path));
    }
    case step_result::needless: return fmt::format("nothing to do for {}: {}", path, one.came.why);
    case step_result::left_alone: break;
  }
  return fmt::format("left alone: {}: {}", path, one.came.why);
}

std::string action_summary(const action_report& of) {
  const wording words = words_of(of.kind);
  const std::uint64_t good = of.count(of.dry_run ? step_result::would_be_done : step_result::done);
  std::string text = fmt::format("{} {}", of.dry_run ? words.would : words.done, counted(good, "file"));
  if (of.kind != action_kind::move)
    text += fmt::format(": {} {}", bytes_text(of.freed_bytes()), of.dry_run ? "would be freed" : "freed");
  if (const std::uint64_t needless = of.count(step_result::needless); needless > 0)
    text += fmt::format("; nothing to do for {}", needless);
  if (const std::uint64_t left = of.count(step_result::left_alone); left > 0)
    text += fmt::format("; {} left alone", left);
  text += of.dry_run ? ". Dry run: nothing was changed.\n" : ".\n";
  text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (of.interrupted) text += "Interrupted: the rest was left alone.\n";
  return text;
}

std::string question(action_kind kind, const std::string& folder, const std::vector<step>& steps, std::size_t groups) {
  std::uint64_t bytes = 0;
  for (const step& one : steps) bytes += one.frees;
  const std::string to = kind == action_kind::move ? fmt::format(" to {}", shown(folder)) : "";
  const std::string freed = kind == action_kind::move ? "" : fmt::format(" ({})", bytes_text(bytes));
  return fmt::format("{} {}{}{}, and keep one of each of {}?", words_of(kind).ask, counted(steps.size(), "file"), freed,
                     to, counted(groups, "group"));
}

void sort_by_waste(std::vector<group>& groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const group& a, const group& b) { return a.wasted_bytes > b.wasted_bytes; });
}

}  // namespace pilfer::dups
