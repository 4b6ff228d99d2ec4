// The signal by which a thief asks: choice and return of the signal, delivery to the right thread and lane, and every way in
// which a signal may come late.
#include "research/signal_exposure.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/queue/split_deque.hpp>

#include "memory_orders.hpp"
#include "support/environment.hpp"
#include "support/items.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using pilfer::research::signal_exposure;
using pilfer::research::signal_mailbox;
using shared_word = ext::default_sync::atomic<std::uint32_t>;

// A "queue" that counts how often its handler came, and where.
struct counter {
  shared_word calls{0, "calls"};
  shared_word foreign{0, "foreign"};  // on a thread that is not the owner's
  ext::default_sync::atomic<std::uint64_t> owner{0, "owner"};
  signal_mailbox* answers = nullptr;

  [[nodiscard]] static std::uint64_t this_thread() noexcept { return static_cast<std::uint64_t>(::pthread_self()); }
  static void expose(void* queue) noexcept {
    auto& self = *static_cast<counter*>(queue);
    if (self.owner.load(relaxed) != this_thread()) self.foreign.store(1, relaxed);
    errno = EDOM;
    if (self.answers != nullptr) self.answers->answered();
    self.calls.store(self.calls.load(relaxed) + 1, release);
  }
  void bind(signal_mailbox& mailbox) {
    owner.store(this_thread(), relaxed);
    mailbox.bind({&counter::expose, this});
  }
  [[nodiscard]] std::uint32_t count() const { return calls.load(acquire); }
};

// ThreadSanitizer holds signals back until the thread calls something.
template <class Condition>
[[nodiscard]] bool soon(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::usleep(100);
  }
  return true;
}
void let_signals_in() { ::usleep(2000); }

[[nodiscard]] struct sigaction action_of(int signal) {
  struct sigaction action{};
  EXPECT_EQ(::sigaction(signal, nullptr, &action), 0);
  return action;
}
[[nodiscard]] bool is_default(int signal) {
  const struct sigaction action = action_of(signal);
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}
void ignore_it(int /*signal*/) {}

// The program's own handler for a signal, as long as this lives.
class taken_signal {
 public:
  explicit taken_signal(int signal) : signal_(signal) {
    struct sigaction action{};
    action.sa_handler = ignore_it;
    ::sigemptyset(&action.sa_mask);
    EXPECT_EQ(::sigaction(signal_, &action, &old_), 0);
  }
  ~taken_signal() { ::sigaction(signal_, &old_, nullptr); }
  taken_signal(const taken_signal&) = delete;
  taken_signal& operator=(const taken_signal&) = delete;

 private:
  int signal_;
  struct sigaction old_{};
};

class environment_variable {
 public:
  explicit environment_variable(const std::string& value) { ::setenv("PILFER_SIGNAL", value.c_str(), 1); }
  ~environment_variable() { ::unsetenv("PILFER_SIGNAL"); }
  environment_variable(const environment_variable&) = delete;
  environment_variable& operator=(const environment_variable&) = delete;
};

template <class Error>
void expect_refused(const std::vector<std::string>& parts) {
  try {
    const signal_exposure exposure;
    ADD_FAILURE() << "accepted signal " << exposure.signal_number();
  } catch (const Error& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << " lacks " << part;
    }
  }
}

TEST(signal_exposure, takes_a_free_real_time_signal_and_gives_it_back) {
  int number = 0;
  {
    const signal_exposure exposure;
    number = exposure.signal_number();
    EXPECT_GE(number, SIGRTMIN);
    EXPECT_LE(number, SIGRTMAX);
    EXPECT_FALSE(is_default(number));
    EXPECT_NE(action_of(number).sa_flags & SA_RESTART, 0);
  }
  EXPECT_TRUE(is_default(number));
}

TEST(signal_exposure, is_shared_until_the_last_user_is_gone) {
  auto first = std::make_unique<signal_exposure>();
  auto second = std::make_unique<signal_exposure>();
  const int number = first->signal_number();
  EXPECT_EQ(second->signal_number(), number);
  first.reset();
  EXPECT_FALSE(is_default(number));
  second.reset();
  EXPECT_TRUE(is_default(number));
}

