// Tickets: a join and a thief tear the same one, and who comes second uses it again for another job.
//
// Scripts    for everybody: + fork (with a ticket of its own list, or a fresh one) into a shared queue, - join the newest
//            fork, s take one ticket out of the queue and tear it.
// Properties each job runs once; its frame is freed right after the join, and nobody touches it any more; a ticket has one user.
// The mailboxes stand for a queue, with its edge from push to steal.
#pragma once

#include <array>

#include <pilfer/detail/fork/job.hpp>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class ticket_fault : std::uint8_t {
  none,
  first_recycles,  // who has the job recycles the ticket
  both_recycle,
};

template <ticket_fault Fault = ticket_fault::none>
class ticket_scenario {
  using ticket = research::basic_ticket<model_sync, ticket_variable>;

 public:
  explicit ticket_scenario(const verify::run& what) : run_(&what) {}

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      switch (script[i]) {
        case '+': fork(number); break;
        case '-': join(number); break;
        default: take(number); break;
      }
    }
  }
  void finish() {
    for (std::size_t t = 0; t < max_threads; ++t) require(depths_[t] == 0, "every fork was joined");
  }

 private:
  static constexpr std::size_t most = 6;
  static constexpr std::size_t forks_each = 2;
  // As large and as aligned as what a ticket takes it for.
  struct alignas(pilfer::detail::job) frame {
    model_sync::cell<std::uint32_t> task;
    model_sync::atomic<std::uint32_t> done{0, "done"};
    std::array<std::byte, sizeof(pilfer::detail::job)> rest;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  };
  struct named_mail : model_sync::atomic<ticket*> {
    named_mail() noexcept : model_sync::atomic<ticket*>(nullptr, "mail") {}
  };
  struct open_fork {
    frame* job = nullptr;
    ticket* with = nullptr;
  };

  void fork(std::size_t self) {
    ticket* mine = nullptr;
    if (counts_[self] != 0) {
      mine = free_[self][--counts_[self]];
      link_of(mine).set(0);  // next_free is read and written
    } else {
      mine = &tickets_[self * 2 + fresh_[self]++];
      link_of(mine).set(0);
    }
    auto* const job = new (model_sync::allocate(sizeof(frame), alignof(frame))) frame;
    job->task.set(static_cast<std::uint32_t>(self) + 1);
    mine->write(as_job(*job));
    forks_[self][depths_[self]++] = {job, mine};
    mail_[self * forks_each + forked_[self]++].store(mine, std::memory_order_release);  // stands for the queue's edge
  }
  void join(std::size_t self) {
    const auto [job, with] = forks_[self][--depths_[self]];
    if (const auto* const claimed = with->tear()) {
      require(claimed == &as_job(*job), "a join finds its own job or none");
      require(job->task.get() == self + 1, "the job is the one that was forked");
      if constexpr (Fault == ticket_fault::first_recycles || Fault == ticket_fault::both_recycle) recycle(self, with);
    } else {
      if constexpr (Fault != ticket_fault::first_recycles) recycle(self, with);
      while (job->done.load(std::memory_order_acquire) == 0) model_sync::pause();
    }
    job->~frame();
    model_sync::deallocate(job, alignof(frame));
  }
  // From whichever mailbox has something.
  void take(std::size_t self) {
    for (std::size_t t = 0; t < mail_.size(); ++t) {
      if (t / forks_each == self || mail_[t].load(std::memory_order_relaxed) == nullptr) continue;
      ticket* const found = mail_[t].exchange(nullptr, std::memory_order_acquire);
      if (found == nullptr) continue;
      link_of(found).set(2);  // who clears a queue links the tickets that it holds
      if (auto* const job = reinterpret_cast<frame*>(found->tear())) {
        require(job->task.get() != 0, "the job is visible");
        if constexpr (Fault == ticket_fault::first_recycles || Fault == ticket_fault::both_recycle)
          recycle(self, found);
        job->done.store(1, std::memory_order_release);
      } else if constexpr (Fault != ticket_fault::first_recycles) {
        recycle(self, found);
      }
      return;
    }
  }

  void recycle(std::size_t self, ticket* spent) {
    link_of(spent).set(1);
    free_[self][counts_[self]++] = spent;
  }
  [[nodiscard]] model_sync::cell<int>& link_of(const ticket* with) {
    return links_[static_cast<std::size_t>(with - tickets_.data())];
  }
  // A ticket never looks into a job.
  [[nodiscard]] static pilfer::detail::job& as_job(frame& f) { return reinterpret_cast<pilfer::detail::job&>(f); }

  const verify::run* run_;
  std::array<ticket, 2 * max_threads> tickets_;
  std::array<model_sync::cell<int>, 2 * max_threads> links_;  // next_free, as a plain variable that the checker watches
  std::array<named_mail, forks_each * 3> mail_;               // for three threads
  std::array<std::array<ticket*, most>, max_threads> free_{};
  std::array<std::size_t, max_threads> counts_{};
  std::array<std::size_t, max_threads> fresh_{};
  std::array<std::size_t, max_threads> forked_{};
  std::array<std::array<open_fork, most>, max_threads> forks_{};
  std::array<std::size_t, max_threads> depths_{};
};

}  // namespace pilfer::model::protocols
