// A spawned task: a job with memory of its own, that nobody joins by its place in a queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pilfer/detail/callable.hpp>
#include <pilfer/detail/fork/job.hpp>
#include <pilfer/detail/outcome.hpp>
#include <pilfer/detail/protocol/claim.hpp>
#include <pilfer/detail/protocol/join_latch.hpp>

namespace pilfer {
class priority;
}

namespace pilfer::detail {

struct runtime;
using latch = join_latch<ext::default_sync>;
[[nodiscard]] inline latch latch_of(const job& work) noexcept { return latch(const_cast<job&>(work).state); }

class task_scope;

// Where a task is to go.
struct task_target {
  static constexpr std::uint8_t inherited = 255;

  runtime& home;
  task_scope* group;               // null: none
  std::uint8_t level = inherited;  // that of who makes it
};
// With a priority.
//   Throws  std::invalid_argument if the pool has no such level.
[[nodiscard]] task_target target_at(runtime& home, task_scope* group, priority wanted);

class task : public job {
 public:
  using destroyer = void (*)(task&) noexcept;
  // Who refers to it: its queue and its run; a future too.
  static constexpr std::uint32_t uses_without_future = 2;
  static constexpr std::uint32_t uses_with_future = 3;

  task(function f, destroyer d, const task_target& to, std::uint32_t uses) noexcept
      : job(f), home_(to.home), destroy_(d), mark_(uses), level_(to.level), has_future_(uses == uses_with_future) {
    scope = to.group;
    latch_of(*this).spawn();
  }

  // True: the caller runs it; it is in no list of its group's any more.
  [[nodiscard]] bool claim() noexcept;
  [[nodiscard]] bool try_mark() noexcept { return mark_.claim(); }  // the same, by the group itself under its lock
  [[nodiscard]] bool is_claimed() const noexcept { return mark_.is_claimed(); }
  void let_go(std::uint32_t uses = 1) noexcept {
    if (mark_.let_go(uses)) dispose();
  }
  // Another entry will stand for it, too, and lets go of it by itself. Before the task can be seen, or under its group's lock; or by
  // the holder of such an entry or of its future.
  void add_entry() noexcept {
    if (!has_future_ && !several_entries_)
      several_entries_ = true;  // written once: the last case's others may be reading it
    mark_.keep();
  }
  [[nodiscard]] runtime& home() const noexcept { return home_; }
  // Before it can be seen.
  void begin_at(unsigned level) noexcept {
    set_level(level);
    listed_ = static_cast<std::uint8_t>(level);
  }
  [[nodiscard]] unsigned first_level() const noexcept { return listed_; }
  // May rise until it is claimed.
  [[nodiscard]] unsigned level() const noexcept { return level_.load(claim_orders::relaxed); }  // hint
  void set_level(unsigned level) noexcept {
    level_.store(static_cast<std::uint8_t>(level), claim_orders::relaxed);  // hint
  }
  // After its run: tells its group, or its pool if it has none. `entry_too`: the caller has it out of a queue.
  void end(bool entry_too) noexcept;

  // It is not to run any more: as if its group had been stopped. By a thread that has claimed it.
  void withdraw() noexcept { is_withdrawn_ = true; }

  // For what it is to do. In src/runtime/.
  [[nodiscard]] bool is_cancelled() const noexcept;
  [[nodiscard]] std::stop_token stop_token() const;
  void report_cancelled() noexcept;                      // counts it
  void report_error(std::exception_ptr error) noexcept;  // of a task without a future

  // The worker in whose queue it lies, in a pool with several levels; none: it was injected. A hint.
  static constexpr unsigned injected = 0xffff;
  [[nodiscard]] unsigned queued_at() const noexcept { return queued_at_.load(claim_orders::relaxed); }  // hint
  void note_queue(unsigned index) noexcept {
    queued_at_.store(static_cast<std::uint16_t>(index), claim_orders::relaxed);  // hint
  }

  bool is_injected = false;  // under the pool's lock, with several levels
  // Somebody else keeps the pool for it. Set before it can be seen.
  void leave_uncounted() noexcept { counted_ = false; }
  [[nodiscard]] bool is_counted() const noexcept { return counted_; }
  // The resumption of a coroutine: in no group, and not counted by its pool.
  [[nodiscard]] bool is_resumption() const noexcept { return scope == nullptr && !counted_; }
  // By a caller that waits for it, instead of a worker. Set before it can be seen.
  void leave_to_workers() noexcept { callers_may_run_ = false; }
  [[nodiscard]] bool callers_may_run() const noexcept { return callers_may_run_; }
  // With ageing, under that lock: when it rises, and the next in the pool's list by age.
  std::int64_t rises_ns = 0;
  task* next_by_age = nullptr;

  // The group's list of tasks that nobody has claimed.
  task* newer = nullptr;
  task* older = nullptr;

 private:
  // Destroys it. What it has captured or returned may hold the last use of another task, and so on, however long that chain is.
  void dispose() noexcept;

