// Who looks for urgent work by the summary misses none, while its owner shows and hides the levels that it has.
//
// Scripts    owner: + pushes a task at level 0, m one at level 1; - takes one as a worker does, from the most urgent level that it
//            shows, and hides what it finds empty; e begins to run a task of level 1, P ends it. Thieves: s one scan: learn what has
//            been published, read the entry, steal from each level that it shows until something is taken, and again where the race
//            was lost. A to D and w to z: gates.
// Properties visible    what lies in a queue at the end has its level shown, and a last scan by the summary takes all of it; each task
//                       is taken once.
//            inversion  a scan knows of a task, and finds its level hidden, or empty: then whoever takes that task had begun to when
//                       the scan ended. The same of a run, for the levels of forks; it is taken when it ends.
// What happened before what is kept beside the atomics: by gates, by what tells of a push, and by a task itself for who takes it. A
// take that does not follow a scan counts as begun: an owner that has lowered its bottom may have its claim still before it.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include <pilfer/detail/protocol/level_summary.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>

#include "model/model_sync.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class levels_fault : std::uint8_t {
  none,
  shown_late,       // a level is shown after the push, and after others could have been told of it
  hidden_before,    // a level is hidden before the take, and shown again if that found something
  hidden_by_look,   // the owner looks as a thief does, and takes a lost race for an empty queue
  hidden_by_thief,  // a thief that finds a level empty hides it
  lost_is_empty,    // a thief that has lost the race for a task goes on to the next level
  bit_alone,        // a level's bit is written without the others
  run_alone,        // the levels of runs are written without those of tasks
  control,          // the copy below as it should be
};

// level_entry once more, for the faults that need another text.
template <class Sync, levels_fault Fault>
class level_entry_copy {
 public:
  using view = typename pilfer::detail::level_entry<Sync>::view;
  using level_set = pilfer::detail::level_set;

  [[nodiscard]] view load() const noexcept {
    const std::uint32_t now = shown_.load(std::memory_order_relaxed);
    return {.tasks = level_set(now & 0xffU), .forks = level_set(now >> 8U)};
  }
  void hide_from_thief(view seen, unsigned level) noexcept {
    write((seen.tasks.bits() & ~(1U << level)) | (seen.forks.bits() << 8U));
  }

  class writer {
   public:
    explicit writer(level_entry_copy& mine) noexcept : mine_(&mine) {}
    void show(unsigned level) noexcept { set((Fault == levels_fault::bit_alone ? 0 : mask_) | (1U << level)); }
    void hide(unsigned level) noexcept { set(mask_ & ~(1U << level)); }
    [[nodiscard]] level_set tasks() const noexcept { return level_set(mask_ & 0xffU); }
    void run(level_set levels) noexcept {
      set((Fault == levels_fault::run_alone ? 0 : mask_ & 0xffU) | (levels.bits() << 8U));
    }

   private:
    void set(std::uint32_t mask) noexcept {
      if (mask == mask_) return;
      mask_ = mask;
      mine_->write(mask);
    }
    level_entry_copy* mine_;
    std::uint32_t mask_ = 0;
  };

 private:
  void write(std::uint32_t mask) noexcept { shown_.store(static_cast<std::uint16_t>(mask), std::memory_order_relaxed); }
  typename Sync::template atomic<std::uint16_t> shown_{0, "shown"};
};

template <levels_fault Fault = levels_fault::none>
class levels_scenario {
  using enum levels_fault;
  static constexpr bool is_copied =
      Fault == hidden_by_thief || Fault == bit_alone || Fault == run_alone || Fault == control;
  using entry_type =
      std::conditional_t<is_copied, level_entry_copy<model_sync, Fault>, pilfer::detail::level_entry<model_sync>>;
  using queue_type = queue::bounded_chase_lev_deque<std::uint32_t, model_sync>;
  using level_set = pilfer::detail::level_set;

