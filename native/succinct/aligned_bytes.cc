#include "succinct/aligned_bytes.h"

#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dentate::succinct {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
// From here on the last, partly used huge page is a small part of the whole.
constexpr std::size_t kHugeFrom = 8 * kHugePage;

constexpr std::size_t RoundUp(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size) : size_(size) {
  const bool huge = size >= kHugeFrom;
  const std::size_t unit = huge ? kHugePage : kLine;
  const std::size_t rounded = RoundUp(size == 0 ? 1 : size, unit);
  data_ = static_cast<std::byte*>(std::aligned_alloc(unit, rounded));
  if (data_ == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  // Advice: where it is refused, the pages are small and all else the same.
  if (huge) static_cast<void>(madvise(data_, rounded, MADV_HUGEPAGE));
#endif
  std::memset(data_, 0, size);
}

AlignedBytes::~AlignedBytes() { std::free(data_); }

}  // namespace dentate::succinct