TEST(signal_exposure, leaves_the_programs_signals_alone) {
  std::vector<std::unique_ptr<taken_signal>> mine;
  for (int i = 0; i < 3; ++i) {  // whatever it would take next
    const int number = signal_exposure().signal_number();
    mine.push_back(std::make_unique<taken_signal>(number));
    const signal_exposure exposure;
    EXPECT_NE(exposure.signal_number(), number);
    EXPECT_EQ(action_of(number).sa_handler, ignore_it);
  }
}

TEST(signal_exposure, prefers_a_signal_that_is_not_blocked) {
  const int number = signal_exposure().signal_number();
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, number);
  ::pthread_sigmask(SIG_BLOCK, &one, nullptr);  // as for sigwait
  EXPECT_NE(signal_exposure().signal_number(), number);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

TEST(signal_exposure, takes_a_blocked_signal_where_all_are) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  EXPECT_GE(signal_exposure().signal_number(), SIGRTMIN);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(signal_exposure, says_when_no_signal_is_free) {
  std::vector<std::unique_ptr<taken_signal>> all;
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) all.push_back(std::make_unique<taken_signal>(signal));
  expect_refused<std::runtime_error>({"every real-time signal"});
}

TEST(signal_exposure, obeys_the_environment) {
  const environment_variable chosen(std::to_string(SIGRTMIN + 5));
  EXPECT_EQ(signal_exposure().signal_number(), SIGRTMIN + 5);
  EXPECT_TRUE(is_default(SIGRTMIN + 5));
}

TEST(signal_exposure, refuses_a_bad_environment) {
  for (const std::string& text : {std::string("0"), std::string("-1"), std::to_string(SIGUSR1), std::string("100000"),
                                  std::string("99999999999999999999"), std::string(""), std::string("SIGRTMIN"),
                                  std::to_string(SIGRTMAX) + "x", " " + std::to_string(SIGRTMAX)}) {
    const environment_variable chosen(text);
    expect_refused<std::invalid_argument>({"PILFER_SIGNAL", "'" + text + "'", std::to_string(SIGRTMAX)});
  }
}

TEST(signal_exposure, refuses_a_chosen_signal_that_is_taken) {
  const taken_signal mine(SIGRTMIN + 7);
  const environment_variable chosen(std::to_string(SIGRTMIN + 7));
  expect_refused<std::runtime_error>({"PILFER_SIGNAL", std::to_string(SIGRTMIN + 7), "in use"});
  EXPECT_EQ(action_of(SIGRTMIN + 7).sa_handler, ignore_it);
}

TEST(signal_exposure, does_not_take_away_what_the_program_installed_meanwhile) {
  auto exposure = std::make_unique<signal_exposure>();
  const int number = exposure->signal_number();
  struct sigaction action{};
  action.sa_handler = ignore_it;
  ::sigaction(number, &action, nullptr);
  exposure.reset();
  EXPECT_EQ(action_of(number).sa_handler, ignore_it);
  action.sa_handler = SIG_DFL;
  ::sigaction(number, &action, nullptr);
}

