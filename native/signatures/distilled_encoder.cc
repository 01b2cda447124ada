#include "signatures/distilled_encoder.h"

#include <algorithm>
#include <utility>

#include "signatures/hash.h"
#include "signatures/script.h"

namespace dentate::signatures {

DistilledEncoder::DistilledEncoder(std::shared_ptr<const DistilledTable> table, std::size_t bits)
    : table_(std::move(table)),
      projection_(table_->dimensions(), bits),
      vector_(table_->dimensions()),
      turned_(bits) {}

void DistilledEncoder::AppendSignature(std::span<const std::uint32_t> pieces, std::uint64_t stem,
                                       std::vector<std::uint64_t>& signatures) {
  table_->Vector(pieces, stem, vector_);
  projection_.Turn(vector_, scratch_, turned_.data());
  signatures.resize(signatures.size() + projection_.words());
  SignProjection::Signs(turned_, &signatures[signatures.size() - projection_.words()]);
}

DistilledEncoder::Form DistilledEncoder::MakeForm(std::string_view text, std::uint64_t stem) {
  Form form;
  form.stem = stem;
  table_->Cut(text, form.pieces);
  AppendSignature(form.pieces, stem, form.signatures);
  if (!HasPairs(DecodeAt(text, 0).value)) return form;
  CharacterOffsets(text, offsets_);
  // A word of two characters is its only pair.
  for (std::size_t i = 0; offsets_.size() > 3 && i + 2 < offsets_.size(); ++i) {
    form.pair_stems.push_back(HashText(text.substr(offsets_[i], offsets_[i + 2] - offsets_[i])));
    AppendSignature({}, form.pair_stems.back(), form.signatures);
  }
  return form;
}

const DistilledEncoder::Form& DistilledEncoder::FormOf(std::string_view text, std::uint64_t stem) {
  const auto fits = [stem](const Form& form) { return !form.pieces.empty() || form.stem == stem; };
  const auto young = young_.find(text);
  if (young != young_.end()) {
    if (!fits(young->second)) young->second = MakeForm(text, stem);
    return young->second;
  }
  if (young_.size() >= kGeneration) old_ = std::exchange(young_, {});
  const auto old = old_.find(text);
  if (old != old_.end() && fits(old->second)) {
    return young_.insert(old_.extract(old)).position->second;
  }
  return young_.emplace(text, MakeForm(text, stem)).first->second;
}

// The rows of a word: its own, then its pairs'.
void DistilledEncoder::Push(const Form& form, std::uint64_t stem, std::uint32_t index,
                            EncodedText& encoded) {
  encoded.signatures.insert(encoded.signatures.end(), form.signatures.begin(),
                            form.signatures.end());
  encoded.stems.push_back(stem);
  encoded.stems.insert(encoded.stems.end(), form.pair_stems.begin(), form.pair_stems.end());
  encoded.pieces.insert(encoded.pieces.end(), form.pieces.begin(), form.pieces.end());
  encoded.piece_counts.push_back(static_cast<std::uint32_t>(form.pieces.size()));
  encoded.piece_counts.insert(encoded.piece_counts.end(), form.pair_stems.size(), 0);
  encoded.word_of.insert(encoded.word_of.end(), 1 + form.pair_stems.size(), index);
}

// The pair made of the last character before a word and its first one.
void DistilledEncoder::PushJoint(std::string_view before, const ListedWord& word,
                                 EncodedText& encoded) {
  CharacterOffsets(before, offsets_);
  std::string pair(before.substr(offsets_[offsets_.size() - 2]));
  pair += word.text.substr(0, DecodeAt(word.text, 0).length);
  PushWord(pair, HashText(pair), word.index, encoded);
}

void DistilledEncoder::Append(std::span<const ListedWord> words, EncodedText& encoded) {
  std::string_view before;  // the word just before, where it has pairs
  for (const ListedWord& word : words) {
    const bool has_pairs = HasPairs(DecodeAt(word.text, 0).value);
    if (word.adjacent && has_pairs && !before.empty()) PushJoint(before, word, encoded);
    PushWord(word.text, HashText(word.stem), word.index, encoded);
    before = has_pairs ? word.text : std::string_view();
  }
}

void DistilledEncoder::AppendOnce(std::span<const ListedWord> words, EncodedText& encoded) {
  const auto has_pairs = [](const ListedWord& word) {
    return HasPairs(DecodeAt(word.text, 0).value);
  };
  if (std::any_of(words.begin(), words.end(), has_pairs)) return Append(words, encoded);
  for (const ListedWord& word : words) {
    const std::uint64_t stem = HashText(word.stem);
    Push(MakeForm(word.text, stem), stem, word.index, encoded);
  }
}

void DistilledEncoder::SetVector(EncodedText& encoded) {
  sum_.Begin(table_->dimensions());
  std::size_t piece = 0;
  for (std::size_t row = 0; row < encoded.stems.size(); ++row) {
    const std::size_t count = encoded.piece_counts[row];
    sum_.Add(*table_, std::span(encoded.pieces).subspan(piece, count), encoded.stems[row]);
    piece += count;
  }
  encoded.vector.resize(table_->dimensions());
  sum_.Unit(encoded.vector);
}

void DistilledEncoder::EncodeQuery(std::span<const ListedWord> words, EncodedText& encoded) {
  Encode(words, encoded);
  DropRepeatedStems(projection_.words(), encoded);
}

}  // namespace dentate::signatures
