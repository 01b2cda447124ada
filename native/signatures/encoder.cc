#include "signatures/encoder.h"

#include <algorithm>
#include <unordered_set>

namespace dentate::signatures {

void Encoder::Encode(std::span<const ListedWord> words, EncodedText& encoded) {
  encoded.Clear();
  Append(words, encoded);
  SetVector(encoded);
}

void DropRepeatedStems(std::size_t words, EncodedText& encoded) {
  std::unordered_set<std::uint64_t> seen;
  std::size_t kept = 0;
  std::size_t kept_pieces = 0;
  std::size_t piece = 0;
  for (std::size_t row = 0; row < encoded.stems.size(); ++row) {
    const std::uint32_t count = encoded.piece_counts[row];
    const auto first = encoded.pieces.begin() + static_cast<std::ptrdiff_t>(piece);
    piece += count;
    if (!seen.insert(encoded.stems[row]).second) continue;
    std::copy_n(first, count, encoded.pieces.begin() + static_cast<std::ptrdiff_t>(kept_pieces));
    kept_pieces += count;
    encoded.piece_counts[kept] = count;
    encoded.stems[kept] = encoded.stems[row];
    encoded.word_of[kept] = encoded.word_of[row];
    std::copy_n(encoded.signatures.begin() + static_cast<std::ptrdiff_t>(row * words), words,
                encoded.signatures.begin() + static_cast<std::ptrdiff_t>(kept * words));
    ++kept;
  }
  encoded.stems.resize(kept);
  encoded.word_of.resize(kept);
  encoded.piece_counts.resize(kept);
  encoded.pieces.resize(kept_pieces);
  encoded.signatures.resize(kept * words);
}

}  // namespace dentate::signatures
