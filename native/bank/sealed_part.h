// An immutable part, read where its image lies: in a mapped segment.
//
// part_image.h draws the image; this is a set of views of it, some 1,000 bytes, made from the
// header alone. Nothing else is touched before it is asked for, and nothing is kept
// but what a search makes (entry_vectors.h, entry_outlines.h).
//
// Cost. Row O(1). Tokens and Codes by the matrix, level by level. EntriesOf one select an
// occurrence, and one look into the code blocks. FindBall a scan of the signatures. Everything
// about names O(1).
//
// Trust. Open checks what the header says, so that bytes from anywhere are refused or opened.
// Queries trust the rest: bytes whose checksum was verified, or for which Validate has passed.
//
// Threads. Immutable: any.

#ifndef DENTATE_BANK_SEALED_PART_H_
#define DENTATE_BANK_SEALED_PART_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bank/part.h"
#include "bank/part_image.h"
#include "core/status.h"
#include "succinct/blocked_ints.h"
#include "succinct/elias_fano.h"
#include "succinct/huffman_matrix.h"
#include "succinct/packed_ints.h"
#include "succinct/rank_bits.h"

namespace dentate::bank {

class SealedPart final : public Part {
 public:
  // Opens an image in place. `owner` is what keeps the bytes there. kCorruption (kVersion for a
  // newer format) leaves `out` as it was. REQUIRES: bytes.data() is a multiple of kImageAlignment.
  static Status Open(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> owner,
                     std::shared_ptr<const SealedPart>& out);
  // The facts of an image, without opening it. `rows`: those that the bank has (part_facts.h).
  static Status ReadFacts(std::span<const std::uint8_t> bytes, std::span<const Interval32> rows,
                          PartFacts& facts);

  // Checks everything: after it no query can leave the image, whatever the bytes are. Reads all of
  // them, some 3 ns a token.
  Status Validate() const;

  std::uint32_t first_entry() const noexcept { return header().first_entry; }
  std::uint32_t token_count() const noexcept { return header().tokens; }
  Status Facts(std::span<const Interval32> rows, PartFacts& facts) const {
    return ReadFacts(bytes_, rows, facts);
  }
  const ImageHeader& header() const noexcept {
    return *reinterpret_cast<const ImageHeader*>(bytes_.data());
  }

  std::uint32_t entry_count() const noexcept override { return header().entries; }
  std::size_t signature_words() const noexcept override { return header().signature_words; }

  EntryRow Row(std::uint32_t entry) const override;
  std::uint32_t Session(std::uint32_t entry) const override;
  std::uint8_t Role(std::uint32_t entry) const override;
  const EntryOutline* Outlines() const override {
    return outlines_.Rows([this] { return MakeOutlines(); });
  }
  Interval32 TokenSpan(std::uint32_t entry) const override;
  Interval32 CodeSpan(std::uint32_t entry) const override;
  void AppendExtras(std::uint32_t entry, std::vector<std::uint8_t>& out) const override;
  void Tokens(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const override;

  std::uint32_t session_count() const noexcept override { return header().sessions; }
  std::string_view SessionName(std::uint32_t session) const override;
  std::uint32_t RunBegin(std::uint32_t entry) const override;
  std::uint32_t Previous(std::uint32_t entry) const override;
  std::uint32_t Next(std::uint32_t entry, std::uint32_t size) const override;
  std::uint32_t FirstOfSession(std::uint32_t session) const override;
  std::uint32_t LastOfSession(std::uint32_t session, std::uint32_t size) const override;

  std::uint32_t speaker_count() const noexcept override { return header().speakers; }
  void Speakers(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const override;
  std::string_view SpeakerName(std::uint32_t speaker) const override;
  std::uint32_t speaker_word_count(std::uint32_t speaker) const override;
  std::uint64_t SpeakerWordStem(std::uint32_t speaker, std::uint32_t word) const override;
  void SpeakerWordPieces(std::uint32_t speaker, std::uint32_t word,
                         std::vector<std::uint32_t>& pieces) const override;

  std::uint32_t code_count() const noexcept override { return header().distinct_codes; }
  void FindBall(std::span<const std::uint64_t> signature, const std::uint64_t* stem,
                std::uint32_t radius, BallFinder& finder, Ball& ball) const override;
  void Signature(std::uint32_t code, std::uint64_t* words) const override;
  std::uint64_t Stem(std::uint32_t code) const override { return stems_[code]; }
  void Pieces(std::uint32_t code, std::vector<std::uint32_t>& pieces) const override;
  std::uint32_t EntriesWith(std::uint32_t code) const override;

  std::size_t EntriesOf(std::uint32_t code, std::uint32_t size, Sweep& sweep,
                        std::span<std::uint32_t> out) const override;
  std::uint64_t OccurrencesOf(std::uint32_t code) const override { return codes_.Count(code); }
  void CountIn(std::span<const std::uint32_t> codes, Interval32 positions,
               std::uint32_t* counts) const override;
  void Codes(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& codes,
             std::vector<std::uint32_t>* tokens) const override;

  void FindFingerprint(std::uint32_t fingerprint,
                       std::vector<std::uint32_t>& entries) const override;

  std::size_t KeptBytes() const noexcept override {
    return entry_vectors().SizeInBytes() + outlines_.SizeInBytes();
  }
  std::size_t SizeInBytes() const override { return sizeof *this + KeptBytes(); }

 private:
  SealedPart(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> owner) noexcept;

  // What Validate checks, in this order: each relies on those before.
  Status CheckStreams() const;
  Status CheckDictionary() const;
  Status CheckRows() const;
  Status CheckTokenBits() const;
  Status CheckRuns() const;
  Status CheckNames() const;
  Status CheckSlack() const;

  // The run that the entry is in.
  std::uint32_t RunOf(std::uint32_t entry) const noexcept {
    return static_cast<std::uint32_t>(run_marks_.Rank1(std::size_t{entry} + 1) - 1);
  }
  Interval32 RunAt(std::uint32_t run) const noexcept;
  std::vector<EntryOutline> MakeOutlines() const;
  // Of the codes from the last multiple of kCodesPerBlock up to `position`: the first one's entry.
  std::uint32_t BlockEntry(std::uint32_t position) const noexcept {
    return static_cast<std::uint32_t>(code_blocks_.Get(position / kCodesPerBlock));
  }
  // The entry whose codes include the position, at or after `from`.
  std::uint32_t EntryOfCode(std::uint32_t position, std::uint32_t from) const noexcept;
  std::span<const std::uint8_t> SpeakerWords(std::uint32_t speaker) const;

  std::span<const std::uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
  succinct::HuffmanMatrix content_, codes_;
  const std::uint64_t* signatures_;
  const std::uint64_t* stems_;
  const std::uint64_t* token_bits_;
  const std::uint8_t* extras_;
  const std::uint8_t* session_names_;
  const std::uint8_t* speaker_names_;
  const std::uint8_t* speaker_words_;
  succinct::RankBits run_marks_;
  succinct::PackedInts holders_, pieces_, token_ids_, code_blocks_, roles_, entry_speakers_,
      entry_extras_, run_sessions_, runs_before_, runs_after_, first_runs_, last_runs_,
      fingerprint_entries_;
  succinct::EliasFano piece_ends_, token_ends_, code_ends_, extras_ends_, run_ends_,
      session_name_ends_, speaker_name_ends_, speaker_word_ends_, fingerprints_;
  succinct::BlockedInts at_, ingested_;
  EntryOutlines outlines_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_SEALED_PART_H_
