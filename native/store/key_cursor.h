// Walks the banks of several segments by name, each with all its rows in all of them.
//
// Cost. O(rows · segments) over the whole walk; segments are few.

#ifndef DENTATE_STORE_KEY_CURSOR_H_
#define DENTATE_STORE_KEY_CURSOR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/view.h"

namespace dentate::store {

class KeyCursor {
 public:
  // Segments [first, last) of the view, which lives longer.
  KeyCursor(const View& view, std::size_t first, std::size_t last)
      : view_(view), first_(first), next_(last - first) {}

  // The next name, ascending, and its rows, by segment and then as they stand there. False at the
  // end.
  bool Next(std::string& name, std::vector<BlobPlace>& rows) {
    std::optional<std::string_view> least;
    for (std::size_t i = 0; i < next_.size(); ++i) {
      const storage::Segment& segment = *view_.segments[first_ + i];
      if (next_[i] == segment.blob_count()) continue;
      const std::string_view key = segment.Key(next_[i]);
      if (!least || key < *least) least = key;
    }
    if (!least) return false;
    name = *least;
    rows.clear();
    for (std::size_t i = 0; i < next_.size(); ++i) {
      const storage::Segment& segment = *view_.segments[first_ + i];
      for (; next_[i] < segment.blob_count() && segment.Key(next_[i]) == name; ++next_[i]) {
        rows.push_back({first_ + i, next_[i], segment.Info(next_[i])});
      }
    }
    return true;
  }

 private:
  const View& view_;
  const std::size_t first_;
  std::vector<std::size_t> next_;  // by segment: its next row
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_KEY_CURSOR_H_
