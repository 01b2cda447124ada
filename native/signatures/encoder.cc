#include "signatures/encoder.h"

#include <algorithm>
#include <unordered_set>

namespace dentate::signatures {

void DropRepeatedStems(std::size_t words, EncodedText& encoded) {
  std::unordered_set<std::uint64_t> seen;
  std::size_t kept = 0;
  for (std::size_t row = 0; row < encoded.stems.size(); ++row) {
    if (!seen.insert(encoded.stems[row]).second) continue;
    encoded.stems[kept] = encoded.stems[row];
    encoded.word_of[kept] = encoded.word_of[row];
    std::copy_n(encoded.signatures.begin() + static_cast<std::ptrdiff_t>(row * words), words,
                encoded.signatures.begin() + static_cast<std::ptrdiff_t>(kept * words));
    ++kept;
  }
  encoded.stems.resize(kept);
  encoded.word_of.resize(kept);
  encoded.signatures.resize(kept * words);
}

}  // namespace dentate::signatures
