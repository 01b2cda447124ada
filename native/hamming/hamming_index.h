// Signatures with exact range and nearest-neighbour search: the whole of native/hamming, as one.
//
// Rows are appended to columns (signature_columns.h) and searched by scanning them (scan.h). On
// request, the rows of the moment are also hashed (multi_index.h); a range search then tries the
// hashes for those rows, scans where they decline, and scans the rows appended since.
//
// Serialized form, little-endian, positions in bytes:
//
//   offset  size           field
//        0     4           magic "DHAM"
//        4     4           version, 1
//        8     4           words a signature, 1 .. kMaxWords
//       12     4           zero
//       16     8           rows, at most SignatureColumns::kMaxRows
//       24     8 * words * rows   the signatures, row after row
//
// Hashes are not in it: building them again is as fast as reading them.
//
// Threads. One writer (Append). Searches, Hash and Serialize run on any number of threads
// meanwhile, on the rows published when they start.

#ifndef DENTATE_HAMMING_HAMMING_INDEX_H_
#define DENTATE_HAMMING_HAMMING_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/status.h"
#include "hamming/matches.h"
#include "hamming/multi_index.h"
#include "hamming/signature_columns.h"

namespace dentate::hamming {

class HammingIndex {
 public:
  static constexpr std::size_t kHeaderBytes = 24;

  // REQUIRES: 0 < words <= kMaxWords.
  explicit HammingIndex(std::size_t words) : columns_(words) {}

  const SignatureColumns& columns() const noexcept { return columns_; }

  // As SignatureColumns::Append. Writer only.
  void Append(std::span<const std::uint64_t> row_major) { columns_.Append(row_major); }

  // One Matches for each query, words() values each in `queries`. kAborted where options.cancelled
  // said so. Nearest REQUIRES: k > 0.
  Status Within(std::span<const std::uint64_t> queries, std::uint32_t radius,
                const SearchOptions& options, std::vector<Matches>& matches) const;
  Status Nearest(std::span<const std::uint64_t> queries, std::size_t k,
                 const SearchOptions& options, std::vector<Matches>& matches) const;

  // Hashes the rows published now, in place of any hashes before. kAborted, and those before stay,
  // where `cancelled` said so.
  Status Hash(const Cancelled& cancelled);
  // Rows that are hashed.
  std::size_t hashed_rows() const;

  std::size_t SizeInBytes() const;

  // The sum of all words, modulo 2^64, on `threads` threads: how long reading them takes.
  std::uint64_t Sum(unsigned threads) const;

  // Bytes that SerializeTo writes for `rows` rows, and writing them.
  std::size_t SerializedBytes(std::size_t rows) const noexcept {
    return kHeaderBytes + rows * columns_.words() * sizeof(std::uint64_t);
  }
  void SerializeTo(std::size_t rows, std::span<std::uint8_t> out) const;

  // Reads any bytes: kCorruption where they are not a serialized index, kVersion where they are of
  // a later version.
  static Status Deserialize(std::span<const std::uint8_t> bytes,
                            std::shared_ptr<HammingIndex>& index);

 private:
  std::shared_ptr<const MultiIndex> hashes() const;

  SignatureColumns columns_;
  mutable std::mutex hashes_mutex_;  // held to copy or replace the pointer only
  std::shared_ptr<const MultiIndex> hashes_;
};

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_HAMMING_INDEX_H_
