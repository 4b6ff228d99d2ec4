#include "lab/measure/nearest.hpp"

#include <algorithm>
#include <utility>

namespace pilfer::lab {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the usual table: d[i][j] of the first i and j characters.
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& known,
                                       std::size_t most) {
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // how far, and which
  for (const std::string& name : known) {
    const bool within =
        !wanted.empty() && (name.find(wanted) != std::string::npos || wanted.find(name) != std::string_view::npos);
    ranked.emplace_back(within ? 1 : edit_distance(wanted, name), ranked.size());
  }
  std::ranges::sort(ranked);
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) nearest.push_back(known[ranked[i].second]);
  return nearest;
}

}  // namespace pilfer::lab
