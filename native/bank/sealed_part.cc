#include "bank/sealed_part.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "bank/part_facts.h"
#include "core/coding.h"

namespace dentate::bank {
namespace {

using succinct::EliasFano;
using succinct::PackedInts;

// Positions [begin, end) up to here are counted by reading them.
constexpr std::uint32_t kShortInterval = 256;

std::span<const std::uint64_t> WordsOf(const std::uint64_t* image, const ImageLayout& layout,
                                       Section section) {
  const auto index = static_cast<std::size_t>(section);
  return {image + layout.begin[index], image + layout.begin[index + 1]};
}

unsigned WidthBelow(std::uint32_t limit) { return PackedInts::WidthOf(limit == 0 ? 0 : limit - 1); }

Interval32 Narrow(EliasFano::Range range) noexcept {
  return {static_cast<std::uint32_t>(range.begin), static_cast<std::uint32_t>(range.end)};
}

std::string_view NameAt(const std::uint8_t* names, EliasFano::Range range) noexcept {
  return {reinterpret_cast<const char*>(names) + range.begin,
          static_cast<std::size_t>(range.size())};
}

struct Stream {
  Section section;
  succinct::HuffmanMatrix* matrix;
  std::uint32_t size, symbols;
};

}  // namespace

Status SealedPart::Open(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> owner,
                        std::shared_ptr<const SealedPart>& out) {
  ImageHeader header;
  if (Status status = ReadImageHeader(bytes, header); !status.ok()) return status;
  const ImageLayout layout(header);
  const auto* image = reinterpret_cast<const std::uint64_t*>(bytes.data());
  const std::shared_ptr<SealedPart> part(new SealedPart(bytes, std::move(owner)));
  for (const auto& [section, matrix, size, symbols] :
       {Stream{Section::kContent, &part->content_, header.tokens, header.distinct_tokens},
        Stream{Section::kCodes, &part->codes_, header.codes, header.distinct_codes}}) {
    Status status = succinct::HuffmanMatrix::Open(WordsOf(image, layout, section), *matrix);
    if (!status.ok()) return status;
    if (matrix->size() != size || matrix->symbol_count() != symbols) {
      return {ErrorCode::kCorruption, "a stream of the part is not the one its header tells of"};
    }
  }
  out = part;
  return Status::Ok();
}

Status SealedPart::ReadFacts(std::span<const std::uint8_t> bytes, std::span<const Interval32> rows,
                             PartFacts& facts) {
  ImageHeader header;
  if (Status status = ReadImageHeader(bytes, header); !status.ok()) return status;
  const std::size_t begin =
      ImageLayout(header).begin[static_cast<std::size_t>(Section::kFacts)] * sizeof(std::uint64_t);
  return DecodeFacts(bytes.subspan(begin, header.facts_bytes), header.next_entry, rows, facts);
}

// REQUIRES: ReadImageHeader passes.
SealedPart::SealedPart(std::span<const std::uint8_t> bytes,
                       std::shared_ptr<const void> owner) noexcept
    : Part(reinterpret_cast<const ImageHeader*>(bytes.data())->entries),
      bytes_(bytes),
      owner_(std::move(owner)) {
  const ImageHeader& h = header();
  const ImageLayout layout(h);
  const auto* image = reinterpret_cast<const std::uint64_t*>(bytes.data());
  const auto at = [&](Section section) {
    return image + layout.begin[static_cast<std::size_t>(section)];
  };
  const auto bytes_at = [&](Section section) {
    return reinterpret_cast<const std::uint8_t*>(at(section));
  };
  const auto packed = [&](Section section, unsigned width) {
    return PackedInts(at(section), width);
  };
  const auto ascending = [&](Section section, std::uint64_t count, std::uint64_t last) {
    return EliasFano(at(section), count, last);
  };
  signatures_ = at(Section::kSignatures);
  stems_ = at(Section::kStems);
  token_bits_ = at(Section::kTokenBits);
  extras_ = bytes_at(Section::kExtras);
  session_names_ = bytes_at(Section::kSessionNames);
  speaker_names_ = bytes_at(Section::kSpeakerNames);
  speaker_words_ = bytes_at(Section::kSpeakerWords);
  run_marks_ = succinct::RankBits(at(Section::kRunMarks));

  const unsigned run_width = PackedInts::WidthOf(h.runs);
  holders_ = packed(Section::kHolders, PackedInts::WidthOf(2 * std::uint64_t{h.entries}));
  pieces_ = packed(Section::kPieces, h.piece_width);
  token_ids_ = packed(Section::kTokenIds, kTokenIdBits);
  code_blocks_ = packed(Section::kCodeBlocks, PackedInts::WidthOf(h.entries));
  roles_ = packed(Section::kRoles, h.role_width);
  entry_speakers_ = packed(Section::kEntrySpeakers, PackedInts::WidthOf(h.speakers));
  entry_extras_ = packed(Section::kEntryExtras, WidthBelow(h.distinct_extras));
  run_sessions_ = packed(Section::kRunSessions, PackedInts::WidthOf(h.sessions));
  runs_before_ = packed(Section::kRunsBefore, run_width);
  runs_after_ = packed(Section::kRunsAfter, run_width);
  first_runs_ = packed(Section::kFirstRuns, WidthBelow(h.runs));
  last_runs_ = packed(Section::kLastRuns, WidthBelow(h.runs));
  fingerprint_entries_ = packed(Section::kFingerprintEntries, WidthBelow(h.entries));

  piece_ends_ = ascending(Section::kPieceEnds, h.distinct_codes, h.pieces);
  token_ends_ = ascending(Section::kTokenEnds, h.entries, h.tokens);
  code_ends_ = ascending(Section::kCodeEnds, h.entries, h.codes);
  extras_ends_ = ascending(Section::kExtrasEnds, h.distinct_extras, h.extras_bytes);
  run_ends_ = ascending(Section::kRunEnds, h.runs, h.entries);
  session_name_ends_ = ascending(Section::kSessionNameEnds, h.sessions, h.session_name_bytes);
  speaker_name_ends_ = ascending(Section::kSpeakerNameEnds, h.speakers, h.speaker_name_bytes);
  speaker_word_ends_ = ascending(Section::kSpeakerWordEnds, h.speakers, h.speaker_word_bytes);
  fingerprints_ = ascending(Section::kFingerprints, h.living, h.largest_fingerprint);

  at_ = succinct::BlockedInts({at(Section::kAt), h.at_words}, h.entries);
  ingested_ = succinct::BlockedInts({at(Section::kIngested), h.ingested_words}, h.entries);
}

EntryRow SealedPart::Row(std::uint32_t entry) const {
  EntryRow row;
  row.session = Session(entry);
  if (row.session == kNone) return row;
  const std::uint64_t speaker = entry_speakers_.Get(entry);
  if (speaker != header().speakers) row.speaker = static_cast<std::uint32_t>(speaker);
  row.role = Role(entry);
  row.at = at_.Get(entry);
  row.ingested = ingested_.Get(entry);
  return row;
}

std::uint32_t SealedPart::Session(std::uint32_t entry) const {
  const std::uint64_t session = run_sessions_.Get(RunOf(entry));
  return session == header().sessions ? kNone : static_cast<std::uint32_t>(session);
}

std::uint8_t SealedPart::Role(std::uint32_t entry) const {
  return static_cast<std::uint8_t>(roles_.Get(entry));
}

std::vector<EntryOutline> SealedPart::MakeOutlines() const {
  const ImageHeader& h = header();
  std::vector<EntryOutline> rows(1 + std::size_t{h.entries} + EntryOutline::kFar);
  code_ends_.ForEach([&](std::size_t entry, std::uint64_t end) {
    rows[1 + entry].code_end = static_cast<std::uint32_t>(end);
  });
  for (std::uint32_t run = 0; run < h.runs; ++run) {
    const auto earlier = static_cast<std::uint8_t>(runs_before_.Get(run) != h.runs);
    const auto later = static_cast<std::uint8_t>(runs_after_.Get(run) != h.runs);
    const Interval32 entries = RunAt(run);
    for (std::uint32_t entry = entries.begin; entry < entries.end; ++entry) {
      EntryOutline& row = rows[1 + std::size_t{entry}];
      row.before = static_cast<std::uint8_t>(std::min(EntryOutline::kFar, entry - entries.begin));
      row.earlier = earlier;
      row.later = later;
    }
  }
  return rows;
}

Interval32 SealedPart::TokenSpan(std::uint32_t entry) const {
  return Narrow(token_ends_.RangeOf(entry));
}
Interval32 SealedPart::CodeSpan(std::uint32_t entry) const {
  return Narrow(code_ends_.RangeOf(entry));
}

void SealedPart::AppendExtras(std::uint32_t entry, std::vector<std::uint8_t>& out) const {
  if (header().extras_bytes == 0) return;
  if (run_sessions_.Get(RunOf(entry)) == header().sessions) return;
  const EliasFano::Range range = extras_ends_.RangeOf(entry_extras_.Get(entry));
  out.insert(out.end(), extras_ + range.begin, extras_ + range.end);
}

void SealedPart::Tokens(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const {
  content_.AccessRange(begin, end, out);
  for (std::uint32_t i = 0; i < end - begin; ++i) {
    out[i] = static_cast<std::uint32_t>(token_ids_.Get(out[i]));
  }
}

std::string_view SealedPart::SessionName(std::uint32_t session) const {
  return NameAt(session_names_, session_name_ends_.RangeOf(session));
}

Interval32 SealedPart::RunAt(std::uint32_t run) const noexcept {
  return Narrow(run_ends_.RangeOf(run));
}

std::uint32_t SealedPart::RunBegin(std::uint32_t entry) const { return RunAt(RunOf(entry)).begin; }

std::uint32_t SealedPart::Previous(std::uint32_t entry) const {
  const std::uint32_t run = RunOf(entry);
  if (run_sessions_.Get(run) == header().sessions) return kNone;
  if (entry > RunAt(run).begin) return entry - 1;
  const std::uint64_t before = runs_before_.Get(run);
  return before == header().runs ? kNone : RunAt(static_cast<std::uint32_t>(before)).end - 1;
}

std::uint32_t SealedPart::Next(std::uint32_t entry, std::uint32_t size) const {
  const std::uint32_t run = RunOf(entry);
  if (run_sessions_.Get(run) == header().sessions) return kNone;
  std::uint32_t next = entry + 1;
  if (next == RunAt(run).end) {
    const std::uint64_t after = runs_after_.Get(run);
    if (after == header().runs) return kNone;
    next = RunAt(static_cast<std::uint32_t>(after)).begin;
  }
  return next < size ? next : kNone;
}

std::uint32_t SealedPart::FirstOfSession(std::uint32_t session) const {
  return RunAt(static_cast<std::uint32_t>(first_runs_.Get(session))).begin;
}

std::uint32_t SealedPart::LastOfSession(std::uint32_t session, std::uint32_t size) const {
  auto run = static_cast<std::uint32_t>(last_runs_.Get(session));
  while (RunAt(run).begin >= size) {
    const std::uint64_t before = runs_before_.Get(run);
    if (before == header().runs) return kNone;
    run = static_cast<std::uint32_t>(before);
  }
  return std::min(RunAt(run).end, size) - 1;
}

void SealedPart::Speakers(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const {
  const std::uint32_t none = header().speakers;  // what an erased entry has, too
  for (std::uint32_t entry = begin; entry < end; ++entry) {
    const auto speaker = static_cast<std::uint32_t>(entry_speakers_.Get(entry));
    out[entry - begin] = speaker == none ? kNone : speaker;
  }
}

std::string_view SealedPart::SpeakerName(std::uint32_t speaker) const {
  return NameAt(speaker_names_, speaker_name_ends_.RangeOf(speaker));
}

std::span<const std::uint8_t> SealedPart::SpeakerWords(std::uint32_t speaker) const {
  const EliasFano::Range range = speaker_word_ends_.RangeOf(speaker);
  return {speaker_words_ + range.begin, static_cast<std::size_t>(range.size())};
}

std::uint32_t SealedPart::speaker_word_count(std::uint32_t speaker) const {
  return Decoder(SpeakerWords(speaker)).Varint32();
}

std::uint64_t SealedPart::SpeakerWordStem(std::uint32_t speaker, std::uint32_t word) const {
  Decoder decoder(SpeakerWords(speaker));
  decoder.Varint32();
  for (std::uint32_t i = 0;; ++i) {
    const auto stem = decoder.Fixed<std::uint64_t>();
    if (i == word || !decoder.ok()) return stem;
    for (std::uint32_t left = decoder.Varint32(); left > 0 && decoder.ok(); --left) {
      decoder.Varint32();
    }
  }
}

void SealedPart::SpeakerWordPieces(std::uint32_t speaker, std::uint32_t word,
                                   std::vector<std::uint32_t>& pieces) const {
  Decoder decoder(SpeakerWords(speaker));
  decoder.Varint32();
  for (std::uint32_t i = 0; i <= word && decoder.ok(); ++i) {
    decoder.Fixed<std::uint64_t>();
    for (std::uint32_t left = decoder.Varint32(); left > 0 && decoder.ok(); --left) {
      const std::uint32_t piece = decoder.Varint32();
      if (i == word) pieces.push_back(piece);
    }
  }
}

void SealedPart::FindBall(std::span<const std::uint64_t> signature, const std::uint64_t* stem,
                          std::uint32_t radius, BallFinder& finder, Ball& ball) const {
  std::vector<std::uint32_t>& same_stem = finder.stem_codes();
  same_stem.clear();
  const std::uint32_t count = code_count();
  if (stem != nullptr) {
    // Stems ascend among the codes that end on one level of the matrix.
    for (std::uint32_t level = 0; level < codes_.level_count(); ++level) {
      const std::uint32_t first = codes_.first_symbol(level);
      const StemRange range =
          FindStem({stems_ + first, stems_ + codes_.first_symbol(level + 1)}, *stem);
      for (std::uint32_t i = range.begin; i < range.end; ++i) same_stem.push_back(first + i);
    }
  }
  const hamming::ColumnsView columns(signatures_, signature_words(), SignatureStride(count), count);
  finder.Find(columns, signature, radius, same_stem, ball);
}

void SealedPart::Signature(std::uint32_t code, std::uint64_t* words) const {
  const std::size_t stride = SignatureStride(code_count());
  for (std::size_t word = 0; word < signature_words(); ++word) {
    words[word] = signatures_[word * stride + code];
  }
}

void SealedPart::Pieces(std::uint32_t code, std::vector<std::uint32_t>& pieces) const {
  const EliasFano::Range range = piece_ends_.RangeOf(code);
  for (std::uint64_t i = range.begin; i < range.end; ++i) {
    pieces.push_back(static_cast<std::uint32_t>(pieces_.Get(i)));
  }
}

std::uint32_t SealedPart::EntriesWith(std::uint32_t code) const {
  const std::uint64_t holders = holders_.Get(code);
  const std::uint32_t entries = entry_count();
  return holders < entries ? 1 : static_cast<std::uint32_t>(holders - entries);
}

std::uint32_t SealedPart::EntryOfCode(std::uint32_t position, std::uint32_t from) const noexcept {
  return static_cast<std::uint32_t>(
      code_ends_.NextAbove(position, std::max(from, BlockEntry(position))));
}

std::size_t SealedPart::EntriesOf(std::uint32_t code, std::uint32_t size, Sweep& sweep,
                                  std::span<std::uint32_t> out) const {
  if (sweep.done || out.empty()) return 0;
  // The stream need not be asked about a code of one entry, which is every second word of a text.
  if (const std::uint64_t holder = holders_.Get(code); holder < entry_count()) {
    sweep.done = true;
    if (holder >= size) return 0;
    out[0] = static_cast<std::uint32_t>(holder);
    return 1;
  }
  const std::size_t count = codes_.Occurrences(code, sweep.occurrence, out);
  sweep.occurrence += static_cast<std::uint32_t>(count);
  sweep.done = count < out.size();
  const EntryOutline* const outlines = Outlines() + 1;
  for (std::size_t i = 0; i < count; ++i) {
    sweep.entry = std::max(sweep.entry, BlockEntry(out[i]));
    while (outlines[sweep.entry].code_end <= out[i]) ++sweep.entry;
    if (sweep.entry >= size) {
      sweep.done = true;
      return i;
    }
    out[i] = sweep.entry;
  }
  return count;
}

void SealedPart::CountIn(std::span<const std::uint32_t> codes, Interval32 positions,
                         std::uint32_t* counts) const {
  if (positions.size() <= kShortInterval) {
    std::array<std::uint32_t, kShortInterval> here;
    codes_.AccessRange(positions.begin, positions.end, here.data());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      counts[i] = static_cast<std::uint32_t>(
          std::count(here.begin(), here.begin() + positions.size(), codes[i]));
    }
    return;
  }
  for (std::size_t i = 0; i < codes.size(); ++i) {
    counts[i] = codes_.CountIn(codes[i], positions.begin, positions.end);
  }
}

void SealedPart::Codes(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& codes,
                       std::vector<std::uint32_t>* tokens) const {
  codes.resize(end - begin);
  if (tokens != nullptr) tokens->resize(end - begin);
  if (begin == end) return;
  codes_.AccessRange(begin, end, codes.data());
  if (tokens == nullptr) return;
  // From the first bit of begin's entry on, where as many bits lie before it as tokens and codes:
  // a one that has k ones before it belongs to code k, and to the token of the last zero.
  const std::uint32_t entry = EntryOfCode(begin, 0);
  const std::uint32_t first_code = CodeSpan(entry).begin;
  std::uint64_t bit = std::uint64_t{TokenSpan(entry).begin} + first_code;
  std::uint64_t word = token_bits_[bit / 64] & ~std::uint64_t{0} << bit % 64;
  bit = bit / 64 * 64;
  for (std::uint32_t code = first_code; code < end; word &= word - 1, ++code) {
    while (word == 0) word = token_bits_[(bit += 64) / 64];
    if (code < begin) continue;
    const std::uint64_t one = bit + static_cast<std::uint64_t>(std::countr_zero(word));
    (*tokens)[code - begin] = static_cast<std::uint32_t>(one - code - 1);
  }
}

void SealedPart::FindFingerprint(std::uint32_t fingerprint,
                                 std::vector<std::uint32_t>& entries) const {
  std::size_t i = fingerprint == 0 ? 0 : fingerprints_.FirstAbove(fingerprint - 1);
  for (; i < fingerprints_.size() && fingerprints_.Get(i) == fingerprint; ++i) {
    entries.push_back(static_cast<std::uint32_t>(fingerprint_entries_.Get(i)));
  }
}

}  // namespace dentate::bank
