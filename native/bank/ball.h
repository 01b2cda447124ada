// A query signature's ball: the codes of one part's dictionary that are near enough to it, nearest
// first.
//
// A code of an equal stem is at distance 0 whatever its bits say, so that inflected forms match as
// the word itself does.
//
// Where another device has looked through the first of the signatures already, only the others are
// scanned: what is found is the same.
//
// Cost. A scan of the signatures (hamming/range_search.h), then O(codes found * log codes found).

#ifndef DENTATE_BANK_BALL_H_
#define DENTATE_BANK_BALL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hamming/columns_view.h"

namespace dentate::bank {

struct Ball {
  std::vector<std::uint32_t> codes;      // nearest first, ties by lower code
  std::vector<std::uint16_t> distances;  // parallel, ascending
};

// Of the codes below `below`: all that are within the radius, in any order, at their distances.
struct KnownCodes {
  std::uint32_t below = 0;
  std::span<const std::uint32_t> codes;
  std::span<const std::uint16_t> distances;
};

// Working memory of FindBall: one for each thread, for parts of any size.
class BallFinder {
 public:
  // What the next Find need not look for; it is used once. REQUIRES: codes below `below`, which is
  // no more than there are; distances within the radius.
  void SetKnown(const KnownCodes& known) noexcept { known_ = known; }

  // Replaces `ball` by the codes within `radius` of `signature`, at their distances, and those of
  // `same_stem`, at 0. `signatures` has a row a code; codes of `same_stem` past its end are left
  // out. REQUIRES: signature.size() == signatures.words().
  void Find(const hamming::ColumnsView& signatures, std::span<const std::uint64_t> signature,
            std::uint32_t radius, std::span<const std::uint32_t> same_stem, Ball& ball);

  // For whoever has to gather the codes of a stem; Find leaves it alone.
  std::vector<std::uint32_t>& stem_codes() noexcept { return stem_codes_; }

  std::size_t SizeInBytes() const noexcept;

 private:
  static constexpr std::uint16_t kAbsent = 0xffff;

  void Meet(std::uint32_t code, std::uint16_t distance);

  KnownCodes known_;
  std::vector<std::uint32_t> stem_codes_;
  std::vector<std::uint32_t> ids_;  // of one range search
  std::vector<std::uint16_t> distances_;
  std::vector<std::uint16_t> least_;   // by code; kAbsent between calls
  std::vector<std::uint32_t> found_;   // codes whose least_ is set
  std::vector<std::uint32_t> starts_;  // of the counting sort, by distance
};

// Where `stem` lies in a sorted list: [begin, end) of the equal ones. Binary search.
struct StemRange {
  std::uint32_t begin, end;
};
StemRange FindStem(std::span<const std::uint64_t> sorted_stems, std::uint64_t stem) noexcept;

}  // namespace dentate::bank

#endif  // DENTATE_BANK_BALL_H_
