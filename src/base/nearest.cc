#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace subfloor {

std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > 64) return {};
  std::string_view best;
  size_t best_distance = std::max<size_t>(word.size() / 3, 1) + 1;
  std::vector<size_t> row;
  for (std::string_view candidate : candidates) {
    // Edit distance, one row at a time; two swapped neighbours count as two edits.
    row.resize(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j < row.size(); ++j) {
        const size_t substituted = diagonal + (word[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace subfloor
