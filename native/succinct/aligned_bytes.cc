#include "succinct/aligned_bytes.h"

#include <cstring>
#include <new>

#include "core/memory.h"

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
  data_ = static_cast<std::byte*>(AllocateAligned(unit, rounded));
  if (data_ == nullptr) throw std::bad_alloc();
  if (huge) AdviseHugePages(data_, rounded);
  std::memset(data_, 0, size);
}

AlignedBytes::~AlignedBytes() { FreeAligned(data_); }

}  // namespace dentate::succinct
