// The entries of a live part by their fingerprints (content_hash.h).
//
//   fingerprints_   by entry
//   older_          by entry: the one before it with the same fingerprint, or kNone
//   slots_          fingerprint -> its newest entry + 1 (0: free); open addressing, at most three
//                   quarters full
//
// Space: 8 bytes an entry, and 5 to 11 of table. Threads: one, the writer.

#ifndef DENTATE_BANK_FINGERPRINT_TABLE_H_
#define DENTATE_BANK_FINGERPRINT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bank/batch.h"

namespace dentate::bank {

class FingerprintTable {
 public:
  // Makes room for `count` more entries. std::bad_alloc: nothing has changed.
  void Reserve(std::size_t count);
  // The next entry. REQUIRES: room for it.
  void Add(std::uint32_t fingerprint) noexcept;
  // The next entry, which is found by nothing: a hole. REQUIRES: room for it.
  void AddNone() noexcept;
  // Appends the entries that have it, newest first.
  void Find(std::uint32_t fingerprint, std::vector<std::uint32_t>& entries) const;

  std::size_t SizeInBytes() const noexcept {
    return (fingerprints_.capacity() + older_.capacity() + slots_.capacity()) *
           sizeof(std::uint32_t);
  }

 private:
  std::size_t SlotOf(const std::vector<std::uint32_t>& slots,
                     std::uint32_t fingerprint) const noexcept;

  std::vector<std::uint32_t> fingerprints_, older_, slots_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_FINGERPRINT_TABLE_H_
