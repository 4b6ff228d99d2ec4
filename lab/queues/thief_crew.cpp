#include "lab/queues/thief_crew.hpp"

#include "lab/measure/affinity.hpp"

namespace pilfer::lab::queues {

thief_crew::thief_crew(const std::vector<int>& processors) {
  for (const int processor : processors) {
    threads_.emplace_back([this, processor] { work(processor); });
  }
}

thief_crew::~thief_crew() {
  {
    const std::lock_guard lock(mutex_);
    if (with_ != nullptr)
      with_->stop.store(1, std::memory_order_relaxed);  // an exception left the experiment mid-sample
    leaving_ = true;
  }
  changed_.notify_all();
}

void thief_crew::begin(measured_queue& queue, traffic& with, const steal_plan& plan) {
  std::unique_lock lock(mutex_);
  queue_ = &queue;
  with_ = &with;
  plan_ = plan;
  totals_ = {};
  arrived_ = 0;
  running_ = threads_.size();
  ++job_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return arrived_ == threads_.size(); });
}

thief_totals thief_crew::finish() {
  std::unique_lock lock(mutex_);
  with_->stop.store(1, std::memory_order_relaxed);
  changed_.wait(lock, [&] { return running_ == 0; });
  with_ = nullptr;
  return totals_;
}

void thief_crew::work(int processor) {
  const bool bound = pin_this_thread(processor);
  std::uint64_t done = 0;
  std::unique_lock lock(mutex_);
  if (!bound) pinned_ = false;
  for (;;) {
    changed_.wait(lock, [&] { return leaving_ || job_ != done; });
    if (leaving_) return;
    done = job_;
    ++arrived_;
    changed_.notify_all();
    measured_queue& queue = *queue_;
    traffic& with = *with_;
    const steal_plan plan = plan_;
    lock.unlock();
    const thief_totals mine = queue.run_thief(with, plan);
    lock.lock();
    totals_ += mine;
    if (--running_ == 0) changed_.notify_all();
  }
}

}  // namespace pilfer::lab::queues
