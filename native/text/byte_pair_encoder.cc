#include "text/byte_pair_encoder.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>

namespace dentate::text {
namespace {

constexpr std::uint32_t kNone = Vocabulary::kNone;
constexpr std::size_t kAhead = 16;  // pieces

}  // namespace

void BytePairEncoder::Append(std::string_view text, std::vector<std::uint32_t>& ids) {
  const char* const end = text.data() + text.size();
  // Some pieces at a time, so that the look-ups' cache misses overlap.
  std::array<std::string_view, kAhead> pieces;
  for (const char* at = text.data(); at != end;) {
    std::size_t count = 0;
    for (; count < kAhead && at != end; ++count) {
      const char* const piece_end = splitter_.PieceEnd(at, end);
      pieces[count] = {at, static_cast<std::size_t>(piece_end - at)};
      if (pieces[count].size() <= vocabulary_->MaxTokenLength()) {
        vocabulary_->Prefetch(pieces[count]);
      }
      at = piece_end;
    }
    for (const std::string_view piece : std::span(pieces).first(count)) {
      const bool may_be_token = piece.size() <= vocabulary_->MaxTokenLength();
      if (const std::uint32_t id = may_be_token ? vocabulary_->Find(piece) : kNone; id != kNone) {
        ids.push_back(id);
      } else {
        AppendPiece(piece, ids);
      }
    }
  }
}

// Appends the tokens of a piece that is none itself.
void BytePairEncoder::AppendPiece(std::string_view piece, std::vector<std::uint32_t>& ids) {
  if (piece.size() > kScanLimit) return MergeByHeap(piece, ids);
  if (piece.size() > Piece::kMaxLength) return MergeByScan(piece, ids);
  Piece& remembered = pieces_[std::hash<std::string_view>()(piece) >> (64 - kPieceBits)];
  if (std::string_view(remembered.bytes, remembered.length) != piece) {
    const std::size_t first = ids.size();
    MergeByScan(piece, ids);
    const std::size_t count = ids.size() - first;
    if (count > Piece::kMaxTokens) return;
    remembered.length = static_cast<std::uint8_t>(piece.size());
    remembered.count = static_cast<std::uint8_t>(count);
    std::copy(piece.begin(), piece.end(), remembered.bytes);
    std::copy_n(ids.end() - static_cast<std::ptrdiff_t>(count), count, remembered.ids);
    return;
  }
  ids.insert(ids.end(), remembered.ids, remembered.ids + remembered.count);
}

// The rank of two adjacent parts, the first of which begins at `at`.
inline std::uint32_t BytePairEncoder::PairRank(std::uint32_t left, std::uint32_t right,
                                               const char* at) {
  constexpr std::uint64_t kRankMask = (std::uint64_t{1} << kRankBits) - 1;
  const std::uint64_t pair = static_cast<std::uint64_t>(left) << kIdBits | right;
  std::uint64_t& remembered = pairs_[pair * 0x9e3779b97f4a7c15 >> (64 - kPairBits)];
  if (remembered >> kRankBits != pair) {
    const std::size_t length = vocabulary_->Bytes(left).size() + vocabulary_->Bytes(right).size();
    const bool may_be_token = length <= vocabulary_->MaxTokenLength();
    const std::uint32_t rank = may_be_token ? vocabulary_->Find({at, length}) : kNone;
    remembered = pair << kRankBits | (rank & kRankMask);
  }
  const std::uint64_t rank = remembered & kRankMask;
  return rank == kRankMask ? kNone : static_cast<std::uint32_t>(rank);
}

void BytePairEncoder::MergeByScan(std::string_view piece, std::vector<std::uint32_t>& ids) {
  std::array<std::uint32_t, kScanLimit> starts;
  std::array<std::uint32_t, kScanLimit> tokens;
  std::array<std::uint32_t, kScanLimit> ranks;  // ranks[i]: of parts i and i + 1 together
  std::size_t parts = piece.size();
  for (std::size_t i = 0; i < parts; ++i) {
    starts[i] = static_cast<std::uint32_t>(i);
    tokens[i] = vocabulary_->FindByte(piece[i]);
    if (i + 1 < parts) ranks[i] = vocabulary_->FindPair(piece[i], piece[i + 1]);
  }

  while (parts > 1) {
    const auto lowest = std::min_element(ranks.begin(), ranks.begin() + parts - 1);
    if (*lowest == kNone) break;
    const auto merged = static_cast<std::size_t>(lowest - ranks.begin());
    tokens[merged] = *lowest;
    --parts;
    for (std::size_t i = merged + 1; i < parts; ++i) {
      starts[i] = starts[i + 1];
      tokens[i] = tokens[i + 1];
      ranks[i - 1] = ranks[i];
    }
    for (std::size_t i = merged == 0 ? 0 : merged - 1; i <= merged && i + 1 < parts; ++i) {
      ranks[i] = PairRank(tokens[i], tokens[i + 1], piece.data() + starts[i]);
    }
  }
  ids.insert(ids.end(), tokens.begin(), tokens.begin() + parts);
}

void BytePairEncoder::UpdateRank(std::string_view piece, std::uint32_t at) {
  Part& part = parts_[at];
  part.rank = part.next == piece.size()
                  ? kNone
                  : PairRank(part.id, parts_[part.next].id, piece.data() + at);
  if (part.rank == kNone) return;
  heap_.push_back(static_cast<std::uint64_t>(part.rank) << 32 | at);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void BytePairEncoder::MergeByHeap(std::string_view piece, std::vector<std::uint32_t>& ids) {
  const auto length = static_cast<std::uint32_t>(piece.size());
  parts_.resize(length);
  heap_.clear();
  for (std::uint32_t at = 0; at < length; ++at) {
    const std::uint32_t rank =
        at + 1 < length ? vocabulary_->FindPair(piece[at], piece[at + 1]) : kNone;
    parts_[at] = {vocabulary_->FindByte(piece[at]), rank, at + 1, at - 1};
    if (rank != kNone) heap_.push_back(static_cast<std::uint64_t>(rank) << 32 | at);
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());

  while (!heap_.empty()) {
    const std::uint64_t lowest = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    const auto at = static_cast<std::uint32_t>(lowest);
    Part& part = parts_[at];
    if (part.rank != lowest >> 32) continue;
    Part& absorbed = parts_[part.next];
    part.id = part.rank;
    part.next = absorbed.next;
    absorbed.rank = kNone;
    if (part.next < length) parts_[part.next].previous = at;
    UpdateRank(piece, at);
    if (at > 0) UpdateRank(piece, part.previous);
  }

  for (std::uint32_t at = 0; at < length; at = parts_[at].next) ids.push_back(parts_[at].id);
  if (length > kKeptLength) {
    parts_ = {};
    heap_ = {};
  }
}

}  // namespace dentate::text
