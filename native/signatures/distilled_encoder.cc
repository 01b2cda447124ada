#include "signatures/distilled_encoder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "signatures/hash.h"
#include "signatures/script.h"

namespace dentate::signatures {

DistilledEncoder::DistilledEncoder(std::shared_ptr<const DistilledTable> table, std::size_t bits)
    : table_(std::move(table)),
      projection_(table_->dimensions(), bits),
      vector_(table_->dimensions()),
      turned_(bits),
      sum_(table_->dimensions()),
      total_(table_->dimensions()) {}

// A vector of about unit length: each component is a sum of 64 fair coins.
void DistilledEncoder::HashedVector(std::uint64_t hash) {
  SplitMix64 random(hash);
  const auto root = static_cast<std::int32_t>(std::sqrt(static_cast<double>(vector_.size())));
  const std::int32_t step = kUnit / (4 * std::max(root, 1));  // a coin sum deviates by 4
  for (auto& component : vector_) component = (std::popcount(random.Next()) - 32) * step;
}

// The signature of vector_.
void DistilledEncoder::AppendSignature(std::vector<std::uint64_t>& signatures) {
  projection_.Turn(vector_, scratch_, turned_.data());
  signatures.resize(signatures.size() + projection_.words());
  SignProjection::Signs(turned_, &signatures[signatures.size() - projection_.words()]);
}

DistilledEncoder::Form DistilledEncoder::MakeForm(std::string_view text) {
  Form form;
  std::uint32_t weight = DistilledTable::kMaxWeight;
  if (!table_->Find(text, vector_, weight)) HashedVector(HashText(text));
  AppendSignature(form.signatures);
  form.weighted.resize(vector_.size());
  for (std::size_t k = 0; k < vector_.size(); ++k) {
    form.weighted[k] = vector_[k] * static_cast<std::int32_t>(weight) >> kWeightShift;
  }
  if (!HasPairs(DecodeAt(text, 0).value)) return form;
  CharacterOffsets(text, offsets_);
  // A word of two characters is its only pair.
  for (std::size_t i = 0; offsets_.size() > 3 && i + 2 < offsets_.size(); ++i) {
    const std::string_view pair = text.substr(offsets_[i], offsets_[i + 2] - offsets_[i]);
    form.pair_stems.push_back(HashText(pair));
    HashedVector(form.pair_stems.back());
    AppendSignature(form.signatures);
  }
  return form;
}

const DistilledEncoder::Form& DistilledEncoder::FormOf(std::string_view text) {
  const auto young = young_.find(text);
  if (young != young_.end()) return young->second;
  if (young_.size() >= kGeneration) old_ = std::exchange(young_, {});
  const auto old = old_.find(text);
  if (old != old_.end()) return young_.insert(old_.extract(old)).position->second;
  return young_.emplace(text, MakeForm(text)).first->second;
}

// The pair made of the last character before a word and its first one.
void DistilledEncoder::PushJoint(std::string_view before, const ListedWord& word,
                                 EncodedText& encoded) {
  CharacterOffsets(before, offsets_);
  std::string pair(before.substr(offsets_[offsets_.size() - 2]));
  pair += word.text.substr(0, DecodeAt(word.text, 0).length);
  const Form& form = FormOf(pair);
  encoded.signatures.insert(encoded.signatures.end(), form.signatures.begin(),
                            form.signatures.end());
  encoded.stems.push_back(HashText(pair));
  encoded.word_of.push_back(word.index);
}

void DistilledEncoder::Encode(std::span<const ListedWord> words, EncodedText& encoded) {
  encoded.Clear();
  std::fill(total_.begin(), total_.end(), 0);
  std::fill(sum_.begin(), sum_.end(), 0);
  std::size_t in_sum = 0;
  const auto flush = [&] {
    for (std::size_t k = 0; k < sum_.size(); ++k) total_[k] += std::exchange(sum_[k], 0);
    in_sum = 0;
  };
  std::string_view before;  // the word just before, where it has pairs
  for (const ListedWord& word : words) {
    const bool has_pairs = HasPairs(DecodeAt(word.text, 0).value);
    if (word.adjacent && has_pairs && !before.empty()) PushJoint(before, word, encoded);
    const Form& form = FormOf(word.text);
    encoded.signatures.insert(encoded.signatures.end(), form.signatures.begin(),
                              form.signatures.end());
    encoded.stems.push_back(HashText(word.stem));
    encoded.stems.insert(encoded.stems.end(), form.pair_stems.begin(), form.pair_stems.end());
    encoded.word_of.insert(encoded.word_of.end(), 1 + form.pair_stems.size(), word.index);
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += form.weighted[k];
    if (++in_sum == kWordsPerSum) flush();
    before = has_pairs ? word.text : std::string_view();
  }
  flush();
  double square = 0;
  for (const std::int64_t component : total_) {
    square += static_cast<double>(component) * static_cast<double>(component);
  }
  const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
  for (const std::int64_t component : total_) {
    encoded.vector.push_back(static_cast<float>(static_cast<double>(component) * scale));
  }
}

void DistilledEncoder::EncodeQuery(std::span<const ListedWord> words, EncodedText& encoded) {
  Encode(words, encoded);
  DropRepeatedStems(projection_.words(), encoded);
}

}  // namespace dentate::signatures
