// The entries of one append, as TypeScript hands them over: parallel arrays, concatenated.

#ifndef DENTATE_OLD_BANK_BATCH_H_
#define DENTATE_OLD_BANK_BATCH_H_

#include <cstdint>
#include <span>

namespace dentate::old_bank {

struct Batch {
  std::span<const std::uint32_t> tokens;  // o200k_base ids of all entries
  std::span<const std::uint32_t> token_counts;
  std::span<const std::uint64_t> signatures;   // row-major
  std::span<const std::uint64_t> stems;        // one a signature
  std::span<const std::uint32_t> code_tokens;  // index of the token within its entry, ascending
  std::span<const std::uint32_t> code_counts;
  std::span<const std::uint32_t> sessions;
  std::span<const std::uint32_t> speakers;  // ordinals; EntryTable::kNone where there is none
  std::span<const float> vectors;           // one an entry, where the bank has dimensions
  std::span<const std::uint8_t> metadata;
  std::span<const std::uint32_t> metadata_lengths;
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_BATCH_H_
