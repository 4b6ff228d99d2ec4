// rayon, Tokio and Go, and sequential code of their languages, as entrants.
#include <fmt/format.h>

#include "lab/peers/peer_process.hpp"

namespace pilfer::lab::peers {
namespace {

class foreign_team final : public team {
 public:
  foreign_team(std::string_view name, std::size_t workers) : program_(name), workers_(workers) {}
  outcome run(contest what, std::int64_t size) override { return program_.run(name_of(what), workers_, size); }

 private:
  peer_process program_;
  std::size_t workers_;  // none: sequential
};

void add(std::vector<entrant>& to, const std::string& peer, const std::vector<contest>& contests) {
  const std::string sequential = peer + "-serial";
  entrant one{.name = peer, .own_sequential = sequential, .contests = contests};
  if (!available(peer)) {
    one.why_missing = why_missing(peer);
    to.push_back(one);
    return;
  }
  one.version = version_of(peer);
  one.make = [peer](std::size_t workers) { return std::make_unique<foreign_team>(peer, workers); };
  to.push_back(one);
  one.name = sequential;
  one.version.clear();
  one.make = [peer](std::size_t /*workers*/) { return std::make_unique<foreign_team>(peer, 0); };
  to.push_back(one);
}

}  // namespace

std::vector<entrant> foreign_entrants() {
  std::vector<entrant> all;
  add(all, "rayon",
      {contest::fib, contest::skynet, contest::nqueens, contest::integrate, contest::quicksort, contest::merge_sort,
       contest::matmul});
  add(all, "tokio", {contest::fib_spawn, contest::skynet, contest::spawn, contest::ping_pong});
  add(all, "go", {contest::fib_spawn, contest::skynet, contest::spawn, contest::ping_pong, contest::json});
  return all;
}

}  // namespace pilfer::lab::peers
