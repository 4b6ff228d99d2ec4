#include "watchdog.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <sstream>
#include <thread>

#include "../sync/environment.hpp"
#include "../sync/process_wide.hpp"
#include "../sync/system_thread.hpp"
#include "../topology/files.hpp"
#include "runtime.hpp"
#include "wait_graph.hpp"

namespace pilfer::detail {

namespace {

constexpr std::chrono::milliseconds between_looks_ms{100};

const char* word_for(activity what) noexcept {
  switch (what) {
    case activity::nothing: return "is free for a caller";
    case activity::looks: return "looks for work";
    case activity::parked: return "is idle";
    case activity::runs: return "runs a task";
    case activity::waits: return "sleeps in a wait";
    case activity::blocked: return "is in a blocking region";
    case activity::spare: return "is spare";
  }
  return "";
}

// Everything that a started task, an ended one, or a wait that returns would change. A hint.
std::uint64_t progress_of(const runtime& pool) noexcept {
  std::uint64_t sum = pool.loose.unfinished();
  const roster& workers = pool.workers;
  const std::size_t known = workers.known();
  for (std::size_t i = 0; i < known; ++i) {
    const worker_counters& counts = workers.at(i).counted();
    sum = sum * 31 + counts.tasks.value();
    sum = sum * 31 + counts.waits.value();
    sum = sum * 31 + counts.steals_taken.value();
  }
  return sum;
}

}  // namespace

std::chrono::nanoseconds watchdog_patience(std::chrono::nanoseconds option) noexcept {
  if (option.count() != 0) return option;
  const auto told = topology::to_number<unsigned>(environment::value_of(environment::watchdog));
  return std::chrono::seconds(std::min(told.value_or(0), 1'000'000U));
}

std::string runtime::describe() const {
  std::ostringstream out;
  const auto size = crew.count();
  out << "pool " << this << " (" << thread_name << "): " << name << ", " << crew.places() << " workers, " << size.active
      << " active, " << size.threads << " threads, " << loose.unfinished() << " submitted or detached tasks unfinished"
      << (limit.is_set()
              ? ", " + std::to_string(limit.count().pending) + " of " + std::to_string(limit.most()) + " pending"
              : "")
      << (ready->has_injected() ? ", work from outside waits" : "") << '\n';
  const std::size_t known = workers.known();
  for (std::size_t i = 0; i < known; ++i) {
    const worker_face& each = workers.at(i);
    const activity does = each.what_it_does();
    const std::size_t forks = each.forks().size_hint();
    const bool has_tasks = each.spawned().has_items();
    if (does == activity::nothing && forks == 0 && !has_tasks) continue;
    out << "  worker " << i << " (" << (each.has_thread() ? numbered_name(thread_name, each.index) : "a caller") << ") "
        << word_for(does);
    if (forks != 0) out << ", " << forks << " forks queued";
    if (has_tasks) out << ", tasks queued";
    out << '\n';
  }
  return out.str() + wait_graph::only().describe(*this);
}

pool_registry& pool_registry::only() { return process_wide<pool_registry>::only(); }

void pool_registry::add(runtime& fresh, std::chrono::nanoseconds patience) {
  const std::lock_guard lock(mutex_);
  if (patience.count() > 0 && !is_watching_) {
    std::thread([this] { watch(); }).detach();
    is_watching_ = true;
  }
  pools_.push_back({.pool = &fresh, .patience = patience, .since = std::chrono::steady_clock::now()});
}

void pool_registry::remove(runtime& old) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(pools_, [&](const entry& each) { return each.pool == &old; });
}

std::string pool_registry::describe() {
  std::string all;
  const std::lock_guard lock(mutex_);
  for (const entry& each : pools_) all += each.pool->describe();
  return all;
}

void pool_registry::watch() noexcept {
  name_this_thread("pilfer-watchdog");
  for (;;) {
    std::this_thread::sleep_for(between_looks_ms);
    look_at_all();
  }
}

void pool_registry::look_at_all() noexcept {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  for (entry& watched : pools_) {
    if (watched.patience.count() <= 0) continue;
    const std::uint64_t progress = progress_of(*watched.pool);
    if (progress != watched.progress || !wait_graph::only().has_waits(*watched.pool)) {
      watched.progress = progress;
      watched.since = now;
      watched.is_told = false;
      continue;
    }
    if (watched.is_told || now - watched.since < watched.patience) continue;
    watched.is_told = true;
    try {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - watched.since).count();
      std::fprintf(stderr, "pilfer: threads wait, and nothing has begun or ended in this pool for %lld s\n%s",
                   static_cast<long long>(seconds), watched.pool->describe().c_str());
    } catch (const std::bad_alloc&) {
      std::fputs("pilfer: threads wait, and nothing has begun or ended in a pool for long\n", stderr);
    }
  }
}

}  // namespace pilfer::detail
