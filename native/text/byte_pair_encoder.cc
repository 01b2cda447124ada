#include "text/byte_pair_encoder.h"

#include <algorithm>
#include <array>
#include <functional>

namespace dentate::text {
namespace {

constexpr std::uint32_t kNone = Vocabulary::kNone;

// The rank of the token with these bytes, or kNone.
std::uint32_t RankOf(const Vocabulary& vocabulary, std::string_view bytes) noexcept {
  return bytes.size() <= vocabulary.max_token_length() ? vocabulary.Find(bytes) : kNone;
}

}  // namespace

void BytePairEncoder::Append(std::string_view text, std::vector<std::uint32_t>& ids) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const char* const piece_end = splitter_.PieceEnd(at, end);
    const std::string_view piece(at, static_cast<std::size_t>(piece_end - at));
    at = piece_end;
    if (const std::uint32_t id = RankOf(*vocabulary_, piece); id != kNone) {
      ids.push_back(id);
    } else if (piece.size() <= kScanLimit) {
      MergeByScan(piece, ids);
    } else {
      MergeByHeap(piece, ids);
    }
  }
}

void BytePairEncoder::MergeByScan(std::string_view piece, std::vector<std::uint32_t>& ids) const {
  // Part i is [starts[i], starts[i + 1]); ranks[i] is that of parts i and i + 1 together.
  std::array<std::uint32_t, kScanLimit + 1> starts;
  std::array<std::uint32_t, kScanLimit> ranks;
  std::size_t parts = piece.size();
  for (std::size_t i = 0; i + 1 < parts; ++i) {
    starts[i] = static_cast<std::uint32_t>(i);
    ranks[i] = vocabulary_->FindPair(piece[i], piece[i + 1]);
  }
  starts[parts - 1] = static_cast<std::uint32_t>(parts - 1);
  starts[parts] = static_cast<std::uint32_t>(parts);

  while (parts > 1) {
    const auto lowest = std::min_element(ranks.begin(), ranks.begin() + parts - 1);
    if (*lowest == kNone) break;
    const auto merged = static_cast<std::size_t>(lowest - ranks.begin());
    std::copy(starts.begin() + merged + 2, starts.begin() + parts + 1, starts.begin() + merged + 1);
    if (merged + 2 < parts) {
      std::copy(ranks.begin() + merged + 2, ranks.begin() + parts - 1, ranks.begin() + merged + 1);
    }
    --parts;
    const auto rank_from = [&](std::size_t part) {
      return RankOf(*vocabulary_, piece.substr(starts[part], starts[part + 2] - starts[part]));
    };
    if (merged + 1 < parts) ranks[merged] = rank_from(merged);
    if (merged > 0) ranks[merged - 1] = rank_from(merged - 1);
  }
  for (std::size_t i = 0; i < parts; ++i) {
    ids.push_back(vocabulary_->Find(piece.substr(starts[i], starts[i + 1] - starts[i])));
  }
}

void BytePairEncoder::UpdateRank(std::string_view piece, std::uint32_t part) {
  const std::uint32_t second = next_[part];
  std::uint32_t rank = kNone;
  if (second < piece.size()) {
    rank = RankOf(*vocabulary_, piece.substr(part, next_[second] - part));
  }
  rank_[part] = rank;
  if (rank == kNone) return;
  heap_.push_back(static_cast<std::uint64_t>(rank) << 32 | part);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void BytePairEncoder::MergeByHeap(std::string_view piece, std::vector<std::uint32_t>& ids) {
  const auto length = static_cast<std::uint32_t>(piece.size());
  next_.resize(length);
  previous_.resize(length);
  rank_.resize(length);
  heap_.clear();
  for (std::uint32_t part = 0; part < length; ++part) {
    next_[part] = part + 1;
    previous_[part] = part - 1;  // not read at 0
    rank_[part] = part + 1 < length ? vocabulary_->FindPair(piece[part], piece[part + 1]) : kNone;
    if (rank_[part] != kNone) heap_.push_back(static_cast<std::uint64_t>(rank_[part]) << 32 | part);
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());

  while (!heap_.empty()) {
    const std::uint64_t lowest = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    const auto part = static_cast<std::uint32_t>(lowest);
    if (rank_[part] != lowest >> 32) continue;
    const std::uint32_t second = next_[part];
    rank_[second] = kNone;
    next_[part] = next_[second];
    if (next_[part] < length) previous_[next_[part]] = part;
    UpdateRank(piece, part);
    if (part > 0) UpdateRank(piece, previous_[part]);
  }

  for (std::uint32_t part = 0; part < length; part = next_[part]) {
    ids.push_back(vocabulary_->Find(piece.substr(part, next_[part] - part)));
  }
  if (length > kKeptLength) {
    next_ = {};
    previous_ = {};
    rank_ = {};
    heap_ = {};
  }
}

}  // namespace dentate::text
