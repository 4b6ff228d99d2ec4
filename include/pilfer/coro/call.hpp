// Coroutine functions, and coroutines, as tasks.
//
//   group.spawn(answer, request);                    // with a pilfer::task<void> answer(message)
//   group.spawn(answer(request));                    // the same, but the caller makes the coroutine
//   pilfer::future<int> sum = pool.submit(add, 1);   // with a pilfer::task<int> add(int)
//
// Calls     the function in a task of the pool, which resumes the coroutine for the first time. While the coroutine is suspended it has no
//           worker. It is unfinished until it has ended: group.wait(), future.get() and the pool's destructor wait for that.
// Lifetime  the callable, with its captures, and the arguments live until the coroutine has ended, and are gone before its end is known. Of a
//           coroutine that the caller makes, nothing lives longer than its frame.
// Stopping  the coroutine has the token of the group, or of the pool if it has none; the function is given it, too, if it takes a
//           std::stop_token first. If that is to stop before the task has begun, nothing is called, and a coroutine's frame is freed. One
//           that ends by task_cancelled because of it is counted as cancelled.
// Errors    of spawned ones: the group's wait() throws the first; of detached ones: pool_options::on_error, except for task_cancelled;
//           of submitted ones: the future has it.
// Cost      a task's, and the coroutine's frame.
//
// Comes with pilfer/coro/task.hpp. It knows that class by the result of the call alone, because that header includes this one.
#pragma once

#include <coroutine>
#include <exception>
#include <future>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <pilfer/detail/coro_transfer.hpp>
#include <pilfer/detail/task.hpp>
#include <pilfer/future.hpp>

namespace pilfer::detail {

class coro_promise_base;

// In src/coro/.
// The coroutine of a task is about to begin: its group or its pool counts it from now on.
void hold_coroutine(task& root) noexcept;
// It has suspended for the first time, or has ended.
void end_first_step(task& root) noexcept;
// It has ended: it lets go of the task, and then is counted no more.
void end_coroutine(task& root) noexcept;
// Tells the group, or the pool, unless the coroutine was cancelled: in a group that is to stop that is counted, without a group ignored.
void report_coroutine_error(task& work, std::exception_ptr error) noexcept;
// Counts it if the group is to stop and the coroutine has ended because of that.
void count_if_cancelled(task& work, const std::exception_ptr& error) noexcept;

// A task that begins a coroutine, and lives until that has ended. Base: task, or what is derived from it. Derived has
//   void keep_cancelled()           the function is not called
//   void keep_error(error)          the function has thrown
//   void keep_result_of(promise)    the coroutine has ended
//   void tell()                     after one of these, when the callable is gone
// none of which throws.
template <class Derived, class Base, class Call>
class coroutine_task : public Base {
  using frame_owner = decltype(std::declval<typename Call::result>().release());

 public:
  template <class... Parts>
  coroutine_task(const job_class& type, const task_target& to, Parts&&... parts)
      : Base(type, to, Derived::uses), call_(std::forward<Parts>(parts)...) {
    this->add_use();  // for the coroutine: end_coroutine lets go of it
  }

  static void run_call(job& self) noexcept {
    auto& me = static_cast<Derived&>(task::of(self));
    if (!me.create_frame()) {
      finish(me);
      me.let_go();
      return;
    }
    hold_coroutine(me);
    const auto frame = me.frame_.handle();
    frame.promise().begin(&on_end<coro_promise_base>, &me, me.stop_);
    resume_here(frame);
    end_first_step(me);
  }

 protected:
  ~coroutine_task() {}  // NOLINT(modernize-use-equals-default): finish ends the call

 private:
  template <class Promise>
  static std::coroutine_handle<> on_end(Promise& ended) noexcept {
    auto& me = *static_cast<Derived*>(ended.owner());
    me.keep_result_of(me.frame_.promise());
    finish(me);
    end_coroutine(me);
    return std::noop_coroutine();
  }

