#include "faults.hpp"

#include "faulty/event_count.hpp"
#include "faulty/published_bwos_fifo.hpp"
#include "faulty/published_bwos_lifo.hpp"
#include "faulty/published_split.hpp"
#include "faulty/textbook_chase_lev.hpp"
#include "subject.hpp"

namespace pilfer::model::verify {
namespace {

using item = std::uint32_t;
using faulty::bwos_lifo_fault;
using faulty::chase_lev_fault;
using faulty::event_count_fault;
using faulty::split_fault;
using faulty::thief_claim;

template <chase_lev_fault Fault, unsigned Bits = 64>
result chase_lev(const run& what, const options& how) {
  using queue_type = faulty::textbook_chase_lev<item, model_sync, Fault, Bits>;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size); });
}

template <bwos_lifo_fault Fault>
result lifo(const run& what, const options& how) {
  using queue_type = faulty::published_bwos_lifo<item, model_sync, Fault>;
  return check_queue<queue_type, promises{}>(
      what, how, [&] { return queue_type(ext::block_geometry{.blocks = what.blocks, .entries = what.size}); });
}

template <thief_claim Claim, faulty::fifo_recycling Recycling = faulty::fifo_recycling::as_printed>
result fifo(const run& what, const options& how) {
  using queue_type = faulty::published_bwos_fifo<item, model_sync, Claim, Recycling>;
  return check_queue<queue_type,
                     promises{.thieves_oldest_first = false, .exact_empty = false, .room_after_empty = true}>(
      what, how, [&] { return queue_type(ext::block_geometry{.blocks = what.blocks, .entries = what.size}); });
}

template <split_fault Fault>
result split(const run& what, const options& how) {
  using queue_type = faulty::published_split<item, model_sync, Fault>;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size); });
}

// Producer and consumer; the owner's script says how many units of work there are.
template <event_count_fault Fault>
struct parking {
  explicit parking(std::size_t units) : units_(units) {}
  void thread(std::size_t number) {
    for (std::size_t i = 0; i < units_; ++i) {
      phase(i);
      if (number == 0) {
        events_.produce();
      } else {
        events_.consume();
      }
    }
  }
  void finish() {}
  std::size_t units_;
  faulty::event_count<model_sync, Fault> events_;
};
template <event_count_fault Fault>
result event_count(const run& what, const options& how) {
  return check_made<parking<Fault>>(how, 2, [&](void* at) { new (at) parking<Fault>(what.owner.size()); });
}

}  // namespace

