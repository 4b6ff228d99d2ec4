// Wrong calls of what makes a task.
#include <pilfer/pilfer.hpp>

namespace {

int twice(int n) { return 2 * n; }
void change(int& n) { ++n; }
struct no_callable {};
void go(pilfer::pool& pool, pilfer::task_group& group, const std::unique_ptr<int>& owner) {
  int number = 1;
  const auto two = [](int, int) {};
  const auto takes_owner = [](std::unique_ptr<int>) { return 1; };

  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  group.spawn(twice(1));
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  group.spawn(no_callable());
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  group.spawn(twice);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  group.spawn(twice, "text");
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  group.spawn(two, 1);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  group.spawn(change, number);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  group.spawn(takes_owner, owner);

  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  const int n = group.submit(twice(1)).get();
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  const auto n = group.submit(twice, nullptr).get();
  static_cast<void>(n + 1);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  auto later = group.submit(two, 1, 2, 3);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  const int n = group.submit(takes_owner, owner).get();

  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  auto later = pool.submit(twice);
  const int n = later.get() + 1;
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  auto later = pool.submit(change, number);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  auto later = pool.submit(takes_owner, owner);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  const int n = pilfer::submit(twice, no_callable()).get();
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  const int n = pilfer::submit(7).get();

  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  pool.detach(twice);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  pool.detach(no_callable(), 1);
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  pool.detach(takes_owner, owner);

  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  auto later = pool.async(twice);
  const int n = later.get() + 1;
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  const int n = pool.async(twice(1)).get();
  // refused: pilfer: a task calls f(args...) with copies, and cannot with these
  const int n = pool.async(takes_owner, owner).get();

  group.spawn(change, std::ref(number));
  pool.detach(takes_owner, std::make_unique<int>(1));

  // refused: pilfer: then calls next(value), next() after a future<void>, or next(future)
  pool.submit(twice, 1).then(two).get();
  // refused: pilfer: then calls next(value), next() after a future<void>, or next(future)
  auto later = pool.submit(twice, 1).then(twice(1));
  // refused: pilfer: then calls next(value), next() after a future<void>, or next(future)
  const int n = pool.submit([] {}).then(twice).get();
  // refused: pilfer: on_done calls f(future) or f()
  pool.submit(twice, 1).on_done(twice);
  // refused: pilfer: on_done calls f(future) or f()
  pool.submit(twice, 1).on_done([](auto call) { call(); }, two);
  // refused: pilfer: on_done calls f()
  group.on_done(twice);

  static_cast<void>(two);
}

}  // namespace

int main() {
  pilfer::pool pool;
  pilfer::task_group group(pool);
  go(pool, group, nullptr);
  return 0;
}