  // Calls the function. Returns false if it has thrown, or is not called.
  [[nodiscard]] bool create_frame() noexcept {
    auto& me = static_cast<Derived&>(*this);
    if (me.is_cancelled()) {
      me.keep_cancelled();
      me.report_cancelled();
      return false;
    }
#if defined(__cpp_exceptions)
    try {
#endif
      stop_ = this->stop_token();
      given_ = stop_;
      frame_ = call_.call_with(given_).release();
      return true;
#if defined(__cpp_exceptions)
    } catch (...) {
      me.keep_error(std::current_exception());
      return false;
    }
#endif
  }
  static void finish(Derived& me) noexcept {
    me.frame_ = frame_owner();
    me.call_.~Call();
    me.tell();
  }

  frame_owner frame_;
  std::stop_token stop_;   // the coroutine's
  std::stop_token given_;  // the function's, which may refer to it or take it away
  union {
    Call call_;
  };
};

template <class Call>
class spawned_coroutine : public coroutine_task<spawned_coroutine<Call>, task, Call> {
  using base = coroutine_task<spawned_coroutine, task, Call>;
  friend base;

 public:
  static constexpr std::uint32_t uses = task::uses_without_future;
  using base::base;

 private:
  void keep_cancelled() noexcept {}
  void keep_error(std::exception_ptr error) noexcept { error_ = std::move(error); }
  template <class Promise>
  void keep_result_of(Promise& ended) noexcept {
    error_ = ended.result.error();
  }
  void tell() noexcept {
    if (error_ != nullptr) report_coroutine_error(*this, std::move(error_));
  }

  std::exception_ptr error_;
};

template <class Call>
class submitted_coroutine
    : public coroutine_task<submitted_coroutine<Call>, promised<typename result_of_call<typename Call::result>::type>,
                            Call> {
  using value = typename result_of_call<typename Call::result>::type;
  using base = coroutine_task<submitted_coroutine, promised<value>, Call>;
  friend base;

 public:
  static constexpr std::uint32_t uses = task::uses_with_future;
  using base::base;

 private:
  using base::keep_cancelled;
  void keep_error(std::exception_ptr error) noexcept {
    const auto rethrow = [&](const task& /*self*/) -> value { std::rethrow_exception(std::move(error)); };
    base::keep_result_of(rethrow);
  }
  template <class Promise>
  void keep_result_of(Promise& ended) noexcept {
    if (const std::exception_ptr error = ended.result.error()) count_if_cancelled(*this, error);
    const auto take = [&](const task& /*self*/) -> value { return ended.result.take(); };
    base::keep_result_of(take);
  }
  void tell() noexcept { this->end().tell(); }
};

// With a std::promise for what the coroutine returns.
template <class Call>
class async_coroutine final : public coroutine_task<async_coroutine<Call>, task, Call> {
  using value = typename result_of_call<typename Call::result>::type;
  using base = coroutine_task<async_coroutine, task, Call>;
  friend base;

 public:
  static constexpr std::uint32_t uses = task::uses_without_future;
  template <class... Parts>
  async_coroutine(const job_class& type, const task_target& to, std::promise<value> promise, Parts&&... parts)
      : base(type, to, std::forward<Parts>(parts)...), promise_(std::move(promise)) {}

 private:
  void keep_cancelled() noexcept {}  // a promise that is broken says so
  void keep_error(const std::exception_ptr& error) noexcept { promise_.set_exception(error); }
  template <class Promise>
  void keep_result_of(Promise& ended) noexcept {
    const auto keep = [&] {
      if constexpr (std::is_void_v<value>) {
        ended.result.take();
        promise_.set_value();
      } else {
        promise_.set_value(ended.result.take());
      }
    };
#if defined(__cpp_exceptions)
    try {
      keep();
    } catch (...) {
      promise_.set_exception(std::current_exception());
    }
#else
    keep();
#endif
  }
  void tell() noexcept {}

  std::promise<value> promise_;
};

template <class Call, class... Parts>
auto async_coroutine_at(const task_target& to, Parts&&... parts) {
  using value = typename result_of_call<typename Call::result>::type;
  std::promise<value> promise;
  std::future<value> result = promise.get_future();
  async_coroutine<Call>* const work =
      make_task<async_coroutine<Call>>(to, std::move(promise), std::forward<Parts>(parts)...);
  if (work == nullptr) throw_no_memory();
  launch(*work);
  return result;
}

}  // namespace pilfer::detail
