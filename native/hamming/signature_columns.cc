#include "hamming/signature_columns.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <new>

namespace dentate::hamming {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeBytes = 2 * kHugePage;  // below this, a huge page would waste too much

std::uint64_t* Allocate(std::size_t bytes) {
  const bool huge = bytes >= kHugeBytes;
  const std::size_t alignment = huge ? kHugePage : kCacheLine;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (huge) madvise(memory, rounded, MADV_HUGEPAGE);  // advice: a refusal costs speed only
#endif
  return static_cast<std::uint64_t*>(memory);
}

}  // namespace

SignatureColumns::~SignatureColumns() {
  for (auto& chunk : chunks_) std::free(chunk.load(std::memory_order_relaxed));
}

void SignatureColumns::Reserve(std::size_t rows) {
  for (std::size_t chunk = 0; chunk < kChunks && Start(chunk) < rows; ++chunk) {
    if (chunks_[chunk].load(std::memory_order_relaxed) != nullptr) continue;
    chunks_[chunk].store(Allocate(Capacity(chunk) * words_ * sizeof(std::uint64_t)),
                         std::memory_order_release);
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
    const std::size_t chunk = ChunkOf(row);
    const std::size_t stride = Capacity(chunk);
    std::uint64_t* to = chunks_[chunk].load(std::memory_order_relaxed) + (row - Start(chunk));
    const std::size_t rows = std::min(end - row, Start(chunk) + stride - row);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t w = 0; w < words_; ++w) to[w * stride + i] = *from++;
    }
    row += rows;
  }
  size_.store(end, std::memory_order_release);
}

SignatureColumns::Run SignatureColumns::RunAt(std::size_t row, std::size_t end) const noexcept {
  const std::size_t chunk = ChunkOf(row);
  const std::size_t stride = Capacity(chunk);
  return {At(chunk) + (row - Start(chunk)), stride, std::min(end, Start(chunk) + stride) - row};
}

std::size_t SignatureColumns::SizeInBytes() const noexcept {
  // At least one whole chunk; of the later ones, the pages that were written.
  const std::size_t rows = size();
  const std::size_t held = rows == 0 ? 0 : std::max(rows, kFirstRows);
  return sizeof(*this) + held * words_ * sizeof(std::uint64_t);
}

}  // namespace dentate::hamming
