// Any bytes as a table of word vectors, and any bytes as a list of words: refused or encoded, with
// arrays that agree in length.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "signatures/distilled_encoder.h"
#include "signatures/random_indexing.h"

namespace {

using namespace dentate::signatures;

// Two rows: "aa" and "##a".
std::vector<std::uint8_t> SmallTable() {
  std::vector<std::uint8_t> bytes = {'D', 'N', 'T', 'W', 'O', 'R', 'D', '1', 2,   0,   0,  0, 8, 0,
                                     0,   0,   5,   0,   0,   0,   0,   0,   0,   0,   0,  8, 0, 64,
                                     255, 3,   1,   0,   2,   3,   'a', 'a', '#', '#', 'a'};
  bytes.resize(64);
  for (int i = 0; i < 16; ++i) bytes.push_back(static_cast<std::uint8_t>(i * 37));
  return bytes;
}

void Check(Encoder& encoder, std::string_view joined) {
  std::vector<ListedWord> words;
  ParseWords(joined, words);
  EncodedText encoded;
  for (const bool query : {false, true}) {
    if (query) {
      encoder.EncodeQuery(words, encoded);
    } else {
      encoder.Encode(words, encoded);
    }
    const std::size_t rows = encoded.stems.size();
    std::size_t pieces = 0;
    for (const std::uint32_t count : encoded.piece_counts) pieces += count;
    if (encoded.word_of.size() != rows || encoded.piece_counts.size() != rows ||
        encoded.pieces.size() != pieces || encoded.vector.size() != encoder.dimensions() ||
        encoded.signatures.size() != rows * ((encoder.bits() + 63) / 64)) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view joined(reinterpret_cast<const char*>(data), size);
  static const std::shared_ptr<const DistilledTable> kSmall = [] {
    std::shared_ptr<const DistilledTable> table;
    if (!DistilledTable::FromBytes(SmallTable(), table).ok()) std::abort();
    return table;
  }();
  std::shared_ptr<const DistilledTable> table;
  if (!DistilledTable::FromBytes({data, size}, table).ok()) table = kSmall;
  DistilledEncoder distilled(table, 128);
  Check(distilled, joined);
  RandomIndexingOptions options;
  options.bits = 48;
  options.index_dimensions = 64;
  options.window = 2;
  for (const bool literal : {false, true}) {
    options.literal = literal;
    RandomIndexingEncoder random_indexing(options);
    Check(random_indexing, joined);
  }
  return 0;
}
