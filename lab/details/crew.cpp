#include "lab/details/crew.hpp"

#include <utility>

#include "lab/measure/affinity.hpp"

namespace pilfer::lab::details {

crew::crew(const std::vector<int>& processors) {
  for (std::size_t i = 0; i < processors.size(); ++i) {
    threads_.emplace_back([this, i, processor = processors[i]] { work(i, processor); });
  }
}

crew::~crew() {
  stop_.store(true, std::memory_order_relaxed);  // only a flag; the mutex orders everything else
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_all();
}

void crew::begin(job what) {
  std::unique_lock lock(mutex_);
  stop_.store(false, std::memory_order_relaxed);  // carried by the mutex
  job_ = std::move(what);
  arrived_ = 0;
  running_ = threads_.size();
  ++jobs_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return arrived_ == threads_.size(); });
}

void crew::finish() {
  stop_.store(true, std::memory_order_relaxed);  // only a flag
  wait();
}

void crew::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ == 0; });
}

bool crew::pinned() {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

void crew::work(std::size_t member, int processor) {
  const bool bound = pin_this_thread(processor);
  std::uint64_t done = 0;
  std::unique_lock lock(mutex_);
  if (!bound) pinned_ = false;
  for (;;) {
    changed_.wait(lock, [&] { return leaving_ || jobs_ != done; });
    if (leaving_) return;
    done = jobs_;
    const job mine = job_;
    if (++arrived_ == threads_.size()) changed_.notify_all();
    lock.unlock();
    mine(member, stop_);
    lock.lock();
    if (--running_ == 0) changed_.notify_all();
  }
}

}  // namespace pilfer::lab::details
