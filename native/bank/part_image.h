// The image of a sealed part: the bytes that a segment holds for one bank, used where they lie.
//
// Little-endian, no pointers, at an address that is a multiple of 64. A header says how many there
// are of everything, and every section's place follows from it, so that opening a part reads the
// header and nothing else. Sections lie in the order below, each from a multiple of 8 bytes on (the
// first four from a multiple of 64); the bytes between are zero.
//
//   header   128 bytes
//              offset  size  field
//                   0     8  magic "DENTPART"
//                   8     4  version, 1
//                  12     4  w: 64-bit words a signature
//                  16     8  bytes of the image
//                  24     4  first entry: the bank's number of the part's entry 0
//                  28     4  next entry: numbers below it had been given when the image was made
//                  32     4  n: entries, erased ones included
//                  36     4  t: tokens
//                  40     4  c: codes in the signature stream
//                  44     4  s: distinct tokens
//                  48     4  d: distinct codes
//                  52     4  p: pieces of all distinct codes
//                  56     4  r: runs
//                  60     4  sessions
//                  64     4  speakers
//                  68     4  distinct extras
//                  72     4  living entries: those that are not erased
//                  76     4  the largest fingerprint
//                  80     8  bytes of all distinct extras
//                  88     4  bytes of the sessions' names
//                  92     4  bytes of the speakers' names
//                  96     4  bytes of the speakers' words
//                 100     4  bytes of the facts
//                 104     4  64-bit words of the content
//                 108     4  64-bit words of the signature stream
//                 112     4  64-bit words of the event times
//                 116     4  64-bit words of the ingest times
//                 120     1  width of a role
//                 121     1  width of a piece
//                 122     6  zero
//
//   what a section is made of        bits(x): the bits that the number x needs
//     matrix        huffman_matrix.h
//     rank bits     rank_bits.h
//     ascending     elias_fano.h: numbers that never fall
//     packed b      packed_ints.h: numbers of b bits
//     blocked       blocked_ints.h
//     bytes
//
//   section            made of                       what
//   content            matrix, without select        the token stream, in symbols 0 .. s - 1
//   codes              matrix, with select           the signature stream, in codes 0 .. d - 1
//   signatures         w columns of u64, each        word j of every code's signature; zeros at the
//                      d rounded up to 8 rows        end of a column
//   run marks          rank bits over n              one where a run begins
//   stems              d u64                         of each code
//   holders            packed bits(2 n)              of each code: the entry that alone holds it,
//   or
//                                                    n + the number of entries that do
//   piece ends         ascending, d, up to p         where a code's pieces end
//   pieces             packed, of the header's width rows of the distilled table
//   token ids          packed 18, s                  the o200k_base id of each symbol
//   token bits         t + c bits                    for each token a 0, then a 1 for each code
//   that
//                                                    starts at it
//   token ends         ascending, n, up to t         where an entry's tokens end, in the content
//   code ends          ascending, n, up to c         where its codes end, in the signature stream
//   code blocks        packed bits(n), c / 64        the first entry whose codes end after position
//                      rounded up                    64 j: where to look for a code's entry
//   event times        blocked, n                    Unix ms; of erased entries anything
//   ingest times       blocked, n                    the same
//   roles              packed, of the header's width
//   entry speakers     packed bits(speakers), n      speakers: none
//   entry extras       packed bits(extras - 1), n
//   extras ends        ascending, extras, up to      distinct extras, as they are first used
//   extras bytes       their bytes
//   run ends           ascending, r, up to n         runs: entries that follow each other and are
//   of
//                                                    one session, or all erased
//   run sessions       packed bits(sessions), r      sessions: erased
//   runs before        packed bits(r), r             the session's run before this one; r: none
//   runs after         packed bits(r), r             ... and after
//   first runs         packed bits(r - 1), sessions  of each session
//   last runs          packed bits(r - 1), sessions
//   session name ends  ascending, sessions
//   session names      bytes
//   speaker name ends  ascending, speakers
//   speaker names      bytes
//   speaker word ends  ascending, speakers
//   speaker words      bytes                         of each speaker, in varints but for the stems:
//   how
//                                                    many words; for each its stem (8 bytes), how
//                                                    many pieces, the pieces
//   fingerprints       ascending, living             of the living entries (content_hash.h)
//   their entries      packed bits(n - 1), living    equal ones by ascending entry
//   facts              bytes                         part_facts.h
//
// Symbols and codes are numbered as their matrix has it, by the level that they end on; those of
// one level ascend with the token's id, and with (stem, signature). So equal entries are equal
// bytes, however they came together, and a stem is found by halving, level by level. Sessions,
// speakers and extras are numbered as they are first used.
//
// Nothing is in an image that none of its entries uses: what an erased entry said is nowhere in it.
//
// An image may have no entries: it carries facts.
//
// Space. A million tokens of Zipf text (4.69 bytes of UTF-8 each) in 20,456 turns, with two
// speakers and a time a minute; 528,488 codes, 23,180 distinct. In bytes a token:
//
//   content 1.50 | codes 0.95 | signatures 0.37 | token bits 0.19 | stems 0.19 | rows 0.12
//   fingerprints 0.09 | token ids 0.07 | pieces 0.05 | holders 0.05       sum 3.57, or 0.76 of the
//   text
//
// A row is 6 bytes, its fingerprint 4. A thousand tokens (21 turns, 434 distinct words) take 17,056
// bytes; there the dictionary is two thirds.

