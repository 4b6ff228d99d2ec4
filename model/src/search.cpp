// The search: one execution after another, each as the stack of decisions says.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "engine.hpp"

namespace pilfer::model {
namespace {
constexpr std::uint8_t wait_code = 255;
constexpr std::size_t footprint_runs = 400;
}  // namespace

engine& engine::mine() {
  thread_local engine one;
  return one;
}

engine::engine() {
  // At the same place in every process where that is possible: traces then show the same addresses.
  void* const wish = reinterpret_cast<void*>(std::uintptr_t{0x5150} << 28);
  void* const memory = mmap(wish, arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  arena_ = static_cast<std::byte*>(memory);
  stores_.reserve(4096);
  messages_.reserve(std::size_t{1} << 16);
}

engine::~engine() { munmap(arena_, arena_bytes); }

std::size_t engine::dice(std::size_t count, bool of_thread) {
  const auto roll = [this] {
    dice_state_ += 0x9e3779b97f4a7c15U;
    return mix64(dice_state_);
  };
  const std::uint64_t first = roll();
  if (of_thread ? (first & 0xff) < dice_stay_ : (first & 1) != 0) return 0;
  return (roll() >> 16) % count;
}

int engine::decide(std::size_t count, bool may_wait, bool of_thread, bool stays) {
  const std::size_t all = count + (may_wait ? 1 : 0);
  const bool logged = !interleaves_ || count > 1;
  std::size_t choice = 0;
  if (replaying_) {
    if (logged) return replayed(count);
  } else if (rolls_dice_) {
    if (count > 1) choice = dice(count, of_thread);
  } else if (all > 1 && !stays) {
    if (depth_ < decisions_.size()) {
      if (decisions_[depth_].count != all) {
        fail(fault::assertion, "the scenario is not deterministic: it decided between " +
                                   std::to_string(decisions_[depth_].count) + " things before, now between " +
                                   std::to_string(all));
      }
      choice = decisions_[depth_].chosen;
    } else {
      decisions_.push_back({0, static_cast<std::uint16_t>(all)});
    }
    ++depth_;
  }
  if (logged) log_.push_back(choice == count ? wait_code : static_cast<std::uint8_t>(choice));
  return choice == count ? wait : static_cast<int>(choice);
}

int engine::replayed(std::size_t count) {
  if (depth_ == script_.size()) {
    replay_error_ = "it ends after " + std::to_string(depth_) + " decisions, and the scenario has more";
    give_up(outcome::failed);
  }
  const std::uint8_t code = script_[depth_++];
  log_.push_back(code);
  if (code == wait_code && !interleaves_) return wait;
  if (code >= count) {
    replay_error_ = "decision " + std::to_string(depth_) + " chooses number " + std::to_string(code) + " of " +
                    std::to_string(count);
    give_up(outcome::failed);
  }
  return code;
}

void engine::give_up(outcome how) {
  outcome_ = how;
  fibers_[running_].switch_to(outside_);
  std::abort();
}

void engine::fail(fault what, std::string text) {
  if (options_->sc == sc_mode::axiomatic && !psc_is_acyclic(events_, stores_)) give_up(outcome::cut_off);
  result_.failed.what = what;
  result_.failed.text.swap(text);
  std::string().swap(text);
  give_up(outcome::failed);
}

void engine::reset() {
  stores_.clear();
  stores_.emplace_back();
  messages_.clear();
  location_count_ = first_location;
  for (thread_state& t : threads_) {
    t.clock.fill(0);
    t.has_released = false;
    t.read.clear();
    t.chain = t.graph = hash128{};
    t.operations = t.locations = 0;
    t.phase = 0;
    t.state = status::ready;
    t.awaited = 0;
    t.awaits_sc = t.awaits_target = t.timed = false;
    t.awaited_locks = 0;
    t.barriers = 0;
    t.looked.clear();
    t.must_pass = 0;
  }
  for (std::size_t u = 0; u < threads_.size(); ++u) threads_[u].clock[u] = 1;
  sc_count_ = stop_count_ = 0;
  announced_.fill(false);
  stopped_one_ = in_interrupt_ = spurious_used_ = barriers_refused_ = finishing_ = false;
  interrupts_used_ = 0;
  preemptions_ = 0;
  steps_ = 0;
  allocations_.clear();
  log_.clear();
  events_.clear();
  depth_ = 0;
  running_ = conductor_thread;
  object_ = arena_;
  arena_used_ = (scenario_->size + 127) / 128 * 128;
  if (rolls_dice_) {
    constexpr std::array<unsigned, 4> stay{64, 160, 224, 248};
    dice_stay_ = stay[(dice_state_ >> 7) % stay.size()];
    dice_state_ = mix64(dice_state_ + 1);
  }
}

// On its own fiber, so that it can be abandoned like the others.
void engine::conduct() {
  try {
    scenario_->construct(object_);
  } catch (...) {
    thrown_ = std::current_exception();
    give_up(outcome::failed);
  }
  const thread_state& maker = threads_[conductor_thread];
  for (std::size_t u = 0; u < scenario_->threads; ++u) {
    thread_state& t = threads_[u];
    std::copy_n(maker.cur.begin(), location_count_, t.cur.begin());
    join(t.clock, maker.clock);
  }
  start_threads();
  if (options_->sc == sc_mode::axiomatic && !psc_is_acyclic(events_, stores_)) give_up(outcome::cut_off);
  if (options_->count_graphs && !rolls_dice_) graphs_.insert(graph_hash());
  finishing_ = true;
  thread_state& last = threads_[conductor_thread];
  for (std::size_t u = 0; u < scenario_->threads; ++u) join(last.clock, threads_[u].clock);
  for (std::size_t l = first_location; l < location_count_; ++l) {
    if (!locations_[l].order.empty()) last.cur[l] = locations_[l].order.back();
  }
  scenario_->finish(object_);
  if (stopped_one_) give_up(outcome::complete);  // what the stopped thread holds is never given back
  scenario_->destroy(object_);
  for (const allocation& a : allocations_) {
    if (!a.freed) fail(fault::leak, std::to_string(a.bytes) + " bytes were allocated and never freed");
  }
  give_up(outcome::complete);
}

engine::outcome engine::run_once() {
  reset();
  fibers_[conductor_thread].begin([](void* self) { static_cast<engine*>(self)->conduct(); }, this);
  for (std::size_t u = 0; u < scenario_->threads; ++u) {
    fibers_[u].begin(
        [](void* self) {
          auto* const e = static_cast<engine*>(self);
          e->scenario_->thread(e->object_, e->running_);
          e->finish_thread();
        },
        this);
  }
  outside_.switch_to(fibers_[conductor_thread]);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!replay_error_.empty()) throw bad_replay("the replay string does not fit: " + std::exchange(replay_error_, {}));
  return outcome_;
}

bool engine::next_execution() {
  decisions_.resize(std::min(decisions_.size(), depth_));
  while (!decisions_.empty() && decisions_.back().chosen + 1 == decisions_.back().count) decisions_.pop_back();
  if (decisions_.empty()) return false;
  ++decisions_.back().chosen;
  return true;
}

bool engine::limit_reached() {
  const std::uint64_t begun = result_.executions + result_.cut_off;
  if (options_->max_executions != 0 && result_.executions >= options_->max_executions) {
    if (options_->mode != exploration::random) {
      result_.bound_hit = std::to_string(options_->max_executions) + " executions";
    }
    return true;
  }
  if (begun % 512 != 0) return false;
  if (options_->progress) options_->progress(result_.executions);
  if (options_->stop && options_->stop()) {
    result_.bound_hit = "stopped";
    return true;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
  if (options_->max_seconds > 0 && spent.count() > options_->max_seconds) {
    result_.bound_hit = std::to_string(static_cast<long>(options_->max_seconds)) + " seconds";
    return true;
  }
  return false;
}

void engine::begin_again() {
  decisions_.clear();
  seen_.clear();
  graphs_.clear();
  result_.executions = result_.cut_off = 0;
  footprint_grew_ = false;
}

// Random executions, so that the search does not begin again and again for each store that it meets.
void engine::explore_footprint() {
  interleaves_ = rolls_dice_ = true;
  for (std::size_t i = 0; i < footprint_runs && result_.failed.what == fault::none; ++i) run_once();
  if (result_.failed.what != fault::none) return;
  interleaves_ = rolls_dice_ = false;
}

void engine::search() {
  interleaves_ = options_->mode != exploration::exhaustive;
  rolls_dice_ = options_->mode == exploration::random;
  dice_state_ = mix64(options_->seed * 2 + 1);
  const bool uses_footprint =
      options_->mode == exploration::exhaustive || (options_->preemption_bound >= 0 && !rolls_dice_);
  int restarts = 0;
  begin_again();
  for (;;) {
    const outcome how = run_once();
    if (how == outcome::failed) {
      ++result_.executions;
      return;
    }
    ++(how == outcome::complete ? result_.executions : result_.cut_off);
    if (uses_footprint && footprint_grew_) {
      if (++restarts == 4) {
        explore_footprint();
        if (!result_.passed()) return;
        interleaves_ = options_->mode != exploration::exhaustive;
      }
      begin_again();
      continue;
    }
    if (limit_reached()) return;
    if (!rolls_dice_ && !next_execution()) {
      result_.exhausted = true;
      return;
    }
  }
}

void engine::describe_failure() {
  const fault what = result_.failed.what;
  const std::string text = result_.failed.text;
  script_ = log_;
  replaying_ = tracing_ = recording_ = true;
  result_.failed.what = fault::none;
  run_once();
  result_.failed.what = what;
  result_.failed.text = text;
  result_.failed.trace = describe();
  result_.failed.replay = log_text();
}

result engine::explore(const options& how, const detail::scenario_ops& what) {
  if (what.threads == 0 || what.threads > max_threads) {
    throw std::invalid_argument("a scenario has 1 to " + std::to_string(max_threads) + " threads, not " +
                                std::to_string(what.threads));
  }
  options_ = &how;
  scenario_ = &what;
  result_ = result{};
  footprint_ = {};
  for (auto& numbers : numbering_) numbers.clear();
  numbered_ = first_location;
  replaying_ = tracing_ = rolls_dice_ = false;
  recording_ = how.sc == sc_mode::axiomatic;
  replay_error_.clear();
  began_ = std::chrono::steady_clock::now();
  if (how.replay.empty()) {
    search();
    if (!result_.passed()) describe_failure();
  } else {
    parse_log(how.replay);
    decisions_.clear();
    replaying_ = tracing_ = recording_ = true;
    run_once();
    if (depth_ != script_.size() && result_.passed()) {
      throw bad_replay("the replay string does not fit: it has " + std::to_string(script_.size()) +
                       " decisions, and the execution ended after " + std::to_string(depth_));
    }
    ++result_.executions;
    result_.failed.trace = describe();
    result_.failed.replay = log_text();
  }
  result_.graphs = graphs_.size();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
  result_.seconds = spent.count();
  options_ = nullptr;
  scenario_ = nullptr;
  return std::move(result_);
}

// Replay strings: "e:" (exhaustive) or "i:" (interleaving, random), then decisions; w waits, 0x12 is twelve zeros.
std::string engine::log_text() const {
  std::string text = interleaves_ ? "i:" : "e:";
  for (std::size_t i = 0; i < log_.size();) {
    std::size_t run = 1;
    while (i + run < log_.size() && log_[i + run] == log_[i]) ++run;
    if (i != 0) text += ',';
    text += log_[i] == wait_code ? "w" : std::to_string(log_[i]);
    if (run > 1) text += 'x' + std::to_string(run);
    i += run;
  }
  return text;
}

void engine::parse_log(const std::string& text) {
  const auto bad = [&](const std::string& why) { throw bad_replay("not a replay string: " + why); };
  if (text.size() < 2 || text[1] != ':' || (text[0] != 'e' && text[0] != 'i')) bad("it must begin with e: or i:");
  interleaves_ = text[0] == 'i';
  script_.clear();
  std::size_t at = 2;
  const auto number = [&](std::size_t most) {
    std::size_t value = 0;
    const std::size_t start = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      value = value * 10 + static_cast<std::size_t>(text[at++] - '0');
      if (value > most) bad("a number is too large at character " + std::to_string(start));
    }
    if (at == start) bad("a number is missing at character " + std::to_string(start));
    return value;
  };
  while (at < text.size()) {
    std::uint8_t code = wait_code;
    if (text[at] == 'w') {
      ++at;
    } else {
      code = static_cast<std::uint8_t>(number(wait_code - 1));
    }
    std::size_t run = 1;
    if (at < text.size() && text[at] == 'x') {
      ++at;
      run = number(1'000'000);
    }
    script_.insert(script_.end(), run, code);
    if (at == text.size()) break;
    if (text[at++] != ',') bad("a comma is missing at character " + std::to_string(at - 1));
    if (at == text.size()) bad("it ends with a comma");
  }
}

}  // namespace pilfer::model
