// What stands for a forked job in a queue where its join cannot find it again: FIFO, or shared.
//
// A pooled heap object that outlives the fork's frame. Two sides come for it, in any order: the join, which knows where its
// ticket is, and whoever takes it out of the queue. Each tears it once. Who is first has the job, the other one finds
// nothing and recycles the ticket.
//
// State        writer          reader   meaning
//   claim_     both            both     the job; null: claimed
//   next_free  who has it       same     a list: of free tickets, from the second tear to the next write; of tickets that the
//                                       queue's owner holds while it clears the queue, from pop to push
//
// Invariants
//   I1  Between two writes there are exactly two tears, one by either side.
//   I2  After the first tear the first side touches the ticket no more.
//   I3  Who takes the ticket out of the queue sees the job's frame through the queue's own edge, so writing and tearing need
//       none for it: with one, each half was a mutant that the checker could not tell from the original.
//
// Edges
//   reuse      first tear: exchange of claim_ -> second tear: exchange of it   the first, and who cleared the queue, has no more use for the ticket
//
// Sources    ours.
#pragma once

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {
struct job;
}

namespace pilfer::research {

using detail::job;

struct ticket_orders {
  static constexpr ext::edge reuse{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = ticket_orders>
class basic_ticket {
 public:
  void write(job& work) noexcept { claim_.store(&work, Orders::relaxed); }  // carried by the queue
  // Null: the other side was first, and the ticket is the caller's to recycle.
  [[nodiscard]] job* tear() noexcept {
    return claim_.exchange(nullptr, ext::both(Orders::reuse.acq, Orders::reuse.rel));
  }
  [[nodiscard]] bool is_tombstone() const noexcept {
    return claim_.load(Orders::relaxed) == nullptr;  // own claim, or hint
  }

  basic_ticket* next_free = nullptr;

 private:
  typename Sync::template atomic<job*> claim_{nullptr, "claim"};
};

}  // namespace pilfer::research
