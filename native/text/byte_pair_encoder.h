// Text to token ids: pieces by the pattern, then byte pairs merged within each.
//
// A piece that is a token is that token. In any other, the adjacent pair of parts whose bytes
// together have the lowest rank becomes one part, the leftmost first among equals, until no pair is
// a token: byte-pair encoding as tiktoken defines it, and the same ids.
//
// Cost. A text of m bytes whose longest piece has n: O(m log n). Pieces of up to kScanLimit bytes
// look for the lowest rank by scanning, which is quicker there; longer ones keep a heap:
//
//   part     id: the token it is
//   [p, ..)  rank: that of this part with the next one, kNone where they make no token
//            next: where the next part begins (the piece's length at the last)
//            previous: where the one before begins
//   heap_    | rank: 32 bits | p: 32 bits |, lowest first; an entry whose rank is not that of the
//            part at p is stale, and skipped
//
// A merged part's id is the pair's rank. So the rank of two parts depends on their ids alone, and
// the last 32,768 different pairs are remembered, most of them as making no token: that is L2 where
// the vocabulary is main memory. Pieces that had to be merged are remembered as well, the last
// 4,096 of up to 30 bytes and 8 tokens. Measured: pairs made Japanese 1.5 times as fast and
// Russian 1.2; pieces save a text like those before it 44% of all instructions in Russian, 13% in
// Japanese.
//
// Space: 512 KB, and up to 32 bytes for each byte of the longest piece, given back after a long
// one.
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
      : vocabulary_(std::move(vocabulary)),
        pairs_(std::size_t{1} << kPairBits, kNoPair),
        pieces_(std::size_t{1} << kPieceBits) {}

  // Appends the ids of the text's tokens. Any bytes are accepted, and are the concatenation of the
  // tokens' bytes. REQUIRES: text.size() < 2^32 - 1.
  void Append(std::string_view text, std::vector<std::uint32_t>& ids);

 private:
  static constexpr std::size_t kScanLimit = 48;
  static constexpr std::size_t kKeptLength = 1 << 16;  // of the scratch space between calls

  struct Part {
    std::uint32_t id;
    std::uint32_t rank;
    std::uint32_t next;
    std::uint32_t previous;
  };
  static_assert(sizeof(Part) == 16, "with at most two entries of the heap, the 32 above");

  // A remembered pair: | left id: 20 bits | right id: 20 bits | rank, or all its bits set: 24 |
  static constexpr unsigned kIdBits = 20;
  static constexpr unsigned kRankBits = 24;
  static constexpr unsigned kPairBits = 15;
  static_assert(Vocabulary::kMaxTokens <= 1 << kIdBits && 2 * kIdBits + kRankBits == 64);

  // No pair: its ids are past any vocabulary.
  static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};

  // A remembered piece.
  struct alignas(64) Piece {
    static constexpr std::size_t kMaxLength = 30;
    static constexpr std::size_t kMaxTokens = 8;
    std::uint8_t length;  // 0: none
    std::uint8_t count;
    char bytes[kMaxLength];
    std::uint32_t ids[kMaxTokens];
  };
  static_assert(sizeof(Piece) == 64, "one cache line");
  static constexpr unsigned kPieceBits = 12;

  void AppendPiece(std::string_view piece, std::vector<std::uint32_t>& ids);
  std::uint32_t PairRank(std::uint32_t left, std::uint32_t right, const char* at);
  void MergeByScan(std::string_view piece, std::vector<std::uint32_t>& ids);
  void MergeByHeap(std::string_view piece, std::vector<std::uint32_t>& ids);
  void UpdateRank(std::string_view piece, std::uint32_t at);

  std::shared_ptr<const Vocabulary> vocabulary_;
  PieceSplitter splitter_;
  std::vector<std::uint64_t> pairs_;
  std::vector<Piece> pieces_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> heap_;
};

}  // namespace dentate::text

#endif  // DENTATE_TEXT_BYTE_PAIR_ENCODER_H_
