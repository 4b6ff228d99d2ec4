// Wrong calls of loops, and of what writes or combines in a loop.
#include <pilfer/pilfer.hpp>

#include <forward_list>
#include <list>
#include <map>
#include <string>

namespace {

struct other {};
void go(std::vector<int>& v, std::list<int>& list, const std::vector<std::string>& texts, other odd) {
  const auto one = [](int n) { return n; };
  const auto two = [](int a, int b) { return a + b; };
  const auto text = [](const std::string&) {};
  std::map<int, int> map;
  std::vector<int> out(v.size());

  // refused: pilfer: parallel_for calls f(i) with each index i, and this f cannot be called so
  pilfer::parallel_for(0, 3, text);
  // refused: pilfer: parallel_for calls f(i)
  pilfer::parallel_for(0, 3, two, {.grain = 1});
  // refused: pilfer: parallel_for calls f(i)
  pilfer::parallel_for(0, 3, 3);
  // refused: pilfer: parallel_for over a blocked_range calls f(block), and this f cannot be called so
  pilfer::parallel_for(pilfer::blocked_range(0, 3), one);
  // refused: pilfer: parallel_for over a blocked_range2d calls f(block), and this f cannot be called so
  pilfer::parallel_for(pilfer::blocked_range2d(0, 3, 0, 3), two);
  // refused: pilfer: parallel_for over a blocked_range2d calls f(block)
  pilfer::parallel_for(pilfer::blocked_range2d(0, 3, 0, 3), odd, {.grain = 2});
  // refused: pilfer: parallel_for takes (first, last, f) with two integers, (blocked_range, f) or (blocked_range2d, f)
  pilfer::parallel_for(v, one);
  // refused: pilfer: parallel_for takes
  pilfer::parallel_for(0.0, 1.0, one);
  // refused: pilfer: parallel_for takes
  pilfer::parallel_for(3, one);
  // refused: pilfer: parallel_for takes
  pilfer::parallel_for(v.begin(), v.end(), one);
  // refused: pilfer: parallel_for takes
  pilfer::parallel_for();
  // refused: pilfer: parallel_for takes
  pilfer::parallel_for(0, 3, one, 7);
  // refused: pilfer: parallel_for takes
  pilfer::parallel_for(pilfer::blocked_range2d(0, 3, 0, 3), one, 7);

  // refused: pilfer: parallel_for_each calls f(x) with each element x, and this f cannot be called so
  pilfer::parallel_for_each(v, text);
  // refused: pilfer: parallel_for_each calls f(x)
  pilfer::parallel_for_each(v.begin(), v.end(), odd);
  // refused: pilfer: parallel_for_each calls f(x)
  pilfer::parallel_for_each(texts, [](std::string&) {});
  // refused: pilfer: an algorithm needs random access to a range that knows its size; copy a list, a map or a generator to a
  pilfer::parallel_for_each(list, one);
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_for_each(list.begin(), list.end(), one);
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_for_each(map, one);
  // refused: pilfer: parallel_for_each takes (range, f) or (first, last, f) with two iterators
  pilfer::parallel_for_each(3, one);
  // refused: pilfer: parallel_for_each takes
  pilfer::parallel_for_each(0, 3, one);
  // refused: pilfer: parallel_for_each takes
  pilfer::parallel_for_each(v);
  // refused: pilfer: parallel_for_each takes
  pilfer::parallel_for_each(v.begin(), texts.end(), one);

  // refused: pilfer: parallel_transform calls f(x) with each element, or f(x, y) with those of two inputs
  pilfer::parallel_transform(v, out.begin(), two);
  // refused: pilfer: parallel_transform calls f(x)
  const auto end = pilfer::parallel_transform(v.begin(), v.end(), out.begin(), text) - out.begin();
  // refused: pilfer: parallel_transform calls f(x)
  pilfer::parallel_transform(v, v, out.begin(), one);
  // refused: pilfer: parallel_transform assigns what f returns to the elements of the output, and they cannot be assigned that
  pilfer::parallel_transform(texts, out.begin(), text);
  // refused: pilfer: parallel_transform assigns
  pilfer::parallel_transform(v, v.cbegin(), one);
  // refused: pilfer: parallel_transform takes (in, out.begin(), f), (in1, in2, out.begin(), f) or (first, last, out.begin(), f)
  pilfer::parallel_transform(v, out, one);
  // refused: pilfer: several threads write the output at once; make the container large enough and hand over its begin()
  pilfer::parallel_transform(v, std::back_inserter(out), one);
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_transform(v, list, out.begin(), two);
  // refused: pilfer: an algorithm needs random access
  const auto end = pilfer::parallel_transform(list, out.begin(), one);
  if (end == out.end()) return;

  // refused: pilfer: parallel_copy assigns elements of the input to those of the output, which cannot be assigned so
  pilfer::parallel_copy(texts, out.begin());
  // refused: pilfer: parallel_copy takes (in, out.begin())
  pilfer::parallel_copy(v, out);
  // refused: pilfer: parallel_copy takes (in, out.begin())
  pilfer::parallel_copy(v.begin(), v.end(), out.begin());
  // refused: pilfer: several threads write the output at once
  pilfer::parallel_copy(v, std::back_inserter(out));
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_copy(v, list.begin());
  // refused: pilfer: parallel_fill assigns the value to each element, which cannot be assigned so
  pilfer::parallel_fill(v, "text");
  // refused: pilfer: parallel_fill assigns
  pilfer::parallel_fill(texts, "text");
  // refused: pilfer: parallel_fill takes (range, value)
  pilfer::parallel_fill(v.begin(), v.end(), 3);
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_fill(list, 3);
  // refused: pilfer: parallel_generate assigns f() to each element; this f cannot be called so, or returns what they cannot
  pilfer::parallel_generate(v, one);
  // refused: pilfer: parallel_generate assigns f()
  pilfer::parallel_generate(v, [] { return other(); });
  // refused: pilfer: parallel_generate takes (range, f)
  pilfer::parallel_generate(v);

  // refused: pilfer: parallel_reduce combines values of the type of its identity, as a = op(a, b), and this op cannot be used
  const int n = pilfer::parallel_reduce(v, 0, one);
  // refused: pilfer: parallel_reduce combines
  const auto n = pilfer::parallel_reduce(v, 0, [](int, int) { return other(); });
  static_cast<void>(n + 1);
  // refused: pilfer: parallel_reduce combines
  const auto n = pilfer::parallel_reduce(v.begin(), v.end(), 0, [](int, int) {});
  static_cast<void>(n + 1);
  // refused: pilfer: parallel_reduce combines
  const auto n = pilfer::parallel_reduce(0, 3, 0, 7, one);
  static_cast<void>(n + 1);
  // refused: pilfer: parallel_reduce makes values of the type of its identity of all elements, and cannot make one of these
  const auto n = pilfer::parallel_reduce(texts, 0, two);
  static_cast<void>(n + 1);
  // refused: pilfer: parallel_reduce makes values
  const auto n = pilfer::parallel_reduce(texts, 0, two, text);
  static_cast<void>(n + 1);
  // refused: pilfer: parallel_reduce calls f(x) with each element or index, and this f cannot be called so
  const auto n = pilfer::parallel_reduce(texts, 0, two, one);
  static_cast<void>(n + 1);
  // refused: pilfer: parallel_reduce calls f(x)
  const auto n = pilfer::parallel_reduce(v.begin(), v.end(), 0, two, text);
  static_cast<void>(n + 1);
  // refused: pilfer: parallel_reduce calls f(x)
  const auto n = pilfer::parallel_reduce(0, 3, 0, two, text, {.grain = 1});
  static_cast<void>(n + 1);
  // refused: pilfer: an algorithm needs random access
  const auto n = pilfer::parallel_reduce(list, 0, two);
  static_cast<void>(n + 1);
  // refused: pilfer: an algorithm needs random access
  const auto n = pilfer::parallel_reduce(list.begin(), list.end(), 0, two);
  static_cast<void>(n + 1);
  // refused: pilfer: parallel_reduce takes (range, identity, op), (range, identity, op, f), or two iterators instead of the range
  const int n = pilfer::parallel_reduce(v, 0);
  // refused: pilfer: parallel_reduce takes
  const auto n = pilfer::parallel_reduce(0, 3, 0, two);
  static_cast<void>(n + 1);

  // refused: pilfer: a scan begins with an element or with init, copies its sums, and goes on by sum = op(sum, element)
  pilfer::parallel_inclusive_scan(v, out.begin(), one);
  // refused: pilfer: a scan begins
  pilfer::parallel_inclusive_scan(v.begin(), v.end(), out.begin(), one, 0);
  // refused: pilfer: a scan begins
  pilfer::parallel_scan(std::vector<other>(3), out.begin());
  // refused: pilfer: a scan begins
  pilfer::parallel_exclusive_scan(v, out.begin(), std::string());
  // refused: pilfer: a scan begins
  pilfer::parallel_exclusive_scan(v.begin(), v.end(), out.begin(), 0, text);
  // refused: pilfer: a scan assigns its sums to the elements of the output, which cannot be assigned one
  pilfer::parallel_inclusive_scan(texts, out.begin());
  // refused: pilfer: a scan assigns
  pilfer::parallel_exclusive_scan(v, v.cbegin(), 0);
  // refused: pilfer: parallel_inclusive_scan takes (in, out.begin()), perhaps op and then init
  pilfer::parallel_inclusive_scan(v);
  // refused: pilfer: parallel_scan takes (in, out.begin())
  pilfer::parallel_scan(v, out);
  // refused: pilfer: parallel_exclusive_scan takes (in, out.begin(), init), perhaps op
  pilfer::parallel_exclusive_scan(v, out.begin());
  // refused: pilfer: several threads write
  pilfer::parallel_exclusive_scan(v, std::back_inserter(out), 0);
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_inclusive_scan(list, out.begin());

  static_cast<void>(one);
  static_cast<void>(two);
  static_cast<void>(text);
  static_cast<void>(odd);
}

}  // namespace

int main() {
  std::vector<int> v;
  std::list<int> list;
  go(v, list, {}, {});
  return 0;
}
