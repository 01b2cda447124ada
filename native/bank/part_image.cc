#include "bank/part_image.h"

#include <cstring>

#include "succinct/blocked_ints.h"
#include "succinct/elias_fano.h"
#include "succinct/packed_ints.h"
#include "succinct/rank_bits.h"

namespace dentate::bank {
namespace {

using succinct::EliasFano;
using succinct::PackedInts;

constexpr std::uint64_t WordsOfBytes(std::uint64_t bytes) noexcept { return (bytes + 7) / 8; }

// Numbers 0 .. limit - 1.
std::uint64_t PackedBelow(std::uint64_t count, std::uint64_t limit) noexcept {
  return PackedInts::WordCount(count, PackedInts::WidthOf(limit == 0 ? 0 : limit - 1));
}
// Numbers 0 .. largest.
std::uint64_t PackedUpTo(std::uint64_t count, std::uint64_t largest) noexcept {
  return PackedInts::WordCount(count, PackedInts::WidthOf(largest));
}

std::uint64_t WordsOf(Section section, const ImageHeader& h) noexcept {
  const std::uint64_t n = h.entries;
  switch (section) {
    case Section::kContent:
      return h.content_words;
    case Section::kCodes:
      return h.code_words;
    case Section::kSignatures:
      return h.signature_words * SignatureStride(h.distinct_codes);
    case Section::kRunMarks:
      return succinct::RankBits::WordCount(n);
    case Section::kStems:
      return h.distinct_codes;
    case Section::kHolders:
      return PackedUpTo(h.distinct_codes, 2 * n);
    case Section::kPieceEnds:
      return EliasFano::WordCount(h.distinct_codes, h.pieces);
    case Section::kPieces:
      return PackedInts::WordCount(h.pieces, h.piece_width);
    case Section::kTokenIds:
      return PackedInts::WordCount(h.distinct_tokens, kTokenIdBits);
    case Section::kTokenBits:
      return PackedInts::WordCount(std::uint64_t{h.tokens} + h.codes, 1);
    case Section::kTokenEnds:
      return EliasFano::WordCount(n, h.tokens);
    case Section::kCodeEnds:
      return EliasFano::WordCount(n, h.codes);
    case Section::kCodeBlocks:
      return PackedUpTo(CodeBlockCount(h.codes), n);
    case Section::kAt:
      return h.at_words;
    case Section::kIngested:
      return h.ingested_words;
    case Section::kRoles:
      return PackedInts::WordCount(n, h.role_width);
    case Section::kEntrySpeakers:
      return PackedUpTo(n, h.speakers);
    case Section::kEntryExtras:
      return PackedBelow(n, h.distinct_extras);
    case Section::kExtrasEnds:
      return EliasFano::WordCount(h.distinct_extras, h.extras_bytes);
    case Section::kExtras:
      return WordsOfBytes(h.extras_bytes);
    case Section::kRunEnds:
      return EliasFano::WordCount(h.runs, n);
    case Section::kRunSessions:
      return PackedUpTo(h.runs, h.sessions);
    case Section::kRunsBefore:
    case Section::kRunsAfter:
      return PackedUpTo(h.runs, h.runs);
    case Section::kFirstRuns:
    case Section::kLastRuns:
      return PackedBelow(h.sessions, h.runs);
    case Section::kSessionNameEnds:
      return EliasFano::WordCount(h.sessions, h.session_name_bytes);
    case Section::kSessionNames:
      return WordsOfBytes(h.session_name_bytes);
    case Section::kSpeakerNameEnds:
      return EliasFano::WordCount(h.speakers, h.speaker_name_bytes);
    case Section::kSpeakerNames:
      return WordsOfBytes(h.speaker_name_bytes);
    case Section::kSpeakerWordEnds:
      return EliasFano::WordCount(h.speakers, h.speaker_word_bytes);
    case Section::kSpeakerWords:
      return WordsOfBytes(h.speaker_word_bytes);
    case Section::kFingerprints:
      return EliasFano::WordCount(h.living, h.largest_fingerprint);
    case Section::kFingerprintEntries:
      return PackedBelow(h.living, n);
    case Section::kFacts:
      return WordsOfBytes(h.facts_bytes);
  }
  return 0;
}

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

}  // namespace

const char* SectionName(Section section) noexcept {
  static constexpr std::array<const char*, kSectionCount> kNames = {"content",
                                                                    "codes",
                                                                    "signatures",
                                                                    "run marks",
                                                                    "stems",
                                                                    "holders",
                                                                    "piece ends",
                                                                    "pieces",
                                                                    "token ids",
                                                                    "token bits",
                                                                    "token ends",
                                                                    "code ends",
                                                                    "code blocks",
                                                                    "event times",
                                                                    "ingest times",
                                                                    "roles",
                                                                    "entry speakers",
                                                                    "entry extras",
                                                                    "extras ends",
                                                                    "extras bytes",
                                                                    "run ends",
                                                                    "run sessions",
                                                                    "runs before",
                                                                    "runs after",
                                                                    "first runs",
                                                                    "last runs",
                                                                    "session name ends",
                                                                    "session names",
                                                                    "speaker name ends",
                                                                    "speaker names",
                                                                    "speaker word ends",
                                                                    "speaker words",
                                                                    "fingerprints",
                                                                    "their entries",
                                                                    "facts"};
  return kNames[static_cast<std::size_t>(section)];
}

ImageLayout::ImageLayout(const ImageHeader& header) noexcept {
  begin[0] = sizeof(ImageHeader) / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    begin[i + 1] = begin[i] + WordsOf(static_cast<Section>(i), header);
  }
}

Status ReadImageHeader(std::span<const std::uint8_t> bytes, ImageHeader& header) {
  if (bytes.size() < sizeof header) return Corruption("part is shorter than its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != ImageHeader::kMagic) return Corruption("not a part");
  if (header.version > ImageHeader::kVersion) {
    return {ErrorCode::kVersion, "part is of a newer format"};
  }
  constexpr std::uint32_t kMaxCount = succinct::EliasFano::kMaxCount;
  const bool possible =
      header.version == ImageHeader::kVersion && header.zero == decltype(header.zero){} &&
      header.signature_words >= 1 && header.signature_words <= 64 && header.role_width <= 8 &&
      header.piece_width <= 32 && header.entries <= kMaxCount && header.tokens < 0xffffffff &&
      header.codes < 0xffffffff && header.distinct_tokens <= kMaxCount &&
      header.distinct_codes <= kMaxCount && header.runs <= header.entries &&
      header.sessions <= header.runs && header.speakers <= kMaxCount &&
      header.distinct_extras <= kMaxCount && header.living <= header.entries &&
      header.content_words % 8 == 0 && header.code_words % 8 == 0 &&
      header.first_entry <= UINT32_MAX - header.entries &&
      (header.entries > 0) == (header.runs > 0);
  if (!possible) return Corruption("part header holds an impossible value");
  if (header.byte_count != bytes.size() || ImageLayout(header).byte_count() != bytes.size()) {
    return Corruption("part has another length than its header says");
  }
  return Status::Ok();
}

}  // namespace dentate::bank
