#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/ext/queue_concept.hpp>

namespace pilfer::ext {
namespace {

// Writes down what it is asked, and has one public item.
class recorder {
 public:
  using item_type = std::uint64_t;
  static constexpr queue_traits traits{.name = "recorder",
                                       .order = queue_order::lifo,
                                       .bounded = true,
                                       .batch = true,
                                       .split = true,
                                       .requests = true,
                                       .random_start = true,
                                       .marks = true};

  recorder() = default;
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  [[nodiscard]] owner_handle<recorder> owner() noexcept { return owner_handle<recorder>(*this); }
  [[nodiscard]] thief_handle<recorder> thief() noexcept { return thief_handle<recorder>(*this); }
  [[nodiscard]] std::size_t capacity() const noexcept { return 1; }
  [[nodiscard]] std::size_t size_hint() const noexcept { return 11; }

  bool push(std::uint64_t item) { return said("push " + std::to_string(item)), item != 0; }
  std::optional<std::uint64_t> pop() { return said("pop"), private_item; }
  std::optional<std::uint64_t> pop_public() { return said("pop_public"), 22; }
  std::size_t expose(std::size_t n) { return said("expose"), n; }
  [[nodiscard]] std::size_t private_size() const { return 33; }
  steal_result<std::uint64_t> steal() { return said("steal"), steal_result<std::uint64_t>::of(44); }
  steal_result<std::uint64_t> steal_at(std::uint64_t random) {
    return said("steal_at " + std::to_string(random)), steal_status::lost;
  }
  batch_result steal_batch(std::span<std::uint64_t> out) {
    said("steal_batch");
    out[0] = 55;
    return {.status = steal_status::taken, .count = 1};
  }
  void request() { said("request"); }
  [[nodiscard]] std::uint64_t mark() const { return 88; }
  steal_result<std::uint64_t> steal_from(std::uint64_t mark) {
    return said("steal_from " + std::to_string(mark)), steal_status::empty;
  }
  [[nodiscard]] bool sample(std::uint64_t random) const { return random == 66; }

  void said(const std::string& what) { calls.push_back(what); }
  std::vector<std::string> calls;
  std::optional<std::uint64_t> private_item;
};
static_assert(work_stealing_queue<recorder>);

TEST(queue_concept, handles_pass_every_operation_on) {
  recorder queue;
  auto owner = queue.owner();
  EXPECT_TRUE(owner.push(1));
  EXPECT_FALSE(owner.push(0));
  EXPECT_EQ(owner.pop_public(), 22U);
  EXPECT_EQ(owner.expose(3), 3U);
  EXPECT_EQ(owner.private_size(), 33U);
  EXPECT_EQ(owner.size_hint(), 11U);

  const auto thief = queue.thief();
  auto copy = thief;  // handles are pointers
  EXPECT_EQ(*copy.steal(), 44U);
  EXPECT_EQ(copy.steal_at(77).status(), steal_status::lost);
  std::uint64_t item = 0;
  EXPECT_TRUE(copy.steal_batch({&item, 1}));
  EXPECT_EQ(item, 55U);
  copy.request();
  EXPECT_EQ(copy.steal_from(owner.mark()).status(), steal_status::empty);
  EXPECT_TRUE(thief.sample(66));
  EXPECT_FALSE(thief.sample(67));
  EXPECT_EQ(thief.size_hint(), 11U);
  EXPECT_EQ(queue.calls, (std::vector<std::string>{"push 1", "push 0", "pop_public", "expose", "steal", "steal_at 77",
                                                   "steal_batch", "request", "steal_from 88"}));
}

TEST(queue_concept, take_looks_at_the_public_part_only_when_the_private_one_is_empty) {
  recorder queue;
  queue.private_item = 5;
  EXPECT_EQ(queue.owner().take(), 5U);
  EXPECT_EQ(queue.calls, std::vector<std::string>{"pop"});
  queue.private_item.reset();
  EXPECT_EQ(queue.owner().take(), 22U);
  EXPECT_EQ(queue.calls, (std::vector<std::string>{"pop", "pop", "pop_public"}));
}

// Without the traits, the handles do not have the operations.
struct plain_queue {
  using item_type = std::uint64_t;
  static constexpr queue_traits traits{.name = "plain", .order = queue_order::fifo, .bounded = false};
};
template <class Owner>
concept can_expose = requires(Owner owner) { owner.expose(1); };
template <class Owner>
concept can_pop_public = requires(Owner owner) { owner.pop_public(); };
template <class Thief>
concept can_request = requires(Thief thief) { thief.request(); };
template <class Thief>
concept can_batch = requires(Thief thief) { thief.steal_batch({}); };
template <class Thief>
concept can_choose = requires(Thief thief) { thief.steal_at(1); };
template <class Owner>
concept can_mark = requires(Owner owner) { owner.mark(); };
template <class Thief>
concept can_steal_from = requires(Thief thief) { thief.steal_from(1); };
static_assert(can_mark<owner_handle<recorder>> && !can_mark<owner_handle<plain_queue>>);
static_assert(can_steal_from<thief_handle<recorder>> && !can_steal_from<thief_handle<plain_queue>>);
static_assert(can_expose<owner_handle<recorder>> && !can_expose<owner_handle<plain_queue>>);
static_assert(can_pop_public<owner_handle<recorder>> && !can_pop_public<owner_handle<plain_queue>>);
static_assert(can_request<thief_handle<recorder>> && !can_request<thief_handle<plain_queue>>);
static_assert(can_batch<thief_handle<recorder>> && !can_batch<thief_handle<plain_queue>>);
static_assert(can_choose<thief_handle<recorder>> && !can_choose<thief_handle<plain_queue>>);

// What is no queue: no operations, and a queue that can be copied.
class copyable : public recorder {
 public:
  copyable() = default;
  copyable(const copyable&) : recorder() {}
};
static_assert(!work_stealing_queue<plain_queue> && !work_stealing_queue<copyable>);

}  // namespace
}  // namespace pilfer::ext
