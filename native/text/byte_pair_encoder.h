// Text to token ids: pieces by the pattern, then byte pairs merged within each.
//
// A piece that is a token is that token. In any other, the adjacent pair of parts whose bytes
// together have the lowest rank becomes one part, the leftmost first among equals, until no pair is
// a token: byte-pair encoding as tiktoken defines it, and the same ids.
//
// Cost. A text of m bytes whose longest piece has n: O(m log n). Pieces of up to kScanLimit bytes
// look for the lowest rank by scanning, which is quicker there; longer ones keep a heap:
//
//   part     next_[p]: where the part after the one at p begins (the piece's length at the last)
//   [p, ..)  previous_[p]: where the part before it begins
//            rank_[p]: the rank of this part with the next one, kNone where they make no token
//   heap_    | rank: 32 bits | p: 32 bits |, lowest first; an entry whose rank is not rank_[p] is
//            stale, and skipped
//
// Space: 20 bytes for each byte of the longest piece, given back after a long one.
//
// Threads. One object per thread; the vocabulary is shared.
//
// Source: R. Sennrich, B. Haddow, A. Birch, "Neural Machine Translation of Rare Words with Subword
// Units", ACL 2016.

#ifndef DENTATE_TEXT_BYTE_PAIR_ENCODER_H_
#define DENTATE_TEXT_BYTE_PAIR_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/piece_splitter.h"
#include "text/vocabulary.h"

namespace dentate::text {

class BytePairEncoder {
 public:
  explicit BytePairEncoder(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)) {}

  // Appends the ids of the text's tokens. Any bytes are accepted, and are the concatenation of the
  // tokens' bytes. REQUIRES: text.size() < 2^32 - 1.
  void Append(std::string_view text, std::vector<std::uint32_t>& ids);

  const Vocabulary& vocabulary() const noexcept { return *vocabulary_; }

 private:
  static constexpr std::size_t kScanLimit = 48;
  static constexpr std::size_t kKeptLength = 1 << 16;  // of the scratch space between calls

  void MergeByScan(std::string_view piece, std::vector<std::uint32_t>& ids) const;
  void MergeByHeap(std::string_view piece, std::vector<std::uint32_t>& ids);
  void UpdateRank(std::string_view piece, std::uint32_t part);

  std::shared_ptr<const Vocabulary> vocabulary_;
  PieceSplitter splitter_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint64_t> heap_;
};

}  // namespace dentate::text

#endif  // DENTATE_TEXT_BYTE_PAIR_ENCODER_H_
