// The signatures of an index, stored as columns of 64-bit words, growing at the end.
//
// Why columns. A search with a small radius decides most rows by their first word alone, and then
// reads 1/words of the bytes. A search that needs every word reads as many sequential streams as
// there are words, which costs no more than one.
//
// Layout. Rows lie in chunks of doubling capacity, so that nothing is ever moved
// (core/doubling_chunks.h). Inside a chunk, word w of every row is one column:
//
//   chunk k    +-- word 0 of rows s .. s+c --+-- word 1 of rows s .. s+c --+-- ...
//              columns                       columns + stride
//
// Big chunks lie in huge pages (huge_array.h).
//
// Space. Untouched pages of the newest chunk are never resident. An empty store has no chunk, and
// up to kFirstRows rows take 8 * words * kFirstRows bytes: a process holds thousands of these.
//
// Threads. One writer. It writes rows, then publishes the new size with release; a reader takes
// size() once, with acquire, and reads no row past it. Published rows never change.
//
// Limits. Rows are numbered by 32 bits: at most kMaxRows.

#ifndef DENTATE_HAMMING_SIGNATURE_COLUMNS_H_
#define DENTATE_HAMMING_SIGNATURE_COLUMNS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/doubling_chunks.h"
#include "hamming/columns_view.h"

namespace dentate::hamming {

class SignatureColumns {
 public:
  static constexpr std::size_t kFirstRows = 64;
  static constexpr std::size_t kMaxRows = 0xffffffff;

  // `words` 64-bit words a signature. REQUIRES: words > 0.
  explicit SignatureColumns(std::size_t words) noexcept : words_(words) {}
  SignatureColumns(const SignatureColumns&) = delete;
  SignatureColumns& operator=(const SignatureColumns&) = delete;
  ~SignatureColumns();

  // Appends whole signatures, `words` consecutive values each. A reader sees all of them or none;
  // when memory runs out, std::bad_alloc is thrown and nothing has changed. Writer only.
  // REQUIRES: row_major.size() is a multiple of words(); size() stays within kMaxRows.
  void Append(std::span<const std::uint64_t> row_major);

  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  std::size_t words() const noexcept { return words_; }

  // The longest run from `row`, cut at `end`. REQUIRES: row < end <= a size() this thread has seen.
  Run RunAt(std::size_t row, std::size_t end) const noexcept;

  // The first `rows` rows. REQUIRES: rows <= a size() this thread has seen.
  ColumnsView View(std::size_t rows) const noexcept;

  // Word `word` of `row`: what verifies a single candidate. REQUIRES: as for RunAt.
  const std::uint64_t* WordAt(std::size_t row, std::size_t word) const noexcept {
    const std::size_t chunk = Chunks::ChunkOf(row);
    return At(chunk) + word * Chunks::Size(chunk) + (row - Chunks::Start(chunk));
  }

  // Bytes that hold signatures, and the object itself. Any thread.
  std::size_t SizeInBytes() const noexcept;

 private:
  using Chunks = DoublingChunks<kFirstRows>;
  static constexpr std::size_t kChunks = Chunks::CountFor(kMaxRows + 1);
  static_assert(kChunks <= ColumnsView::kMaxRuns);

  std::uint64_t* At(std::size_t chunk) const noexcept {
    return chunks_[chunk].load(std::memory_order_acquire);
  }
  void Reserve(std::size_t rows);

  const std::size_t words_;
  std::array<std::atomic<std::uint64_t*>, kChunks> chunks_{};
  std::atomic<std::size_t> size_{0};
};

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_SIGNATURE_COLUMNS_H_
