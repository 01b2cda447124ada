#include "bank/chunk_vector.h"

#include <algorithm>

namespace dentate::bank {
namespace {

constexpr std::size_t kAhead = 4;  // words whose rows are asked for before they are read

}  // namespace

void ChunkVectorBuilder::Build(const Snapshot& snapshot, std::span<const ChunkPiece> pieces,
                               const signatures::WordVectors& vectors, std::span<float> out) {
  sum_.Begin(out.size());
  for (const ChunkPiece& piece : pieces) {
    const std::size_t part = snapshot.PartOf(piece.entry);
    if (part == snapshot.parts.size()) continue;
    const PlacedPart& placed = snapshot.parts[part];
    Add(placed.part, piece.entry - placed.first_entry, piece, vectors);
  }
  sum_.Unit(out);
}

void ChunkVectorBuilder::Add(const std::shared_ptr<const Part>& of, std::uint32_t entry,
                             const ChunkPiece& piece, const signatures::WordVectors& vectors) {
  const Part& part = *of;
  if (piece.whole() || cut_ != of || cut_entry_ != entry) {
    const Interval32 span = part.CodeSpan(entry);
    part.Codes(span.begin, span.end, codes_, piece.whole() ? nullptr : &tokens_);
    cut_ = piece.whole() ? nullptr : of;
    cut_entry_ = entry;
  }
  std::size_t begin = 0, end = codes_.size();
  if (!piece.whole()) {
    const std::uint32_t first = part.TokenSpan(entry).begin;
    const auto at = [&](std::uint32_t token) {
      return static_cast<std::size_t>(
          std::lower_bound(tokens_.begin(), tokens_.end(), first + token) - tokens_.begin());
    };
    begin = at(piece.begin);
    end = at(piece.end);
  }
  word_pieces_.clear();
  piece_ends_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    of_word_.clear();
    part.Pieces(codes_[i], of_word_);
    word_pieces_.insert(word_pieces_.end(), of_word_.begin(), of_word_.end());
    piece_ends_.push_back(static_cast<std::uint32_t>(word_pieces_.size()));
  }
  const auto pieces_of = [&](std::size_t word) {
    const std::uint32_t from = word == 0 ? 0 : piece_ends_[word - 1];
    return std::span<const std::uint32_t>(word_pieces_).subspan(from, piece_ends_[word] - from);
  };
  for (std::size_t word = 0; word < piece_ends_.size(); ++word) {
    if (word + kAhead < piece_ends_.size()) vectors.Prefetch(pieces_of(word + kAhead));
    sum_.Add(vectors, pieces_of(word), part.Stem(codes_[begin + word]));
  }
}

}  // namespace dentate::bank
