#include "system_thread.hpp"

#include <unistd.h>

#include <memory>
#include <system_error>
#include <utility>

namespace pilfer::detail {

namespace {

using body_type = std::function<void()>;

void* run_body(void* given) noexcept {
  const std::unique_ptr<body_type> body(static_cast<body_type*>(given));
  (*body)();
  return nullptr;
}

class attributes : immovable {
 public:
  attributes() {
    if (const int error = ::pthread_attr_init(&all_); error != 0) fail(error);
  }
  ~attributes() { ::pthread_attr_destroy(&all_); }

  void set_stack(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (const int error = ::pthread_attr_setstacksize(&all_, (bytes + page - 1) / page * page); error != 0) fail(error);
  }
  [[nodiscard]] const pthread_attr_t* get() const noexcept { return &all_; }

  [[noreturn]] static void fail(int error) {
    throw std::system_error(error, std::generic_category(), "pilfer: a thread");
  }

 private:
  pthread_attr_t all_{};
};

}  // namespace

system_thread::system_thread(std::size_t stack_bytes, body_type body) {
  attributes wanted;
  if (stack_bytes != 0) wanted.set_stack(stack_bytes);
  auto kept = std::make_unique<body_type>(std::move(body));
  body_type* const given = kept.release();  // the thread's, if there is one
  if (const int error = ::pthread_create(&native_, wanted.get(), &run_body, given); error != 0) {
    kept.reset(given);
    attributes::fail(error);
  }
}

void system_thread::join() noexcept { ::pthread_join(native_, nullptr); }

std::string numbered_name(std::string_view base, unsigned number) {
  const std::string tail = '/' + std::to_string(number);
  const auto is_inside_character = [](char each) { return (static_cast<unsigned char>(each) & 0xc0U) == 0x80U; };
  std::size_t length = base.size();
  if (length + tail.size() > most_name_bytes) {
    length = most_name_bytes - tail.size();
    while (length != 0 && is_inside_character(base[length])) --length;
  }
  return std::string(base.substr(0, length)) + tail;
}

void name_this_thread(const char* name) noexcept { ::pthread_setname_np(::pthread_self(), name); }

}  // namespace pilfer::detail