TEST(signal_exposure, many_threads_come_and_go) {
  const int number = signal_exposure().signal_number();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (std::size_t n = 0; more_stress(n, 500); ++n) {
        const signal_exposure exposure;
        EXPECT_GE(exposure.signal_number(), SIGRTMIN);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_TRUE(is_default(number));
}

// An owner on a thread of its own, which does nothing but be there.
class idle_owner {
 public:
  explicit idle_owner(std::vector<signal_mailbox*> mailboxes) : lanes_(mailboxes.size()) {
    thread_ = std::thread([this, mailboxes] {
      for (std::size_t i = 0; i < mailboxes.size(); ++i) lanes_[i].bind(*mailboxes[i]);
      ready_.store(1, release);
      while (stop_.load(acquire) == 0) ::usleep(50);
      for (std::size_t i = mailboxes.size(); i-- > 0;) mailboxes[i]->unbind();
    });
    EXPECT_TRUE(soon([this] { return ready_.load(acquire) != 0; }));
  }
  ~idle_owner() { leave(); }
  idle_owner(const idle_owner&) = delete;
  idle_owner& operator=(const idle_owner&) = delete;

  void leave() {
    stop_.store(1, release);
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] counter& lane(std::size_t i = 0) { return lanes_[i]; }

 private:
  std::vector<counter> lanes_;
  shared_word ready_{0, "ready"};
  shared_word stop_{0, "stop"};
  std::thread thread_;
};

TEST(signal_mailbox, the_handler_runs_on_the_owners_thread) {
  const signal_exposure exposure;
  signal_mailbox mailbox;
  idle_owner owner({&mailbox});
  EXPECT_TRUE(mailbox.request());
  EXPECT_TRUE(soon([&] { return owner.lane().count() == 1; }));
  EXPECT_EQ(owner.lane().foreign.load(relaxed), 0U);
}

TEST(signal_mailbox, a_storm_of_requests_is_one_signal_until_it_is_answered) {
  const signal_exposure exposure;
  signal_mailbox mailbox;
  idle_owner owner({&mailbox});
  for (std::uint32_t round = 1; round <= 3; ++round) {
    int sent = 0;
    for (int i = 0; i < 100; ++i) sent += mailbox.request() ? 1 : 0;
    EXPECT_EQ(sent, 1);
    EXPECT_TRUE(soon([&] { return owner.lane().count() == round; }));
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(mailbox.request()) << "handled, but not answered";
    let_signals_in();
    EXPECT_EQ(owner.lane().count(), round);
    mailbox.answered();
  }
}

TEST(signal_mailbox, many_thieves_send_one_signal) {
  const signal_exposure exposure;
  signal_mailbox mailbox;
  idle_owner owner({&mailbox});
  shared_word sent{0, "sent"};
  std::vector<std::thread> thieves;
  for (int i = 0; i < 4; ++i) {
    thieves.emplace_back([&] {
      for (int n = 0; n < 100; ++n) {
        if (mailbox.request()) sent.fetch_add(1, relaxed);
      }
    });
  }
  for (std::thread& t : thieves) t.join();
  EXPECT_EQ(sent.load(relaxed), 1U);
  EXPECT_TRUE(soon([&] { return owner.lane().count() == 1; }));
}

TEST(signal_mailbox, sends_nothing_when_nobody_is_bound) {
  const signal_exposure exposure;
  signal_mailbox mailbox;
  EXPECT_FALSE(mailbox.request());
  idle_owner owner({&mailbox});
  EXPECT_TRUE(mailbox.request());
  EXPECT_TRUE(soon([&] { return owner.lane().count() == 1; }));
  owner.leave();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(mailbox.request());
  EXPECT_EQ(owner.lane().count(), 1U);
  idle_owner next({&mailbox});
  EXPECT_TRUE(mailbox.request()) << "an unanswered request of the last owner is none of the next one's";
  EXPECT_TRUE(soon([&] { return next.lane().count() == 1; }));
}

TEST(signal_mailbox, a_signal_from_elsewhere_is_ignored) {
  const signal_exposure exposure;
  ::raise(exposure.signal_number());  // nothing bound
  signal_mailbox mailbox;
  counter lane;
  lane.bind(mailbox);
  ::raise(exposure.signal_number());
  let_signals_in();
  EXPECT_EQ(lane.count(), 0U) << "nobody asked";
  mailbox.unbind();
  ::raise(exposure.signal_number());
  let_signals_in();
  EXPECT_EQ(lane.count(), 0U);
}

// A signal that is still pending when the last user goes must not meet the default action, which ends the program.
TEST(signal_mailbox, a_pending_signal_does_not_outlive_the_handler) {
  auto exposure = std::make_unique<signal_exposure>();
  const int number = exposure->signal_number();
  signal_mailbox mailbox;
  counter lane;
  lane.bind(mailbox);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, number);
  ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
  EXPECT_TRUE(mailbox.request());
  mailbox.unbind();
  exposure.reset();
  ASSERT_TRUE(is_default(number));
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  let_signals_in();
  EXPECT_EQ(lane.count(), 0U);
}

[[nodiscard]] bool is_blocked(int signal) {
  sigset_t now;
  ::sigemptyset(&now);
  ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return ::sigismember(&now, signal) == 1;
}

