// Which file stays, and what happens to the others: no system calls.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "actions.hpp"

namespace pilfer::dups {
namespace {

// Whether the rule prefers `left`; false for equals, so the earlier one stays.
bool is_better(const duplicate& left, const duplicate& right, keep_rule rule) {
  switch (rule) {
    case keep_rule::first: return false;
    case keep_rule::newest: return left.mtime_ns > right.mtime_ns;
    case keep_rule::oldest: return left.mtime_ns < right.mtime_ns;
    case keep_rule::shortest_path: return left.path.size() < right.path.size();
  }
  return false;
}

struct inode_hash {
  std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& of) const noexcept {
    return std::hash<std::uint64_t>{}(of.second * 31 + of.first);
  }
};

}  // namespace

const char* to_string(action_kind kind) noexcept {
  switch (kind) {
    case action_kind::remove: return "delete";
    case action_kind::hard_link: return "hard-link";
    case action_kind::reflink: return "reflink";
    case action_kind::move: return "move";
  }
  return "";
}

const char* to_string(step_result result) noexcept {
  switch (result) {
    case step_result::done: return "done";
    case step_result::would_be_done: return "would-be-done";
    case step_result::needless: return "needless";
    case step_result::left_alone: return "left-alone";
  }
  return "";
}

std::size_t index_to_keep(const group& of, keep_rule rule) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < of.files.size(); ++i) {
    const duplicate& one = of.files[i];
    const duplicate& best_so_far = of.files[best];
    if (one.reference != best_so_far.reference ? one.reference : is_better(one, best_so_far, rule)) best = i;
  }
  return best;
}

std::vector<step> plan_steps(const std::vector<group>& groups, action_kind kind, keep_rule rule) {
  std::vector<step> steps;
  for (const group& same : groups) {
    const std::size_t keep = index_to_keep(same, rule);
    const duplicate& kept = same.files[keep];
    const std::size_t first_of_group = steps.size();
    for (std::size_t i = 0; i < same.files.size(); ++i) {
      const duplicate& other = same.files[i];
      if (i == keep || other.reference) continue;
      // With only some of an inode's names gone, nothing would be gained, and the next search would find the rest.
      std::vector<std::string> names = {other.path};
      if (kind != action_kind::reflink) names.insert(names.end(), other.other_names.begin(), other.other_names.end());
      for (std::string& name : names) {
        step& next = steps.emplace_back(step{kept, other, same.size, 0});
        next.kept.other_names.clear();
        next.other.other_names.clear();
        next.other.names_behind_symlink.clear();
        next.kept.names_behind_symlink.clear();
        if (std::ranges::binary_search(other.names_behind_symlink, name)) next.other.behind_symlink = true;
        next.other.path = std::move(name);
      }
    }
    if (kind == action_kind::move) continue;
    // An inode's blocks are free when the last of its names is gone.
    std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t, inode_hash> names_gone;
    for (std::size_t i = first_of_group; i < steps.size(); ++i) {
      step& one = steps[i];
      if (one.other.device == kept.device && one.other.inode == kept.inode) continue;
      if (one.other.behind_symlink) continue;  // it will be left alone
      const std::uint64_t gone = ++names_gone[{one.other.device, one.other.inode}];
      if (kind == action_kind::reflink ? gone == 1 : gone == one.other.links) one.frees = same.size;
    }
  }
  return steps;
}

}  // namespace pilfer::dups
