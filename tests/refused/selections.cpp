// Wrong calls of searches, counts, filters, sorts and partitions.
#include <pilfer/pilfer.hpp>

#include <list>
#include <memory>
#include <string>

namespace {

struct other {};
struct person {
  std::string name;
  int age = 0;
};
struct fixed {
  const int n = 0;
};
void go(std::vector<int>& v, std::list<int>& list, std::vector<other>& odd, std::vector<person>& people) {
  const auto even = [](int n) { return n % 2 == 0; };
  const auto nothing = [](int) {};
  const auto text = [](const std::string&) { return true; };
  const std::vector<int> constant(3);
  std::vector<std::string> texts;
  std::vector<bool> bits(3);
  std::vector<int> out(v.size());

  // refused: pilfer: a search asks pred(x) of its elements, which must give a bool, and this pred cannot be called so
  const auto at = pilfer::parallel_find_if(v, text);
  if (at != v.end()) return;
  // refused: pilfer: a search asks pred(x)
  const auto at = pilfer::parallel_find_if(v.begin(), v.end(), nothing);
  if (at != v.end()) return;
  // refused: pilfer: a search asks pred(x)
  if (pilfer::parallel_any_of(v, 7)) return;
  // refused: pilfer: a search asks pred(x)
  if (pilfer::parallel_none_of(v, [] { return true; })) return;
  // refused: pilfer: parallel_all_of asks pred(x) of its elements, which must give a bool, and this pred cannot be called so
  if (pilfer::parallel_all_of(v, nothing)) return;
  // refused: pilfer: parallel_count_if asks pred(x) of its elements, which must give a bool, and this pred cannot be called so
  if (pilfer::parallel_count_if(v, text) != 0) return;
  // refused: pilfer: parallel_find compares elements with the value by x == value, and these cannot be compared so
  if (pilfer::parallel_find(v, "text") != v.end()) return;
  // refused: pilfer: parallel_find compares
  if (pilfer::parallel_find(odd.begin(), odd.end(), other()) != odd.end()) return;
  // refused: pilfer: parallel_count compares elements with the value by x == value, and these cannot be compared so
  if (pilfer::parallel_count(odd, other()) != 0) return;
  // refused: pilfer: an algorithm needs random access
  const auto at = pilfer::parallel_find_if(list, even);
  if (at != list.end()) return;
  // refused: pilfer: an algorithm needs random access
  const auto at = pilfer::parallel_find(list.begin(), list.end(), 3);
  if (at != list.end()) return;
  // refused: pilfer: an algorithm needs random access
  if (pilfer::parallel_any_of(list, even)) return;
  // refused: pilfer: parallel_find_if takes (range, pred) or (first, last, pred) with two iterators
  if (pilfer::parallel_find_if(v) != v.end()) return;
  // refused: pilfer: parallel_find takes (range, value) or (first, last, value) with two iterators
  if (pilfer::parallel_find(3, 3) == 3) return;
  // refused: pilfer: parallel_any_of takes (range, pred)
  if (pilfer::parallel_any_of(v.begin(), v.end(), even)) return;
  // refused: pilfer: parallel_all_of takes (range, pred)
  if (pilfer::parallel_all_of(3, even)) return;
  // refused: pilfer: parallel_none_of takes (range, pred)
  if (pilfer::parallel_none_of(even, v)) return;
  // refused: pilfer: parallel_count_if takes (range, pred)
  if (pilfer::parallel_count_if(even) == 0) return;
  // refused: pilfer: parallel_count takes (range, value)
  if (pilfer::parallel_count(v.begin(), v.end(), 3) == 0) return;

  // refused: pilfer: the comparison of two elements is comp(a, b), or comp(proj(a), proj(b)), and cannot be made with this comp
  if (pilfer::parallel_min_element(odd) == odd.end()) return;
  // refused: pilfer: the comparison of two elements
  const auto at = pilfer::parallel_max_element(v, even);
  if (at == v.end()) return;
  // refused: pilfer: the comparison of two elements
  const auto [least, most] = pilfer::parallel_minmax_element(people, {}, &std::string::size);
  if (least == most) return;
  // refused: pilfer: an algorithm needs random access
  const auto at = pilfer::parallel_min_element(list);
  if (at == list.end()) return;
  // refused: pilfer: parallel_max_element takes (range), perhaps comp and then proj
  const auto at = pilfer::parallel_max_element(3);
  if (at == 3) return;
  // refused: pilfer: parallel_minmax_element takes (range), perhaps comp and then proj
  const auto [least, most] = pilfer::parallel_minmax_element(v.begin(), v.end());
  if (least == most) return;
  // refused: pilfer: parallel_min_element takes
  const auto at = pilfer::parallel_min_element(v.begin(), v.end());
  if (at == v.end()) return;

  // refused: pilfer: parallel_histogram asks key(x) of each element, which must give an integer, and this key cannot be called so
  const auto counts = pilfer::parallel_histogram(v, 10, text);
  if (counts.empty()) return;
  // refused: pilfer: parallel_histogram asks key(x)
  const auto counts = pilfer::parallel_histogram(v, 10U, [](int n) { return 1.0 * n; });
  if (counts.empty()) return;
  // refused: pilfer: parallel_histogram takes (range, bins, key)
  const auto counts = pilfer::parallel_histogram(v, "10", even);
  if (counts.empty()) return;
  // refused: pilfer: an algorithm needs random access
  const auto counts = pilfer::parallel_histogram(list, 10, even);
  if (counts.empty()) return;

  // refused: pilfer: parallel_filter asks pred(x) of its elements, which must give a bool, and this pred cannot be called so
  pilfer::parallel_filter(v, out.begin(), nothing);
  // refused: pilfer: parallel_filter asks pred(x)
  out.erase(pilfer::parallel_filter(v.begin(), v.end(), out.begin(), text), out.end());
  // refused: pilfer: parallel_filter assigns elements of the input to those of the output, which cannot be assigned so
  pilfer::parallel_filter(texts, out.begin(), text);
  // refused: pilfer: parallel_filter takes (in, out.begin(), pred) or (first, last, out.begin(), pred)
  out.erase(pilfer::parallel_filter(v, out, even), out.end());
  // refused: pilfer: several threads write
  pilfer::parallel_filter(v, std::back_inserter(out), even);
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_filter(list, out.begin(), even);
  // refused: pilfer: the flags of parallel_pack must be bool, or convert to it
  pilfer::parallel_pack(v, odd, out.begin());
  // refused: pilfer: parallel_pack assigns
  pilfer::parallel_pack(texts, bits, out.begin());
  // refused: pilfer: parallel_pack takes (in, flags, out.begin()) with a range of flags
  pilfer::parallel_pack(v, even, out.begin());
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_pack(v, list, out.begin());

  // refused: pilfer: a sort compares elements by comp(a, b), or comp(proj(a), proj(b)), and cannot with this comp and this proj
  pilfer::parallel_sort(odd);
  // refused: pilfer: a sort compares
  pilfer::parallel_sort(v, even);
  // refused: pilfer: a sort compares
  pilfer::parallel_sort(v.begin(), v.end(), 3);
  // refused: pilfer: a sort compares
  pilfer::parallel_sort(v.begin(), v.end(), [](int a, int b) { return std::to_string(a - b); });
  // refused: pilfer: a sort compares
  pilfer::parallel_sort(people, {}, &std::string::size);
  // refused: pilfer: a sort moves elements, which must be objects in memory; this range hands out proxies
  pilfer::parallel_sort(bits);
  // refused: pilfer: a sort moves elements, and these cannot be moved: they are const, or their type does not allow it
  pilfer::parallel_sort(constant);
  // refused: pilfer: a sort moves elements, and these cannot be moved
  fixed all[3];
  pilfer::parallel_sort(all, all + 3, {}, &fixed::n);
  // refused: pilfer: parallel_sort sorts in place, and this range is a temporary
  pilfer::parallel_sort(std::vector<int>(3));
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_sort(list);
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_sort(list.begin(), list.end());
  // refused: pilfer: parallel_sort takes (range) or (first, last) with two iterators, then perhaps comp, and then perhaps proj
  pilfer::parallel_sort(3);
  // refused: pilfer: parallel_sort takes
  pilfer::parallel_sort(v.begin(), texts.end());

  // refused: pilfer: a sort compares
  pilfer::parallel_stable_sort(odd);
  // refused: pilfer: a sort compares
  pilfer::parallel_stable_sort(v.begin(), v.end(), even);
  // refused: pilfer: a sort moves elements, which must be objects
  pilfer::parallel_stable_sort(bits);
  // refused: pilfer: parallel_stable_sort sorts in place, and this range is a temporary
  pilfer::parallel_stable_sort(std::vector<int>(3));
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_stable_sort(list);
  // refused: pilfer: parallel_stable_sort takes (range) or (first, last)
  pilfer::parallel_stable_sort(v.begin(), 3);

  // refused: pilfer: parallel_merge assigns elements of both inputs to those of the output, which cannot be assigned so
  pilfer::parallel_merge(v, texts, out.begin());
  // refused: pilfer: parallel_merge compares elements of both inputs by comp(a, b), and cannot with this comp
  pilfer::parallel_merge(odd, odd, odd.begin());
  // refused: pilfer: parallel_merge compares
  pilfer::parallel_merge(v.begin(), v.end(), v.begin(), v.end(), out.begin(), even);
  // refused: pilfer: parallel_merge takes (range1, range2, out.begin()) or (first1, last1, first2, last2, out.begin())
  pilfer::parallel_merge(v, v, out);
  // refused: pilfer: several threads write
  pilfer::parallel_merge(v, v, std::back_inserter(out));
  // refused: pilfer: an algorithm needs random access
  pilfer::parallel_merge(v, list, out.begin());

  // refused: pilfer: a partition asks pred(x) of its elements, which must give a bool, and this pred cannot be called so
  if (pilfer::parallel_partition(v, text) == v.end()) return;
  // refused: pilfer: a partition asks pred(x)
  const auto at = pilfer::parallel_stable_partition(v.begin(), v.end(), nothing);
  if (at == v.end()) return;
  // refused: pilfer: a partition moves elements, and these cannot be moved: they are const, proxies as those of
  pilfer::parallel_partition(constant, even);
  // refused: pilfer: a partition moves elements
  pilfer::parallel_stable_partition(bits, even);
  // refused: pilfer: parallel_partition works in place, and this range is a temporary
  pilfer::parallel_partition(std::vector<int>(3), even);
  // refused: pilfer: parallel_stable_partition works in place, and this range is a temporary
  pilfer::parallel_stable_partition(std::vector<int>(3), even);
  // refused: pilfer: an algorithm needs random access
  const auto at = pilfer::parallel_partition(list, even);
  if (at == list.end()) return;
  // refused: pilfer: parallel_partition takes (range, pred) or (first, last, pred) with two iterators
  pilfer::parallel_partition(v);
  // refused: pilfer: parallel_stable_partition takes (range, pred) or (first, last, pred) with two iterators
  pilfer::parallel_stable_partition(3, even);

  static_cast<void>(even);
  static_cast<void>(nothing);
  static_cast<void>(text);
}

}  // namespace

int main() {
  std::vector<int> v;
  std::list<int> list;
  std::vector<other> odd;
  std::vector<person> people;
  go(v, list, odd, people);
  return 0;
}