TEST(signal_mailbox, lets_the_signal_in_and_restores_the_mask) {
  const signal_exposure exposure;
  const int number = exposure.signal_number();
  signal_mailbox outer;
  signal_mailbox inner;
  counter lane;
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, number);
  for (const bool blocked : {false, true}) {
    for (const bool in_order : {true, false}) {
      ::pthread_sigmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &one, nullptr);
      lane.bind(outer);
      EXPECT_FALSE(is_blocked(number));
      lane.bind(inner);
      (in_order ? inner : outer).unbind();
      EXPECT_FALSE(is_blocked(number)) << "a lane is bound";
      (in_order ? outer : inner).unbind();
      EXPECT_EQ(is_blocked(number), blocked);
    }
  }
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

TEST(signal_mailbox, nested_lanes_are_exposed_one_by_one) {
  const signal_exposure exposure;
  signal_mailbox outer;
  signal_mailbox middle;
  signal_mailbox inner;
  idle_owner owner({&outer, &middle, &inner});
  EXPECT_TRUE(outer.request());
  EXPECT_TRUE(soon([&] { return owner.lane(0).count() == 1; }));
  EXPECT_TRUE(inner.request());
  EXPECT_TRUE(soon([&] { return owner.lane(2).count() == 1; }));
  EXPECT_EQ(owner.lane(1).count(), 0U) << "nobody asked it";
  EXPECT_TRUE(middle.request());
  EXPECT_TRUE(soon([&] { return owner.lane(1).count() == 1; }));
  EXPECT_EQ(owner.lane(0).count(), 1U);
  EXPECT_EQ(owner.lane(2).count(), 1U);
}

TEST(signal_mailbox, lanes_may_end_in_any_order) {
  const signal_exposure exposure;
  for (std::size_t first = 0; first < 3; ++first) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{2}}) {
      signal_mailbox boxes[3];
      counter lanes[3];
      for (std::size_t i = 0; i < 3; ++i) lanes[i].bind(boxes[i]);
      for (std::size_t ended = 0; ended < 3; ++ended) {
        boxes[(first + ended * step) % 3].unbind();
        for (std::size_t rest = ended + 1; rest < 3; ++rest) {
          const std::size_t i = (first + rest * step) % 3;
          const std::uint32_t before = lanes[i].count();
          ASSERT_TRUE(boxes[i].request());
          EXPECT_TRUE(soon([&] { return lanes[i].count() == before + 1; })) << "lane " << i;
          boxes[i].answered();
        }
      }
      for (signal_mailbox& box : boxes) EXPECT_FALSE(box.request());
    }
  }
}

TEST(signal_mailbox, errno_survives_the_handler) {
  const signal_exposure exposure;
  signal_mailbox mailbox;
  counter lane;
  lane.bind(mailbox);
  int last = 0;
  shared_word over{0, "over"};
  std::thread thief([&] {
    while (lane.count() < 20) {  // on a busy machine several requests are one signal
      errno = ENOENT;
      static_cast<void>(mailbox.request());
      EXPECT_EQ(errno, ENOENT) << "the thief's";
      ::usleep(200);
      mailbox.answered();
    }
    over.store(1, release);
  });
  while (over.load(acquire) == 0 && last == 0) {
    errno = ERANGE;
    for (int i = 0; i < 10000; ++i) {
      if (errno != ERANGE) last = errno;
    }
    if (under_tsan) ::usleep(1);
  }
  thief.join();
  mailbox.unbind();
  EXPECT_EQ(last, 0);
}

TEST(signal_mailbox, a_read_goes_on_after_a_signal) {
  const signal_exposure exposure;
  signal_mailbox mailbox;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  counter lane;
  shared_word ready{0, "ready"};
  ssize_t got = 0;
  int error = 0;
  std::thread owner([&] {
    lane.bind(mailbox);
    ready.store(1, release);
    char byte = 0;
    got = ::read(ends[0], &byte, 1);
    error = errno;
    mailbox.unbind();
  });
  ASSERT_TRUE(soon([&] { return ready.load(acquire) != 0; }));
  ::usleep(20000);  // now it sleeps in read
  for (std::uint32_t round = 1; round <= 5; ++round) {
    ASSERT_TRUE(mailbox.request());
    EXPECT_TRUE(soon([&] { return lane.count() == round; }));
    mailbox.answered();
  }
  const char byte = 'x';
  ASSERT_EQ(::write(ends[1], &byte, 1), 1);
  owner.join();
  EXPECT_EQ(got, 1) << "errno " << error;
  ::close(ends[0]);
  ::close(ends[1]);
}