  runtime& home_;
  const destroyer destroy_;
  claim_mark<ext::default_sync> mark_;
  ext::default_sync::atomic<std::uint16_t> queued_at_{injected};
  ext::default_sync::atomic<std::uint8_t> level_;
  std::uint8_t listed_ = 0;  // the level it began at
  const bool has_future_;
  bool several_entries_ = false;
  bool counted_ = true;
  bool callers_may_run_ = true;
  bool is_withdrawn_ = false;
};

// Memory for tasks, of the calling worker if it has some. Null: there is none.
[[nodiscard]] void* allocate_task(std::size_t bytes, std::size_t alignment) noexcept;
void free_task(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

// Gives the task to its pool. Runs it at once if the queue has no room, or if no thread of the pool could run it. In src/runtime/.
void launch(task& work) noexcept;
// The same behind everything that waits: to the injection queue.
void launch_last(task& work) noexcept;
// Counts it, without a list that others could find it in, and runs it.
void run_on_stack(task& work) noexcept;

// A callable with its arguments, both copied or moved in. It may want a stop_token first, as std::jthread's.
template <class F, class... Args>
class bound_call {
 public:
  static constexpr bool wants_token = std::is_invocable_v<F, std::stop_token, Args...>;

 private:
  static_assert(
      !is_coroutine<F>,
      "pilfer: a pilfer::task is not a callable; write group.spawn(f, args...) instead of group.spawn(f(args...)), "
      "or pilfer::spawn(group, f(args...))");
  static_assert(
      wants_token || std::is_invocable_v<F, Args...>,
      "pilfer: this callable cannot be called with these arguments; they are copied: wrap references in std::ref");

 public:
  using result = typename std::conditional_t<wants_token, std::invoke_result<F, std::stop_token, Args...>,
                                             std::invoke_result<F, Args...>>::type;

  template <class G, class... Bs>
  explicit bound_call(G&& g, Bs&&... bs) : parts_(std::forward<G>(g), std::forward<Bs>(bs)...) {
    require_callable(std::get<0>(parts_));
  }
  result operator()(const task& self) {
    if constexpr (wants_token) {
      return (*this)(self.stop_token());
    } else {
      return (*this)();
    }
  }
  // NOLINTNEXTLINE(performance-unnecessary-value-param): moved on to who wants it
  result operator()([[maybe_unused]] std::stop_token stop = {}) { return call_with(stop); }
  // The same. A coroutine that takes the token by reference refers to `stop`.
  result call_with([[maybe_unused]] std::stop_token& stop) {
    return std::apply(
        [&](F& f, Args&... args) -> result {
          if constexpr (wants_token) {
            return std::invoke(std::move(f), std::move(stop), std::move(args)...);
          } else {
            return std::invoke(std::move(f), std::move(args)...);
          }
        },
        parts_);
  }

 private:
  std::tuple<F, Args...> parts_;
};

template <class F>
inline constexpr bool is_priority = std::is_same_v<std::decay_t<F>, priority>;

// None for a priority: that comes before the callable, in an overload of its own.
template <class F, class... Args>
struct bound_call_for {
  using type = bound_call<F, Args...>;
};
template <class... Args>
struct bound_call_for<priority, Args...> {};
template <class F, class... Args>
using bound_call_of = typename bound_call_for<std::decay_t<F>, std::decay_t<Args>...>::type;

// A task without a result. The callable is gone when the group hears of its end.
template <class Call>
class spawned_task final : public task {
 public:
  template <class... Parts>
  spawned_task(destroyer d, const task_target& to, Parts&&... parts)
      : task(&run_call, d, to, uses_without_future), call_(std::forward<Parts>(parts)...) {}
  ~spawned_task() {}  // NOLINT(modernize-use-equals-default): run_call ends the call

 private:
  static void run_call(job& self) noexcept {
    auto& me = static_cast<spawned_task&>(self);
    if (me.is_cancelled()) {
      me.call_.~Call();
      me.report_cancelled();
      return;
    }
#if defined(__cpp_exceptions)
    try {
      static_cast<void>(me.call_(me));
    } catch (...) {
      me.report_error(std::current_exception());
    }
#else
    static_cast<void>(me.call_(me));
#endif
    me.call_.~Call();
  }

  union {
    Call call_;
  };
};

template <class Task>
void destroy_task(task& self) noexcept {
  static_cast<Task&>(self).~Task();
  free_task(&self, sizeof(Task), alignof(Task));
}
inline void destroy_on_stack(task& /*self*/) noexcept {}

// Null: no memory. Throws what the parts' constructors throw.
template <class Task, class... Parts>
[[nodiscard]] Task* make_task(const task_target& to, Parts&&... parts) {
  void* const room = allocate_task(sizeof(Task), alignof(Task));
  if (room == nullptr) return nullptr;
#if defined(__cpp_exceptions)
  try {
    return ::new (room) Task(&destroy_task<Task>, to, std::forward<Parts>(parts)...);
  } catch (...) {
    free_task(room, sizeof(Task), alignof(Task));
    throw;
  }
#else
  return ::new (room) Task(&destroy_task<Task>, to, std::forward<Parts>(parts)...);
#endif
}

// The same for a coroutine function. In pilfer/coro/call.hpp, which comes with pilfer/coro/task.hpp.
template <class Call>
class spawned_coroutine;

[[noreturn, gnu::cold]] void throw_no_memory();  // std::bad_alloc

// Spawns into the group, or detaches if there is none. Without memory it runs here and now.
//   Throws  std::bad_alloc without memory for a coroutine function: its coroutine may outlive this call.
template <class F, class... Args>
void spawn_task(const task_target& to, F&& f, Args&&... args) {
  using call = bound_call_of<F, Args...>;
  constexpr bool suspends = is_coroutine<typename call::result>;
  using kind = std::conditional_t<suspends, spawned_coroutine<call>, spawned_task<call>>;
  if (kind* const work = make_task<kind>(to, std::forward<F>(f), std::forward<Args>(args)...)) [[likely]] {
    launch(*work);
    return;
  }
  if constexpr (suspends) {
    throw_no_memory();
  } else {
    // NOLINTNEXTLINE(bugprone-use-after-move): without memory nothing was taken
    kind here(&destroy_on_stack, to, std::forward<F>(f), std::forward<Args>(args)...);
    run_on_stack(here);
  }
}

}  // namespace pilfer::detail
