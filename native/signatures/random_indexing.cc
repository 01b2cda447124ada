#include "signatures/random_indexing.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "signatures/hash.h"

namespace dentate::signatures {

void LiteralSignature(std::span<const std::int32_t> e, std::size_t bits,
                      std::vector<std::uint32_t>& order, std::uint64_t* signature) {
  order.resize(e.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(bits);
  std::partial_sort(order.begin(), middle, order.end(), [e](std::uint32_t a, std::uint32_t b) {
    const std::int32_t x = std::abs(e[a]);
    const std::int32_t y = std::abs(e[b]);
    return x != y ? x > y : a < b;
  });
  std::fill_n(signature, (bits + 63) / 64, 0);
  for (std::size_t k = 0; k < bits; ++k) {
    signature[k / 64] |= static_cast<std::uint64_t>(e[order[k]] > 0) << (k % 64);
  }
}

RandomIndexingEncoder::RandomIndexingEncoder(const RandomIndexingOptions& options)
    : options_(options),
      projection_(options.index_dimensions, options.bits),
      sum_(options.literal ? options.index_dimensions : options.bits),
      index_(options.index_dimensions) {}

void RandomIndexingEncoder::AddIndexVector(std::uint64_t stem, std::int32_t sign,
                                           std::span<std::int32_t> e) const {
  SplitMix64 random(stem);
  std::array<std::size_t, kMaxNonZeros> places{};
  for (std::size_t count = 0; count < options_.non_zeros;) {
    const std::size_t place = random.Next() % options_.index_dimensions;
    const std::span<const std::size_t> taken(places.data(), count);
    if (std::find(taken.begin(), taken.end(), place) != taken.end()) continue;
    e[place] += count < options_.non_zeros / 2 ? sign : -sign;
    places[count++] = place;
  }
}

const std::vector<std::int32_t>& RandomIndexingEncoder::TurnedOf(std::uint64_t stem) {
  const auto found = turned_.find(stem);
  if (found != turned_.end()) return found->second;
  if (turned_.size() >= kMaxCached) turned_.clear();
  std::fill(index_.begin(), index_.end(), 0);
  AddIndexVector(stem, 1, index_);
  std::vector<std::int32_t> turned(options_.bits);
  projection_.Turn(index_, scratch_, turned.data());
  return turned_.emplace(stem, std::move(turned)).first->second;
}

// Moves a word into the window (sign 1) or out of it (-1).
void RandomIndexingEncoder::Add(std::uint64_t stem, std::int32_t sign) {
  if (options_.literal) {
    AddIndexVector(stem, sign, sum_);
    return;
  }
  const auto& turned = TurnedOf(stem);
  for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += sign * turned[k];
}

void RandomIndexingEncoder::AppendWindowed(std::span<const ListedWord> words, std::size_t window,
                                           EncodedText& encoded) {
  const std::size_t first = encoded.stems.size();
  std::fill(sum_.begin(), sum_.end(), 0);
  for (const ListedWord& word : words) {
    encoded.stems.push_back(HashText(word.stem));
    encoded.word_of.push_back(word.index);
    encoded.piece_counts.push_back(0);
  }
  const std::size_t row_words = projection_.words();
  encoded.signatures.resize(encoded.stems.size() * row_words);
  const std::uint64_t* const stems = encoded.stems.data() + first;
  for (std::size_t next = 0, i = 0; i < words.size(); ++i) {
    for (; next < words.size() && next <= i + window; ++next) Add(stems[next], 1);
    if (i > window) Add(stems[i - window - 1], -1);
    std::uint64_t* signature = &encoded.signatures[(first + i) * row_words];
    if (options_.literal) {
      LiteralSignature(sum_, options_.bits, order_, signature);
    } else {
      SignProjection::Signs(sum_, signature);
    }
  }
}

void RandomIndexingEncoder::Append(std::span<const ListedWord> words, EncodedText& encoded) {
  AppendWindowed(words, options_.window, encoded);
}

void RandomIndexingEncoder::EncodeQuery(std::span<const ListedWord> words, EncodedText& encoded) {
  encoded.Clear();
  AppendWindowed(words, 0, encoded);
  DropRepeatedStems(projection_.words(), encoded);
}

}  // namespace dentate::signatures