// Owners come and go, each on a thread that ends at once, while a thief asks all the time.
TEST(signal_mailbox, threads_that_end_are_never_hit) {
  const watchdog dog(std::chrono::seconds(120), "signals", describe_seed);
  auto exposure = std::make_unique<signal_exposure>();
  signal_mailbox mailbox;
  shared_word stop{0, "stop"};
  std::uint64_t sent = 0;
  std::thread thief([&] {
    while (stop.load(acquire) == 0) {
      if (mailbox.request()) ++sent;
    }
  });
  counter lane;
  lane.answers = &mailbox;
  for (int round = 0; round < 1000; ++round) {
    std::thread owner([&] {
      lane.bind(mailbox);
      if (round % 3 == 0) ::usleep(20);
      mailbox.unbind();
      // A late signal may still come here, while the thread ends.
    });
    owner.join();
  }
  stop.store(1, release);
  thief.join();
  exposure.reset();
  EXPECT_LE(lane.count(), sent);
  EXPECT_EQ(lane.foreign.load(relaxed), 0U);
  RecordProperty("sent", static_cast<int>(sent));
  EXPECT_GT(sent, 0U);
}

// The same on a thread that lives on, as a caller from outside does: its lane and all of the handler go away under it.
TEST(signal_mailbox, a_thread_outlives_its_lanes) {
  const watchdog dog(std::chrono::seconds(120), "signals", describe_seed);
  for (std::size_t round = 0; more_stress(round, 300); ++round) {
    const auto exposure = std::make_unique<signal_exposure>();
    signal_mailbox mailbox;
    shared_word stop{0, "stop"};
    counter lane;
    lane.answers = &mailbox;
    lane.bind(mailbox);
    std::thread thief([&] {
      while (stop.load(acquire) == 0) static_cast<void>(mailbox.request());
    });
    if (round % 2 == 0) ::usleep(50);
    mailbox.unbind();
    stop.store(1, release);
    thief.join();
  }
}

// All together: a signal-safe deque, whose thief asks through the mailbox.
TEST(signal_mailbox, exposes_work_of_a_busy_owner) {
  const watchdog dog(std::chrono::seconds(120), "signals", describe_seed);
  using deque = queue::signal_safe_split_deque<item8>;
  const signal_exposure exposure;
  struct lane_of_a_pool {
    deque queue{64};
    signal_mailbox mailbox;
    static void expose(void* self) noexcept {
      auto& lane = *static_cast<lane_of_a_pool*>(self);
      lane.queue.owner().expose(1);
      lane.mailbox.answered();
    }
  };
  lane_of_a_pool lane;
  lane.mailbox.bind({&lane_of_a_pool::expose, &lane});
  constexpr std::uint64_t items = 32;
  for (std::uint64_t id = 0; id < items; ++id) ASSERT_TRUE(lane.queue.owner().push(make_item<item8>(id)));
  shared_word done{0, "done"};
  std::uint64_t stolen = 0;
  std::thread thief([&] {
    while (stolen < items / 2) {
      const auto got = lane.queue.thief().steal();
      if (got) {
        EXPECT_EQ(id_of(*got), stolen);
        ++stolen;
      } else if (got.status() == ext::steal_status::private_work) {
        static_cast<void>(lane.mailbox.request());
      }
    }
    done.store(1, release);
  });
  while (done.load(acquire) == 0) {
    if (under_tsan) ::usleep(1);  // a long leaf: no push, no pop
  }
  thief.join();
  lane.mailbox.unbind();
  std::uint64_t rest = 0;
  while (lane.queue.owner().take()) ++rest;
  EXPECT_EQ(rest + stolen, items);
}

}  // namespace
}  // namespace pilfer::test
