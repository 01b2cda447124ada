#include "bank/live_part.h"

#include <cassert>
#include <utility>

#include "bank/bit_order.h"

namespace dentate::bank {

std::size_t AppendScratch::SizeInBytes() const noexcept {
  std::size_t bytes = sizeof(*this) + record.SizeInBytes() + group.capacity() +
                      rows.capacity() * sizeof(EntryTable::Row);
  for (const auto* list : {&stream, &counted_codes, &distinct_codes, &session_of, &speaker_of}) {
    bytes += list->capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

LivePart::LivePart(std::size_t signature_words) : dictionary_(signature_words, pieces_) {}

LivePart::~LivePart() = default;

EntryRow LivePart::Row(std::uint32_t entry) const {
  const EntryTable::Row& row = entries_.row(entry);
  return {row.session, row.speaker, row.role, row.at, row.ingested};
}

Interval32 LivePart::TokenSpan(std::uint32_t entry) const {
  const EntryTable::Row& row = entries_.row(entry);
  return {row.token_begin, row.token_end};
}

Interval32 LivePart::CodeSpan(std::uint32_t entry) const {
  const EntryTable::Row& row = entries_.row(entry);
  return {row.code_begin, row.code_end};
}

void LivePart::AppendExtras(std::uint32_t entry, std::vector<std::uint8_t>& out) const {
  entries_.CopyExtras(entry, out);
}

void LivePart::Tokens(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const {
  const std::span<std::uint32_t> symbols(out, end - begin);
  content_.AccessRange(begin, end, out);
  for (std::uint32_t& symbol : symbols) symbol = ReverseBits<kSymbolBits>(symbol);
  symbols_.ToTokens(symbols);
}

std::string_view LivePart::SessionName(std::uint32_t session) const {
  return sessions_.Name(session);
}

std::uint32_t LivePart::RunBegin(std::uint32_t entry) const {
  return entries_.row(entry).run_begin;
}

std::uint32_t LivePart::Previous(std::uint32_t entry) const { return entries_.row(entry).previous; }

std::uint32_t LivePart::Next(std::uint32_t entry, std::uint32_t size) const {
  return entries_.next(entry, size);
}

std::uint32_t LivePart::FirstOfSession(std::uint32_t session) const {
  return entries_.FirstOfSession(session);
}

std::uint32_t LivePart::LastOfSession(std::uint32_t session, std::uint32_t size) const {
  return entries_.LastOfSession(session, size);
}

std::string_view LivePart::SpeakerName(std::uint32_t speaker) const {
  return speakers_.Name(speaker);
}

std::uint32_t LivePart::speaker_word_count(std::uint32_t speaker) const {
  return speaker_word_ends_[speaker] - (speaker == 0 ? 0 : speaker_word_ends_[speaker - 1]);
}

std::uint64_t LivePart::SpeakerWordStem(std::uint32_t speaker, std::uint32_t word) const {
  return speaker_words_[(speaker == 0 ? 0 : speaker_word_ends_[speaker - 1]) + word].stem;
}

void LivePart::SpeakerWordPieces(std::uint32_t speaker, std::uint32_t word,
                                 std::vector<std::uint32_t>& pieces) const {
  const std::uint32_t begin = speaker == 0 ? 0 : speaker_word_ends_[speaker - 1];
  pieces_.Get(speaker_words_[begin + word].pieces, pieces);
}

void LivePart::FindBall(std::span<const std::uint64_t> signature, const std::uint64_t* stem,
                        std::uint32_t radius, BallFinder& finder, Ball& ball) const {
  // The stem's codes may be newer than the size: Find leaves those out.
  const std::size_t size = dictionary_.size();
  std::vector<std::uint32_t>& same_stem = finder.stem_codes();
  same_stem.clear();
  for (std::uint32_t code = stem == nullptr ? kNone : dictionary_.NewestWithStem(*stem);
       code != kNone; code = dictionary_.OlderWithStem(code)) {
    same_stem.push_back(code);
  }
  finder.Find(dictionary_.signatures().View(size), signature, radius, same_stem, ball);
}

void LivePart::Signature(std::uint32_t code, std::uint64_t* words) const {
  for (std::size_t word = 0; word < signature_words(); ++word) {
    words[word] = *dictionary_.signatures().WordAt(code, word);
  }
}

std::size_t LivePart::EntriesOf(std::uint32_t code, std::uint32_t size, Sweep& sweep,
                                std::span<std::uint32_t> out) const {
  if (sweep.done || size == 0 || out.empty()) return 0;
  // The stream need not be asked about a code of one entry. A snapshot that has a second one has
  // its count too: it was stored before the snapshot's size.
  const std::uint32_t holders = dictionary_.EntriesWith(code);
  if (holders < 2) {
    sweep.done = true;
    if (holders == 0 || dictionary_.FirstEntryWith(code) >= size) return 0;
    out[0] = dictionary_.FirstEntryWith(code);
    return 1;
  }
  const std::uint32_t code_end = entries_.row(size - 1).code_end;
  std::size_t found = 0;
  while (found == 0 && !sweep.done) {
    // Positions become entries in place.
    const std::size_t count =
        codes_.Occurrences(ReverseBits<kCodeBits>(code), sweep.occurrence, out);
    sweep.done = count < out.size();
    sweep.occurrence += static_cast<std::uint32_t>(count);
    for (const std::uint32_t position : out.first(count)) {
      if (position >= code_end) {  // appended since the snapshot
        sweep.done = true;
        break;
      }
      const std::uint32_t entry = entries_.EntryOfCode(position, sweep.entry, size);
      if (entry == kNone) continue;  // a gap
      sweep.entry = entry;
      out[found++] = entry;
    }
  }
  return found;
}

std::uint64_t LivePart::OccurrencesOf(std::uint32_t code) const {
  return codes_.Count(ReverseBits<kCodeBits>(code));
}

void LivePart::CountIn(std::span<const std::uint32_t> codes, Interval32 positions,
                       std::uint32_t* counts) const {
  // Each code's rank before the interval and up to its end, all in one batch.
  std::vector<std::uint32_t> symbols, ends, ranks(2 * codes.size());
  symbols.reserve(ranks.size());
  ends.reserve(ranks.size());
  for (const std::uint32_t code : codes) {
    symbols.insert(symbols.end(), 2, ReverseBits<kCodeBits>(code));
    ends.push_back(positions.begin);
    ends.push_back(positions.end);
  }
  codes_.RankMany(symbols, ends, ranks.data());
  for (std::size_t i = 0; i < codes.size(); ++i) counts[i] = ranks[2 * i + 1] - ranks[2 * i];
}

void LivePart::Codes(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& codes,
                     std::vector<std::uint32_t>* tokens) const {
  codes.resize(end - begin);
  codes_.AccessRange(begin, end, codes.data());
  for (std::uint32_t& code : codes) code = ReverseBits<kCodeBits>(code);
  if (tokens == nullptr) return;
  tokens->resize(end - begin);
  for (std::uint32_t position = begin; position < end; ++position) {
    // The zeros before the code's one are its token and the tokens before.
    (*tokens)[position - begin] =
        static_cast<std::uint32_t>(token_codes_.Select1(position)) - position - 1;
  }
}

std::size_t LivePart::SizeInBytes() const {
  return sizeof(*this) + pieces_.SizeInBytes() + symbols_.SizeInBytes() + content_.SizeInBytes() +
         dictionary_.SizeInBytes() + codes_.SizeInBytes() + token_codes_.SizeInBytes() +
         entries_.SizeInBytes() + sessions_.SizeInBytes() + speakers_.SizeInBytes() +
         speaker_words_.SizeInBytes() + speaker_word_ends_.SizeInBytes() +
         fingerprints_.SizeInBytes() + entry_vectors().SizeInBytes();
}

}  // namespace dentate::bank
