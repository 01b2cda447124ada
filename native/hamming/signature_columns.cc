#include "hamming/signature_columns.h"

#include <algorithm>
#include <cassert>

#include "core/memory.h"
#include "hamming/huge_array.h"

namespace dentate::hamming {

SignatureColumns::~SignatureColumns() {
  for (auto& chunk : chunks_) FreeAligned(chunk.load(std::memory_order_relaxed));
}

void SignatureColumns::Reserve(std::size_t rows) {
  for (std::size_t chunk = 0; chunk < kChunks && Chunks::Start(chunk) < rows; ++chunk) {
    if (chunks_[chunk].load(std::memory_order_relaxed) != nullptr) continue;
    void* memory = AllocateHuge(Chunks::Size(chunk) * words_ * sizeof(std::uint64_t));
    chunks_[chunk].store(static_cast<std::uint64_t*>(memory), std::memory_order_release);
  }
}

void SignatureColumns::Append(std::span<const std::uint64_t> row_major) {
  assert(row_major.size() % words_ == 0);
  const std::size_t first = size_.load(std::memory_order_relaxed);
  const std::size_t end = first + row_major.size() / words_;
  assert(end <= kMaxRows);
  Reserve(end);
  const std::uint64_t* from = row_major.data();
  for (std::size_t row = first; row < end;) {
    const std::size_t chunk = Chunks::ChunkOf(row);
    const std::size_t stride = Chunks::Size(chunk);
    std::uint64_t* to =
        chunks_[chunk].load(std::memory_order_relaxed) + (row - Chunks::Start(chunk));
    const std::size_t rows = Chunks::RunLength(row, end);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t w = 0; w < words_; ++w) to[w * stride + i] = *from++;
    }
    row += rows;
  }
  size_.store(end, std::memory_order_release);
}

Run SignatureColumns::RunAt(std::size_t row, std::size_t end) const noexcept {
  const std::size_t chunk = Chunks::ChunkOf(row);
  return {At(chunk) + (row - Chunks::Start(chunk)), Chunks::Size(chunk),
          Chunks::RunLength(row, end)};
}

ColumnsView SignatureColumns::View(std::size_t rows) const noexcept {
  ColumnsView view(words_);
  for (std::size_t chunk = 0; chunk < kChunks && Chunks::Start(chunk) < rows; ++chunk) {
    view.Add({At(chunk), Chunks::Size(chunk),
              std::min(rows - Chunks::Start(chunk), Chunks::Size(chunk))});
  }
  return view;
}

std::size_t SignatureColumns::SizeInBytes() const noexcept {
  // At least one whole chunk; of the later ones, the pages that were written.
  const std::size_t rows = size();
  const std::size_t held = rows == 0 ? 0 : std::max(rows, kFirstRows);
  return sizeof(*this) + held * words_ * sizeof(std::uint64_t);
}

}  // namespace dentate::hamming
