#include "bank/vector_builder.h"

#include <algorithm>

namespace dentate::bank {
namespace {

constexpr std::size_t kAhead = 4;  // words whose rows are asked for before they are read

}  // namespace

std::span<const std::uint32_t> VectorBuilder::PiecesOf(std::size_t word) const noexcept {
  const std::uint32_t begin = word == 0 ? 0 : words_[word - 1].pieces_end;
  return std::span(pieces_).subspan(begin, words_[word].pieces_end - begin);
}

void VectorBuilder::PushWord(std::uint64_t stem) {
  pieces_.insert(pieces_.end(), word_pieces_.begin(), word_pieces_.end());
  words_.push_back({stem, static_cast<std::uint32_t>(pieces_.size())});
}

void VectorBuilder::Build(const Part& part, std::uint32_t begin, std::uint32_t end,
                          const signatures::WordVectors& vectors) {
  const std::uint32_t first_code = part.CodeSpan(begin).begin;
  part.Codes(first_code, std::max(first_code, part.CodeSpan(end - 1).end), codes_, nullptr);
  words_.clear();
  pieces_.clear();
  word_ends_.clear();
  for (std::uint32_t entry = begin; entry < end; ++entry) {
    const Interval32 span = part.CodeSpan(entry);  // a live part may have gaps between them
    for (std::uint32_t at = span.begin; at < span.end; ++at) {
      const std::uint32_t code = codes_[at - first_code];
      word_pieces_.clear();
      part.Pieces(code, word_pieces_);
      PushWord(part.Stem(code));
    }
    const std::uint32_t speaker = part.Row(entry).speaker;
    const std::uint32_t names = speaker == kNone ? 0 : part.speaker_word_count(speaker);
    for (std::uint32_t word = 0; word < names; ++word) {
      word_pieces_.clear();
      part.SpeakerWordPieces(speaker, word, word_pieces_);
      PushWord(part.SpeakerWordStem(speaker, word));
    }
    word_ends_.push_back(words_.size());
  }

  const std::size_t dimensions = vectors.dimensions();
  const float scale = EntryVectors::ScaleOf(dimensions);
  rows_.resize((end - begin) * dimensions);
  unit_.resize(dimensions);
  for (std::size_t word = 0; word < std::min(kAhead, words_.size()); ++word) {
    vectors.Prefetch(PiecesOf(word));
  }
  std::size_t word = 0;
  for (std::uint32_t entry = begin; entry < end; ++entry) {
    sum_.Begin(dimensions);
    for (; word < word_ends_[entry - begin]; ++word) {
      if (word + kAhead < words_.size()) vectors.Prefetch(PiecesOf(word + kAhead));
      sum_.Add(vectors, PiecesOf(word), words_[word].stem);
    }
    sum_.Unit(unit_);
    const auto row = std::span(rows_).subspan((entry - begin) * dimensions, dimensions);
    for (std::size_t k = 0; k < dimensions; ++k) {
      // Half away from zero: a conversion after half has been added needs no rounding mode.
      const float scaled =
          std::clamp(unit_[k] * scale, -EntryVectors::kLimit, EntryVectors::kLimit);
      row[k] = static_cast<std::int8_t>(scaled < 0 ? scaled - 0.5F : scaled + 0.5F);
    }
    part.entry_vectors().Keep(entry, row);
  }
}

std::size_t VectorBuilder::SizeInBytes() const noexcept {
  return (codes_.capacity() + pieces_.capacity() + word_pieces_.capacity()) *
             sizeof(std::uint32_t) +
         words_.capacity() * sizeof(Word) + word_ends_.capacity() * sizeof(std::size_t) +
         unit_.capacity() * sizeof(float) + rows_.capacity();
}

}  // namespace dentate::bank
