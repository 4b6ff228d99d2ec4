#include "run.hpp"

namespace pilfer::model::verify {
namespace {

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

[[nodiscard]] std::size_t number(std::string_view text) {
  std::size_t value = 0;
  if (text.empty() || text.size() > 6) throw bad_replay("not a number: '" + std::string(text) + "'");
  for (const char c : text) {
    if (c < '0' || c > '9') throw bad_replay("not a number: '" + std::string(text) + "'");
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return value;
}

void check_script(std::string_view script, std::string_view known) {
  if (script.size() > max_script) throw bad_replay("a script is longer than " + std::to_string(max_script));
  for (const char c : script) {
    if (known.find(c) == std::string_view::npos) throw bad_replay(std::string("no operation is called '") + c + "'");
  }
}

}  // namespace

std::string run::text() const {
  std::string all = owner + "/";
  for (std::size_t i = 0; i < thieves.size(); ++i) all += (i != 0 ? "," : "") + thieves[i];
  all += "/" + (blocks != 0 ? std::to_string(blocks) + "x" : "") + std::to_string(size);
  std::string more;
  const auto add = [&](const std::string& flag) { more += (more.empty() ? "/" : ",") + flag; };
  if (before != 0) add("before=" + std::to_string(before));
  if (narrow) add("narrow");
  if (hints) add("hints");
  if (half) add("half");
  if (lace) add("lace");
  if (killed >= 0) add("killed=" + std::to_string(killed));
  if (interrupts != 0) add("interrupts=" + std::to_string(interrupts));
  if (membarrier == barriers::refused) add("refused");
  if (membarrier == barriers::refused_later) add("refused-later");
  return all + more;
}

run run::parse(std::string_view text) {
  const auto parts = split(text, '/');
  if (parts.size() < 3 || parts.size() > 4) {
    throw bad_replay("a run is OWNER/THIEVES/SIZE or OWNER/THIEVES/SIZE/FLAGS, not '" + std::string(text) + "'");
  }
  run r;
  r.owner = parts[0];
  check_script(r.owner, "+-pPemcABCDwxyz");
  if (!parts[1].empty()) {
    for (const std::string_view thief : split(parts[1], ',')) {
      check_script(thief, "sbTMNS+-ABCDwxyz");
      r.thieves.emplace_back(thief);
    }
  }
  if (r.thieves.size() + 1 > max_threads) throw bad_replay("too many thieves");
  const auto sizes = split(parts[2], 'x');
  if (sizes.size() > 2) throw bad_replay("a size is CAPACITY or BLOCKSxENTRIES");
  if (sizes.size() == 2) r.blocks = number(sizes[0]);
  r.size = number(sizes.back());
  if (r.size > 16 || r.blocks > 8) throw bad_replay("a run has at most 8 blocks, and a size of at most 16");
  if (parts.size() == 4) {
    for (const std::string_view flag : split(parts[3], ',')) {
      const auto pair = split(flag, '=');
      if (pair[0] == "before" && pair.size() == 2) {
        r.before = number(pair[1]);
      } else if (pair[0] == "killed" && pair.size() == 2) {
        r.killed = static_cast<int>(number(pair[1]));
      } else if (pair[0] == "interrupts" && pair.size() == 2) {
        r.interrupts = number(pair[1]);
      } else if (flag == "narrow") {
        r.narrow = true;
      } else if (flag == "hints") {
        r.hints = true;
      } else if (flag == "half") {
        r.half = true;
      } else if (flag == "lace") {
        r.lace = true;
      } else if (flag == "refused") {
        r.membarrier = barriers::refused;
      } else if (flag == "refused-later") {
        r.membarrier = barriers::refused_later;
      } else {
        throw bad_replay("no circumstance is called '" + std::string(flag) + "'");
      }
    }
  }
  return r;
}

}  // namespace pilfer::model::verify
