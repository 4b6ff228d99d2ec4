// A spawned task: memory of its own, what it is to do, and what the runtime has to know of it, which src/runtime/ alone looks into.
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

#include <pilfer/detail/build_mode.hpp>
#include <pilfer/detail/callable.hpp>
#include <pilfer/detail/job_class.hpp>
#include <pilfer/detail/outcome.hpp>

namespace pilfer {
class priority;
}

namespace pilfer::detail {

struct runtime;
class spawned_job;
class task_scope;

// Where a task is to go.
struct task_target {
  static constexpr std::uint8_t inherited = 255;

  runtime& home;
  task_scope* group;               // null: none
  std::uint8_t level = inherited;  // that of the task that makes it
};
// With a priority.
//   Throws  std::invalid_argument if the pool has no such level.
[[nodiscard]] task_target target_at(runtime& home, task_scope* group, priority wanted);

// Those that derive from it do so first of all: its job, the room and the task have one address.
class task {
 public:
  // What refers to it: its entry in a queue and its run; a future too.
  static constexpr std::uint32_t uses_without_future = 2;
  static constexpr std::uint32_t uses_with_future = 3;

  task(const job_class& type, const task_target& to, std::uint32_t uses) noexcept;
  task(const task&) = delete;
  task& operator=(const task&) = delete;

  [[nodiscard]] static task& of(job& self) noexcept { return reinterpret_cast<task&>(self); }
  [[nodiscard]] inline spawned_job& queued() noexcept;  // in src/runtime/spawned_job.hpp

  // For what it is to do.
  [[nodiscard]] bool is_cancelled() const noexcept;
  [[nodiscard]] std::stop_token stop_token() const;
  void report_cancelled() noexcept;                      // counts it
  void report_error(std::exception_ptr error) noexcept;  // of a task without a future
  // For its future, and for its coroutine. The last one to let go destroys it.
  void add_use() noexcept;
  void let_go() noexcept;

  static constexpr bool ends_with_its_run = false;  // its destructor has nothing to do after that

 private:
  alignas(8) std::byte room_[96];
};

// Memory for a task: a block of the calling worker's memory, if a worker calls and the task fits. Returns null without memory.
inline constexpr std::size_t most_block_bytes = 512;
inline constexpr std::size_t most_block_alignment = 64;
[[nodiscard]] void* allocate_task(std::size_t bytes, std::size_t alignment) noexcept;
void free_task(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

// Gives the task to its pool. Runs it at once if the queue has no room, or if no thread of the pool could run it. In src/runtime/.
void launch(task& work) noexcept;
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
  static constexpr bool ends_with_its_run = true;

  template <class... Parts>
  spawned_task(const job_class& type, const task_target& to, Parts&&... parts)
      : task(type, to, uses_without_future), call_(std::forward<Parts>(parts)...) {}
  ~spawned_task() {}  // NOLINT(modernize-use-equals-default): run_call ends the call

  static void run_call(job& self) noexcept {
    auto& me = static_cast<spawned_task&>(task::of(self));
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

 private:
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
// Where nothing is left after the run but a block of a worker's memory, there is no destroyer.
template <class Task>
inline constexpr job_class type_of_task{
    job_kind::spawned, &Task::run_call,
    Task::ends_with_its_run && sizeof(Task) <= most_block_bytes && alignof(Task) <= most_block_alignment
        ? nullptr
        : &destroy_task<Task>};
template <class Task>
inline constexpr job_class type_on_stack{job_kind::spawned, &Task::run_call, &destroy_on_stack};

// Null: no memory. Throws what the parts' constructors throw.
template <class Task, class... Parts>
[[nodiscard]] Task* make_task(const task_target& to, Parts&&... parts) {
  struct memory {
    void* room = allocate_task(sizeof(Task), alignof(Task));
    ~memory() {
      if (room != nullptr) free_task(room, sizeof(Task), alignof(Task));
    }
  } mine;
  if (mine.room == nullptr) return nullptr;
  Task* const made = ::new (mine.room) Task(type_of_task<Task>, to, std::forward<Parts>(parts)...);
  mine.room = nullptr;
  return made;
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
    kind here(type_on_stack<kind>, to, std::forward<F>(f), std::forward<Args>(args)...);
    run_on_stack(here);
  }
}

}  // namespace pilfer::detail
