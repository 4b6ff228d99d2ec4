// A task whose result is for a std::future.
#pragma once

#include <exception>
#include <future>
#include <type_traits>
#include <utility>

#include <pilfer/detail/task.hpp>

namespace pilfer::detail {

[[nodiscard]] std::exception_ptr make_task_cancelled() noexcept;

// A call that keeps its result there: task_cancelled, if it is destroyed and was not called.
template <class Call>
class promising_call {
 public:
  using result = typename Call::result;
  template <class... Parts>
  explicit promising_call(std::promise<result> promise, Parts&&... parts)
      : promise_(std::move(promise)), call_(std::forward<Parts>(parts)...) {}
  promising_call(const promising_call&) = delete;
  promising_call& operator=(const promising_call&) = delete;
  ~promising_call() {
    if (!was_called_) promise_.set_exception(make_task_cancelled());
  }

  void operator()(const task& self) {
    was_called_ = true;
#if defined(__cpp_exceptions)
    try {
      keep_result(self);
    } catch (...) {
      promise_.set_exception(std::current_exception());
    }
#else
    keep_result(self);
#endif
  }

 private:
  void keep_result(const task& self) {
    if constexpr (std::is_void_v<result>) {
      call_(self);
      promise_.set_value();
    } else {
      promise_.set_value(call_(self));
    }
  }

  bool was_called_ = false;
  std::promise<result> promise_;
  Call call_;
};

// Throws too_many_tasks, std::bad_alloc: nothing ran.
template <class Call, class... Parts>
std::future<typename Call::result> async_task(const task_target& to, Parts&&... parts) {
  std::promise<typename Call::result> promise;
  auto result = promise.get_future();
  auto* const work =
      make_task<spawned_task<promising_call<Call>>>(to, std::move(promise), std::forward<Parts>(parts)...);
  if (work == nullptr) throw_no_memory();
  launch(*work);
  return result;
}

}  // namespace pilfer::detail
