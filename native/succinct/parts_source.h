// Several parts of one text as a single source of range_query.h: a node is an interval in each.

#ifndef DENTATE_SUCCINCT_PARTS_SOURCE_H_
#define DENTATE_SUCCINCT_PARTS_SOURCE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "succinct/dynamic_parts.h"
#include "succinct/live_source.h"

namespace dentate::succinct {

class PartsSource {
 public:
  struct Node {
    std::uint32_t size = 0;
    std::vector<LiveSource::Node> parts;  // empty where size is 0; sealed parts use start and end
  };

  // The view must outlive the source.
  explicit PartsSource(const DynamicView& view) : view_(&view) {
    live_.reserve(view.parts.size());
    for (const DynamicPart& part : view.parts) {
      live_.emplace_back(part.live != nullptr ? *part.live : *view.parts.back().live);
    }
  }

  Node Root(std::uint32_t start, std::uint32_t end) const {
    Node node;
    node.size = end - start;
    for (std::size_t p = 0; p < live_.size(); ++p) {
      const std::uint32_t from = view_->parts[p].start;
      const std::uint32_t to =
          p + 1 < live_.size() ? view_->parts[p + 1].start : std::max(from, end);
      node.parts.push_back(
          live_[p].Root(std::clamp(start, from, to) - from, std::clamp(end, from, to) - from));
    }
    return node;
  }

  unsigned level_count() const noexcept { return live_.back().level_count(); }
  static std::uint32_t Size(const Node& node) noexcept { return node.size; }

  void Split(unsigned level, const Node& node, std::array<Node, 4>& children) const {
    for (Node& child : children) {
      child.size = 0;
      child.parts.clear();
    }
    if (node.size == 0) return;
    for (Node& child : children) child.parts.resize(node.parts.size());
    std::array<LiveSource::Node, 4> split;
    std::array<Interval, 4> intervals;
    for (std::size_t p = 0; p < node.parts.size(); ++p) {
      const LiveSource::Node& part = node.parts[p];
      if (LiveSource::Size(part) == 0) continue;
      if (const WaveletMatrix* sealed = view_->parts[p].sealed.get(); sealed != nullptr) {
        sealed->Split(level, Interval{part.start, part.end}, intervals);
        for (unsigned digit = 0; digit < 4; ++digit) {
          split[digit] = {0, intervals[digit].start, intervals[digit].end};
        }
      } else {
        live_[p].Split(level, part, split);
      }
      for (unsigned digit = 0; digit < 4; ++digit) {
        children[digit].parts[p] = split[digit];
        children[digit].size += LiveSource::Size(split[digit]);
      }
    }
  }

 private:
  const DynamicView* view_;
  std::vector<LiveSource> live_;  // one a part; a sealed part's is never asked to split
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_PARTS_SOURCE_H_
