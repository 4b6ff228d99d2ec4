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
    operations_.fetch_add(1, std::memory_order_relaxed);  // statistics
    return start_on_threads(wanted);
  }
  void note_inline(worker* /*self*/) noexcept override {
    operations_.fetch_add(1, std::memory_order_relaxed);   // statistics
    inline_done_.fetch_add(1, std::memory_order_relaxed);  // statistics
  }
  void count(statistics& into) const noexcept override {
    into.operations = operations_.load(std::memory_order_relaxed);    // statistics
    into.inline_done = inline_done_.load(std::memory_order_relaxed);  // statistics
  }

  void flush(worker& /*self*/) noexcept override {}
  std::size_t reap(worker& /*self*/) noexcept override { return 0; }
  std::size_t reap_others(worker& /*self*/) noexcept override { return 0; }
  [[nodiscard]] bool has_come(const worker& /*self*/) const noexcept override { return false; }
  [[nodiscard]] bool waits(const worker& /*self*/) const noexcept override { return false; }
  [[nodiscard]] others others_wait(const worker& /*self*/) const noexcept override { return others::nothing; }
  void sleep(worker& /*self*/, std::chrono::nanoseconds /*limit*/) noexcept override {}
  void kick(worker& /*sleeper*/) noexcept override {}

 private:
  ext::default_sync::atomic<std::uint64_t> operations_{0};
  ext::default_sync::atomic<std::uint64_t> inline_done_{0};
};

}  // namespace

std::unique_ptr<source> make_threads_source(const options& wanted, std::string description) {
  return std::make_unique<threads_source>(backend::threads, wanted, std::move(description));
}

}  // namespace pilfer::io::detail
