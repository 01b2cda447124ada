#include "hamming/huge_array.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <new>

namespace dentate::hamming {

void* AllocateHuge(std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  const bool huge = bytes >= kHugeBytes;
  const std::size_t alignment = huge ? kHugePage : kCacheLine;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (huge) madvise(memory, rounded, MADV_HUGEPAGE);  // advice: a refusal costs speed only
#endif
  return memory;
}

}  // namespace dentate::hamming
