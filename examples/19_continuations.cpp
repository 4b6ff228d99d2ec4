// A main thread that never waits: tasks go on with each other's results, and the last step comes back to the main thread's own loop.
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <queue>
#include <string>
#include <utility>

#include <pilfer/pilfer.hpp>

namespace {

// Stands for the loop of a window system: it runs what other threads post, one call after the other.
class main_loop {
 public:
  void post(std::function<void()> call) {
    {
      const std::lock_guard lock(mutex_);
      calls_.push(std::move(call));
    }
    posted_.notify_one();
  }
  void run_one() {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return !calls_.empty(); });
    const auto next = std::move(calls_.front());
    calls_.pop();
    lock.unlock();
    next();
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::queue<std::function<void()>> calls_;
};

std::string load(int page) { return "page " + std::to_string(page); }
std::size_t measure(const std::string& text) { return text.size(); }

}  // namespace

int main() {
  constexpr int pages = 100;
  main_loop loop;
  std::size_t letters = 0;  // only the main thread touches it
  pilfer::pool pool;

  const auto post = [&](std::function<void()> call) { loop.post(std::move(call)); };
  for (int page = 0; page < pages; ++page) {
    pool.submit(load, page).then(measure).on_done(post, [&](pilfer::future<std::size_t> done) {
      letters += done.get();
    });
  }
  for (int left = pages; left != 0; --left) loop.run_one();

  std::printf("%d pages of %zu letters\n", pages, letters);
  return letters == 10 * 6 + 90 * 7 ? 0 : 1;
}
