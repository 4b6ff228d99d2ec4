#include "reasons.hpp"

#include <array>
#include <string_view>

namespace pilfer::model::verify {
namespace {

constexpr const char* notice =
    "only delays: without it a thief's request may come before it sees the answer to its last one, and be overwritten "
    "unseen; the next failed steal asks again";

// Where a site is, by function and kind of operation: lines move.
struct site_reason {
  std::string_view queues;  // a part of the name
  std::string_view function;
  char kind;
  const char* reason;
};
constexpr std::array<site_reason, 6> site_reasons{{
    {"bwos-lifo", "ask", 'f', notice},
    {"chase-lev", "wins_last", 's',
     "equivalent: bottom_ goes back to just above an item that top_ has passed, so who reads this store finds nothing "
     "or "
     "loses its claim; release all the same, so that every store of bottom_ names its edge"},
    {"asymmetric", "wins_last", 's', "equivalent: as in chase-lev"},
    {"chase-lev-bounded", "steal", 'l',
     "equivalent here: a bounded deque never replaces its buffer; one text serves both"},
    {"split", "take_back", 's',
     "equivalent: the seq_cst fence before both later stores releases the slots; and where the last item was at stake, "
     "split_ "
     "goes back to just above an item that top_ has passed, so who reads it finds nothing or loses its claim; release "
     "all the "
     "same, so that every store of split_ names its edge"},
    {"asymmetric", "consider_fences", 's',
     "equivalent: a thief uses the shifted bottom_ only after it has read `fenced`, and resign carries all that came "
     "before; "
     "release all the same, so that every store of bottom_ names its edge"},
}};

}  // namespace

std::string reason_for_site(const std::string& queue, const site& at, std::memory_order /*weaker*/) {
  for (const site_reason& r : site_reasons) {
    if (r.kind == at.kind && r.function == at.function && queue.find(r.queues) != std::string::npos) return r.reason;
  }
  return {};
}

std::string reason_for_edge(const std::string& queue, const std::string& edge) {
  if (queue == "bwos-lifo" && edge == "notice") return notice;
  if (queue == "fork" && edge == "settle") {
    return "here a lost request only delays; with sleepers it is caught: parking+fork settle";
  }
  if (queue == "parking+fork" && edge == "dekker") {
    return "needs two sleepers: ++/s,s/2 at random, some 10^5 executions, found what happens without it";
  }
  if (queue == "parking+lookout" && edge == "leave") {
    return "needs two lookouts: +/T,S/1 at random, some 10^3 executions, found what happens without it";
  }
  return {};
}

}  // namespace pilfer::model::verify
