// A pool without io_uring: its operations go to the threads, which resume coroutines from outside.
#include "source.hpp"
#include "threads.hpp"

namespace pilfer::io::detail {

namespace {

class threads_source final : public source {
 public:
  using source::source;
  using worker = pilfer::detail::worker;

  bool start(worker* /*self*/, operation& wanted) noexcept override {
    operations_.add();
    return start_on_threads(wanted);
  }
  void note_inline(worker* /*self*/) noexcept override {
    operations_.add();
    inline_done_.add();
  }
  void count(statistics& into) const noexcept override {
    into.operations = operations_.value();
    into.inline_done = inline_done_.value();
  }

  void flush(worker& /*self*/) noexcept override {}
  std::size_t reap(worker& /*self*/) noexcept override { return 0; }
  std::size_t reap_others(worker& /*self*/) noexcept override { return 0; }
  [[nodiscard]] bool has_come(const worker& /*self*/) const noexcept override { return false; }
  [[nodiscard]] bool waits(const worker& /*self*/) const noexcept override { return false; }
  [[nodiscard]] others others_wait(const worker& /*self*/) const noexcept override { return others::nothing; }
  void sleep(worker& /*self*/, std::chrono::nanoseconds /*limit*/) noexcept override {}
  void kick(pilfer::detail::worker_face& /*sleeper*/) noexcept override {}

 private:
  shared_counter operations_;
  shared_counter inline_done_;
};

}  // namespace

std::unique_ptr<source> make_threads_source(const options& wanted, std::string description) {
  return std::make_unique<threads_source>(backend::threads, wanted, std::move(description));
}

}  // namespace pilfer::io::detail
