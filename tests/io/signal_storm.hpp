// Signals that interrupt system calls: a handler without SA_RESTART, and a thread that sends them to all others.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>

namespace pilfer::test {

class signal_storm {
 public:
  signal_storm() {
    struct sigaction action{};
    action.sa_handler = [](int) { received.fetch_add(1, std::memory_order_relaxed); };
    sigemptyset(&action.sa_mask);
    action.sa_flags = 0;  // not SA_RESTART
    if (::sigaction(SIGUSR2, &action, nullptr) != 0) throw std::runtime_error("sigaction");
    received = 0;
    thread_ = std::thread([this] { blow(); });
  }
  signal_storm(const signal_storm&) = delete;
  signal_storm& operator=(const signal_storm&) = delete;
  ~signal_storm() {
    over_ = true;
    thread_.join();
    std::signal(SIGUSR2, SIG_IGN);  // not as before: one that is still on its way would end the process
  }
  [[nodiscard]] static std::uint64_t hits() { return received; }

 private:
  void blow() const {
    const pid_t process = ::getpid();
    const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!over_) {
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
        const auto thread = static_cast<pid_t>(std::atol(entry.path().filename().c_str()));
        if (thread != self) ::syscall(SYS_tgkill, process, thread, SIGUSR2);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  static inline std::atomic<std::uint64_t> received = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;  // last: the thread uses the others
};

}  // namespace pilfer::test
