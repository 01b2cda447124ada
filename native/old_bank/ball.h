// A query signature's ball: the dictionary codes that are near enough to it, nearest first.
//
// A code of an equal stem is at distance 0 whatever its bits say, so that inflected forms match as
// the word itself does.
//
// Cost. A scan of the dictionary (hamming/range_search.h), then O(codes found * log codes found).

#ifndef DENTATE_OLD_BANK_BALL_H_
#define DENTATE_OLD_BANK_BALL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "old_bank/dictionary.h"

namespace dentate::old_bank {

struct Ball {
  std::vector<std::uint32_t> codes;      // nearest first, ties by lower code
  std::vector<std::uint16_t> distances;  // parallel, ascending
};

class BallFinder {
 public:
  // Replaces `ball` by that of `signature` and, unless it is null, `stem`, among the codes below
  // `code_count`.
  void Find(const Dictionary& dictionary, std::size_t code_count,
            std::span<const std::uint64_t> signature, const std::uint64_t* stem,
            std::uint32_t radius, Ball& ball);

  std::size_t SizeInBytes() const noexcept;

 private:
  static constexpr std::uint16_t kAbsent = 0xffff;

  void Meet(std::uint32_t code, std::uint16_t distance);

  std::vector<std::uint32_t> ids_;  // of one range search
  std::vector<std::uint16_t> distances_;
  std::vector<std::uint16_t> least_;   // by code; kAbsent between calls
  std::vector<std::uint32_t> found_;   // codes whose least_ is set
  std::vector<std::uint32_t> starts_;  // of the counting sort, by distance
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_BALL_H_