const std::vector<known_fault>& known_faults() {
  using cl = chase_lev_fault;
  using bl = bwos_lifo_fault;
  using sf = split_fault;
  using ec = event_count_fault;
  static const std::vector<known_fault> published{
      {faults_name, "no-release-in-push", "Chase-Lev: nothing orders the slot before bottom", "+/s/2",
       chase_lev<cl::no_release_in_push>},
      {faults_name, "no-fence-in-pop", "Chase-Lev: the owner's fence is missing", "++-/ss/2",
       chase_lev<cl::no_fence_in_pop>},
      {faults_name, "no-fence-in-steal", "Chase-Lev: the thief's fence is missing", "++-/ss/2",
       chase_lev<cl::no_fence_in_steal>},
      {faults_name, "relaxed-bottom-in-steal", "Chase-Lev: the thief does not acquire", "+/s/2",
       chase_lev<cl::relaxed_bottom_in_steal>},
      {faults_name, "no-cas-on-last", "Chase-Lev: the owner takes the last item without a CAS", "+-/s/2",
       chase_lev<cl::no_cas_on_last>},
      {faults_name, "slot-read-after-cas", "Chase-Lev: the thief reads the slot after its claim", "++/s/1",
       chase_lev<cl::slot_read_after_cas>},
      {faults_name, "stale-buffer", "Chase-Lev in C++ as published: push goes on in the old buffer after growth",
       "++//1", chase_lev<cl::stale_buffer_after_growth>},
      {faults_name, "relaxed-buffer", "Chase-Lev: the new buffer is published relaxed", "++/s/1",
       chase_lev<cl::relaxed_buffer_publication>},
      {faults_name, "narrow-index", "Chase-Lev with 3-bit indices: ABA after 8 rounds", "+-+-+-+-+-+-+-+-/s/1",
       chase_lev<cl::none, 3>, true, 2},
      {faults_name, "wide-index", "control: the same with 64 bits", "+-+-+-+-+-+-+-+-/s/1", chase_lev<cl::none>, false,
       2},
      {faults_name, "relaxed-top-in-push", "control: needs load buffering, which RC11 excludes", "+++-/ss/1",
       chase_lev<cl::relaxed_top_in_push>, false},
      {faults_name, "relaxed-top-in-steal", "control: the fence that follows acquires", "+++-/ss/1",
       chase_lev<cl::relaxed_top_in_steal>, false},
      {faults_name, "mark-of-the-last-push", "Chase-Lev: a mark that is one too low", "+mA+/wM/2",
       chase_lev<cl::mark_of_the_last_push>},
      {faults_name, "mark-control", "control: the mark as it should be", "+mA+-/s,wM/2", chase_lev<cl::none>, false},
      {faults_name, "no-acquire-partner", "LIFO BWoS in a public library: the grant is a release, no thief acquires",
       "++/s/2x1", lifo<bl::no_acquire_partner>},
      {faults_name, "acquire-on-load-only", "LIFO BWoS: acquire at the load, relaxed CAS", "++--++/s/2x1",
       lifo<bl::acquire_on_load_only>},
      {faults_name, "owned-is-exhausted", "LIFO BWoS of 000: one code for taken over and for exhausted", "+++/ss/3x1",
       lifo<bl::owned_equals_exhausted>},
      {faults_name, "recycled-unseen",
       "LIFO BWoS as published: thieves say empty for ever after a block was reused unseen", "++Ax+C/wsByT/2x1",
       lifo<bl::recycled_unseen>},
      {faults_name, "recycled-control", "control: the same as corrected", "++Ax+C/wsByT/2x1", lifo<bl::none>, false},
      {faults_name, "lifo-control", "control: LIFO BWoS as corrected", "++-+++-/s,s/2x1", lifo<bl::none>, false},
      {faults_name, "split-as-printed", "004's Listing 2 with relaxed atomics", "+e/s/4", split<sf::as_printed>},
      {faults_name, "split-relaxed-exposure", "split deque: exposure is no release", "+e/s/4",
       split<sf::relaxed_exposure>},
      {faults_name, "split-no-fence-in-steal", "split deque: the thief's fence is missing", "++eeP/ss/4",
       split<sf::no_fence_in_steal>},
      {faults_name, "split-relaxed-reset", "split deque: the age is reset relaxed", "++eeP/ss/4",
       split<sf::relaxed_age_reset>},
      {faults_name, "split-control", "control: the split deque as corrected", "++eePP/s,s/4", split<sf::corrected>,
       false},
      {faults_name, "no-producer-fence", "event count: lost wake-up", "+/s/1", event_count<ec::no_producer_fence>},
      {faults_name, "no-consumer-fence", "event count: lost wake-up", "+/s/1", event_count<ec::no_consumer_fence>},
      {faults_name, "epoch-read-late", "event count: lost wake-up", "+/s/1", event_count<ec::epoch_read_late>},
      {faults_name, "waiters-read-early", "event count: lost wake-up", "+/s/1", event_count<ec::waiters_read_early>},
      {faults_name, "hint-cleared", "event count: a hint that is cleared too early (seen in two libraries)", "++/ss/1",
       event_count<ec::hint_cleared>},
      {faults_name, "event-count-control", "control: the event count as it should be", "++/ss/1", event_count<ec::none>,
       false},
      {conjecture_name, "fifo-as-printed", "001's FIFO gets into \"empty and full\" when a thief stalls (000, 3.2)",
       "++-+--+/s/2x1", fifo<thief_claim::one>},
      {conjecture_name, "fifo-batch-available",
       "000's conjecture that batched stealing alone cures it, a batch being all that is there: it does not",
       "++++--++-----+/b/2x2", fifo<thief_claim::all_available>},
      {conjecture_name, "fifo-batch-block", "the same, a batch being a whole block: it does not",
       "++++--++-----+/b/2x2", fifo<thief_claim::whole_block>},
      {conjecture_name, "fifo-unchecked",
       "000's other idea, not to look at s_cnt: an entry is overwritten while it is read", "++-+--+/s/2x1",
       fifo<thief_claim::one, faulty::fifo_recycling::unchecked>},
  };
  static const std::vector<known_fault> all = [] {
    std::vector<known_fault> list = published;
    add_fork_faults(list);
    add_protocol_faults(list);
    return list;
  }();
  return all;
}

}  // namespace pilfer::model::verify
