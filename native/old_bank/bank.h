// One isolated memory: its text, its signatures, its entries; append, read, search.
//
//   tokens   content_     DynamicWaveletMatrix over dense symbols (symbol_map.h)
//      |     token_codes_ one bit vector: for each token a 0, then a 1 for each code that starts at
//      |                  it; so a span of tokens becomes one of codes, and a code its token, by
//      v                  select
//   codes    codes_       DynamicWaveletMatrix over the dictionary's codes (dictionary.h)
//      |
//      v
//   entries  entries_     spans in both streams, session links, metadata (entry_table.h)
//            dense_       a vector for each entry, where the bank has dimensions (dense_store.h)
//
// Appending. A batch is checked, turned into a record (record.h), written to the streams, handed to
// the log, and only then published, by the entry count. What can fail comes before the log; after
// it nothing can. So a batch is whole or absent, and an append that fails leaves
//
//   - symbols at the end of the streams that belong to no entry: spans start where the streams end,
//     and readers skip such gaps;
//   - dictionary words that no entry holds: the next record carries all words that no record has
//     carried, so that codes are the same for who replays the log.
//
// Threads. One writer. Readers on any thread take entry_count() once, with acquire, and ignore what
// lies past it: a search never sees half an append. What a reader holds stays valid as long as the
// bank.

#ifndef DENTATE_OLD_BANK_BANK_H_
#define DENTATE_OLD_BANK_BANK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "old_bank/batch.h"
#include "old_bank/dense_store.h"
#include "old_bank/dictionary.h"
#include "old_bank/entry_table.h"
#include "old_bank/record.h"
#include "old_bank/symbol_map.h"
#include "core/status.h"
#include "old_bank/log.h"
#include "succinct/append_bit_vector.h"
#include "succinct/dynamic_wavelet_matrix.h"

namespace dentate::old_bank {

class Bank {
 public:
  static constexpr unsigned kSymbolBits = 18;  // o200k_base has 200,019 tokens
  static constexpr unsigned kCodeBits = 22;
  static constexpr std::size_t kMaxSignatureBits = 4096;
  static constexpr std::size_t kMaxCodes = std::size_t{1} << kCodeBits;

  struct Sizes {
    std::size_t content, codes, token_codes, symbols, dictionary, entries, metadata, vectors;
    std::size_t bank;  // the object itself

    std::size_t Sum() const noexcept {
      return content + codes + token_codes + symbols + dictionary + entries + metadata + vectors +
             bank;
    }
  };

  // REQUIRES: signature_bits a positive multiple of 64; dimensions <= vectors::kMaxDimensions.
  Bank(std::size_t signature_bits, std::size_t dimensions, std::unique_ptr<old_storage::Log> log);

  std::size_t signature_words() const noexcept { return dictionary_.signatures().words(); }
  std::size_t dimensions() const noexcept { return dense_.dimensions(); }

  // Adds the batch's entries, all or none; `first_entry` becomes the number of the first. Writer
  // only. The entries are visible to every search that starts after the return.
  Status Append(const Batch& batch, std::uint32_t& first_entry);

  // Applies what another bank's Append gave its log. Writer only. A bank to which all records were
  // applied, in order, answers every query as the other does. A record that is refused changes
  // nothing; where memory runs out, the bank may hold some of its words, and is of no more use for
  // replaying.
  Status ApplyRecord(std::span<const std::uint8_t> record);

  // What follows is for any thread. Entries are below an entry_count() that it has seen.
  std::uint32_t entry_count() const noexcept { return entries_.size(); }
  // Tokens of all entries.
  std::uint64_t token_count() const noexcept {
    return token_count_.load(std::memory_order_relaxed);
  }

  // Codes of the first `size` entries. REQUIRES: size > 0. (After an append has failed, a search
  // beside the next one may get the count without the new gap.)
  std::uint32_t CodesBefore(std::uint32_t size) const noexcept {
    return entries_.row(size - 1).code_end - gap_codes_.load(std::memory_order_relaxed);
  }

  // The tokens of these entries, concatenated: those of entries[i] are [offsets[i], offsets[i +
  // 1]).
  void Tokens(std::span<const std::uint32_t> entries, std::vector<std::uint32_t>& tokens,
              std::vector<std::uint32_t>& offsets) const;

  // The codes that start inside [token_begin, token_end), as positions in the signature stream.
  struct Span {
    std::uint32_t begin, end;
  };
  Span CodesOfTokens(std::uint32_t token_begin, std::uint32_t token_end) const noexcept;
  // The position in the content stream of the token at which a code starts.
  std::uint32_t TokenOfCode(std::uint32_t position) const noexcept;

  const EntryTable& entries() const noexcept { return entries_; }
  const Dictionary& dictionary() const noexcept { return dictionary_; }
  const DenseStore& dense() const noexcept { return dense_; }
  // Holds CodeSymbol(code) at each code's position.
  const succinct::DynamicWaveletMatrix& codes() const noexcept { return codes_; }
  static std::uint32_t CodeSymbol(std::uint32_t code) noexcept;

  // Writer only.
  Sizes SizesInBytes() const;

 private:
  struct Staging;

  Status CheckRoom(const Record& record) const;
  bool AllNew(const Record& record, Staging& staging) const;
  void ResolveCodes(const Batch& batch, Staging& staging);
  Record RecordOf(const Batch& batch, Staging& staging) const;
  void Prepare(const Record& record, Staging& staging);
  void AppendTokenCodes(const Record& record);
  void Publish(const Record& record, const Staging& staging) noexcept;

  SymbolMap symbols_;
  succinct::DynamicWaveletMatrix content_{kSymbolBits};
  Dictionary dictionary_;
  succinct::DynamicWaveletMatrix codes_{kCodeBits};
  succinct::AppendBitVector token_codes_;
  DenseStore dense_;
  EntryTable entries_;
  std::atomic<std::uint64_t> token_count_{0};
  std::atomic<std::uint32_t> gap_codes_{0};  // in the signature stream, of no entry

  // The writer's own.
  std::unique_ptr<old_storage::Log> log_;
  std::size_t logged_codes_ = 0;  // dictionary words that a record has carried
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_BANK_H_