#ifndef DENTATE_BANK_PART_IMAGE_H_
#define DENTATE_BANK_PART_IMAGE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/status.h"

namespace dentate::bank {

static_assert(std::endian::native == std::endian::little, "the bytes are used in place");

inline constexpr std::size_t kImageAlignment = 64;
inline constexpr unsigned kTokenIdBits = 18;  // o200k_base has 200,019 tokens
inline constexpr std::uint32_t kCodesPerBlock = 64;

struct ImageHeader {
  static constexpr std::array<char, 8> kMagic = {'D', 'E', 'N', 'T', 'P', 'A', 'R', 'T'};
  static constexpr std::uint32_t kVersion = 1;

  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t signature_words = 0;
  std::uint64_t byte_count = 0;
  std::uint32_t first_entry = 0;
  std::uint32_t next_entry = 0;
  std::uint32_t entries = 0;
  std::uint32_t tokens = 0;
  std::uint32_t codes = 0;
  std::uint32_t distinct_tokens = 0;
  std::uint32_t distinct_codes = 0;
  std::uint32_t pieces = 0;
  std::uint32_t runs = 0;
  std::uint32_t sessions = 0;
  std::uint32_t speakers = 0;
  std::uint32_t distinct_extras = 0;
  std::uint32_t living = 0;
  std::uint32_t largest_fingerprint = 0;
  std::uint64_t extras_bytes = 0;
  std::uint32_t session_name_bytes = 0;
  std::uint32_t speaker_name_bytes = 0;
  std::uint32_t speaker_word_bytes = 0;
  std::uint32_t facts_bytes = 0;
  std::uint32_t content_words = 0;
  std::uint32_t code_words = 0;
  std::uint32_t at_words = 0;
  std::uint32_t ingested_words = 0;
  std::uint8_t role_width = 0;
  std::uint8_t piece_width = 0;
  std::array<std::uint8_t, 6> zero{};
};
static_assert(sizeof(ImageHeader) == 128, "the table above");
static_assert(offsetof(ImageHeader, extras_bytes) == 80, "the table above");
static_assert(offsetof(ImageHeader, content_words) == 104, "the table above");
static_assert(offsetof(ImageHeader, role_width) == 120, "the table above");

enum class Section : std::uint8_t {
  kContent,
  kCodes,
  kSignatures,
  kRunMarks,
  kStems,
  kHolders,
  kPieceEnds,
  kPieces,
  kTokenIds,
  kTokenBits,
  kTokenEnds,
  kCodeEnds,
  kCodeBlocks,
  kAt,
  kIngested,
  kRoles,
  kEntrySpeakers,
  kEntryExtras,
  kExtrasEnds,
  kExtras,
  kRunEnds,
  kRunSessions,
  kRunsBefore,
  kRunsAfter,
  kFirstRuns,
  kLastRuns,
  kSessionNameEnds,
  kSessionNames,
  kSpeakerNameEnds,
  kSpeakerNames,
  kSpeakerWordEnds,
  kSpeakerWords,
  kFingerprints,
  kFingerprintEntries,
  kFacts,
};
inline constexpr std::size_t kSectionCount = static_cast<std::size_t>(Section::kFacts) + 1;

// For reports: "content", "run marks", ... as in the table above.
const char* SectionName(Section section) noexcept;

// Rows of a signature column, so that each begins at a multiple of 64.
constexpr std::uint64_t SignatureStride(std::uint64_t distinct_codes) noexcept {
  return (distinct_codes + 7) / 8 * 8;
}
constexpr std::uint64_t CodeBlockCount(std::uint64_t codes) noexcept {
  return (codes + kCodesPerBlock - 1) / kCodesPerBlock;
}

// Where the sections of an image lie, in 64-bit words from its start: section i from begin[i] to
// begin[i + 1].
struct ImageLayout {
  std::array<std::uint64_t, kSectionCount + 1> begin;

  explicit ImageLayout(const ImageHeader& header) noexcept;
  std::uint64_t byte_count() const noexcept { return begin.back() * sizeof(std::uint64_t); }
};

// What can be said of bytes from anywhere by their header and their length: kCorruption, or
// kVersion for a newer format, unless they are an image in which every section lies where it
// should. REQUIRES: bytes.data() is a multiple of kImageAlignment.
Status ReadImageHeader(std::span<const std::uint8_t> bytes, ImageHeader& header);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PART_IMAGE_H_
