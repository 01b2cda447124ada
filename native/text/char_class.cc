#include "text/char_class.h"

#include <algorithm>
#include <map>

#include "text/unicode_tables.h"

namespace dentate::text {

const CharClassTable& CharClassTable::Instance() {
  static const CharClassTable table;
  return table;
}

CharClassTable::CharClassTable() {
  using Block = std::array<CharClass, kBlockSize>;
  std::map<Block, std::uint16_t> row_of;
  std::size_t run = 0;
  std::uint32_t code_point = 0;
  for (auto& row : row_of_block_) {
    Block block;
    for (auto& char_class : block) {
      while (run + 1 < kClassRunCount && (kClassRuns[run + 1] >> 3) <= code_point) ++run;
      char_class = static_cast<CharClass>(kClassRuns[run] & 7);
      ++code_point;
    }
    const auto [found, added] = row_of.emplace(block, static_cast<std::uint16_t>(row_of.size()));
    if (added) rows_.insert(rows_.end(), block.begin(), block.end());
    row = found->second;
  }
  rows_.shrink_to_fit();
}

}  // namespace dentate::text