 public:
  explicit levels_scenario(const verify::run& what)
      : run_(&what), queues_{queue_type(what.size), queue_type(what.size)} {}

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      const char what = script[i];
      if (what >= 'A' && what <= 'D') {
        gates_[static_cast<std::size_t>(what - 'A')] = known_[number];
        announce(static_cast<unsigned>(what - 'A'));
      } else if (what >= 'w' && what <= 'z') {
        await(static_cast<unsigned>(what - 'w'));
        known_[number].add(gates_[static_cast<std::size_t>(what - 'w')]);
      } else if (number == 0) {
        own(what);
      } else {
        require(i < most_scans, "there is room for what a scan finds");
        scan(number, (number - 1) * most_scans + i);
      }
    }
  }
  void finish() {
    const auto shown = entry_.load();
    for (unsigned level = 0; level < levels; ++level) {
      while (shown.tasks.has(level)) {
        const std::uint32_t found = steal(level);
        if (found == nothing) break;
        took(found, after_all);
      }
    }
    for (unsigned level = 0; level < levels; ++level) {
      require(steal(level) == nothing, "what lies in a queue has its level shown");
    }
    if (running_ != nothing) {
      require(shown.forks.has(published_[running_].level), "the level of what runs is shown");
      published_[running_].taken_after = after_all;
    }
    for (std::uint32_t i = 1; i <= count_; ++i) {
      require(published_[i].taken_after.has_value(), "a task was lost");
      const scan_set before = published_[i].taken_after.value_or(after_all);
      for (std::size_t s = 0; s < missed_.size(); ++s) {
        const bool overlooked = ((missed_[s] >> i) & 1U) != 0 && ((before >> s) & 1U) != 0;
        require(!overlooked, "a scan has missed a task that it knew of, and that nobody had begun to take");
      }
    }
  }

 private:
  static constexpr unsigned levels = 2;
  static constexpr std::size_t most = 8;        // tasks and runs
  static constexpr std::size_t most_scans = 8;  // of a thief
  static constexpr std::uint32_t nothing = 0;
  using scan_set = std::uint64_t;
  static constexpr scan_set after_all = ~scan_set{0};

  // What has happened before, as far as one can tell.
  struct knowledge {
    std::uint32_t published = 0;  // tasks and runs up to this number
    scan_set ended = 0;
    void add(const knowledge& other) {
      published = std::max(published, other.published);
      ended |= other.ended;
    }
  };
  // A task, or a run.
  struct publication {
    unsigned level = 0;
    bool is_run = false;
    knowledge then;                       // the owner's, this one included
    std::optional<scan_set> taken_after;  // scans that had ended when the take began; of a run: when its end began
  };

  void own(char what) {
    switch (what) {
      case '+': push(0); break;
      case 'm': push(1); break;
      case 'e': begin_run(1); break;
      case 'P': end_run(); break;
      default: take(); break;
    }
  }
  void push(unsigned level) {
    if constexpr (Fault != shown_late) writer_.show(level);
    const std::uint32_t fresh = prepare(level, false);
    payload_[fresh].set(fresh);
    if (!queues_[level].owner().push(fresh)) return;
    publish(fresh);
    if constexpr (Fault == shown_late) writer_.show(level);
  }
  void take() {
    const scan_set before = known_[0].ended;
    for (unsigned level = 0; level < levels; ++level) {
      if (!writer_.tasks().has(level)) continue;
      if constexpr (Fault == hidden_before) writer_.hide(level);
      const std::uint32_t found = take_from(level);
      if (found == nothing) {
        writer_.hide(level);
        continue;
      }
      if constexpr (Fault == hidden_before) writer_.show(level);
      took(found, before);
      return;
    }
  }
  [[nodiscard]] std::uint32_t take_from(unsigned level) {
    if constexpr (Fault == hidden_by_look) {
      const auto got = queues_[level].thief().steal();
      return got ? *got : nothing;
    } else {
      return queues_[level].owner().take().value_or(nothing);
    }
  }
  void begin_run(unsigned level) {
    writer_.run(level_set::of(level));
    running_ = prepare(level, true);
    publish(running_);
  }
  void end_run() {
    published_[running_].taken_after = known_[0].ended;
    running_ = nothing;
    writer_.run({});
  }

  [[nodiscard]] std::uint32_t prepare(unsigned level, bool is_run) {
    const std::uint32_t fresh = count_ + 1;
    require(fresh < most, "there is room for what is published");
    published_[fresh] = {.level = level, .is_run = is_run, .then = known_[0], .taken_after = {}};
    published_[fresh].then.published = fresh;
    return fresh;
  }
  void publish(std::uint32_t fresh) {
    count_ = fresh;
    known_[0] = published_[fresh].then;
    told_.store(fresh, std::memory_order_release);  // stands for what follows a push: a call to a sleeper
  }

  void scan(std::size_t self, std::size_t number) {
    knowledge& mine = known_[self];
    if (const std::uint32_t told = told_.load(std::memory_order_acquire)) mine.add(published_[told].then);
    const knowledge before = mine;
    const auto seen = entry_.load();
    for (unsigned level = 0; level < levels; ++level) {
      if (!seen.forks.has(level)) misses(number, before.published, level, true);
      if (seen.tasks.has(level)) {
        const std::uint32_t found = steal(level);
        if (found != nothing) {
          took(found, before.ended);
          mine.add(published_[found].then);
          break;
        }
        if constexpr (Fault == hidden_by_thief) entry_.hide_from_thief(seen, level);
      }
      misses(number, before.published, level, false);
    }
    mine.ended |= scan_set{1} << number;
  }
  [[nodiscard]] std::uint32_t steal(unsigned level) {
    for (;;) {
      const auto got = queues_[level].thief().steal();
      if (got) return *got;
      if (Fault == lost_is_empty || got.status() != ext::steal_status::lost) return nothing;
    }
  }
  void misses(std::size_t number, std::uint32_t known, unsigned level, bool runs) {
    for (std::uint32_t i = 1; i <= known; ++i) {
      if (published_[i].level == level && published_[i].is_run == runs) missed_[number] |= 1U << i;
    }
  }
  void took(std::uint32_t which, scan_set after) {
    require(which < most && payload_[which].get() == which, "what stands behind a task is visible");
    require(!published_[which].taken_after.has_value(), "a task is taken once");
    published_[which].taken_after = after;
  }

  const verify::run* run_;
  std::array<queue_type, levels> queues_;
  entry_type entry_;
  typename entry_type::writer writer_{entry_};
  model_sync::atomic<std::uint32_t> told_{0, "told"};
  std::array<model_sync::cell<std::uint32_t>, most> payload_;
  std::array<publication, most> published_{};
  std::uint32_t count_ = 0;
  std::uint32_t running_ = nothing;
  std::array<knowledge, max_threads> known_{};
  std::array<knowledge, 4> gates_{};
  std::array<std::uint32_t, (max_threads - 1) * most_scans> missed_{};
};

}  // namespace pilfer::model::protocols
