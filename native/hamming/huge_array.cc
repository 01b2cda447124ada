#include "hamming/huge_array.h"

#include <new>

#include "core/memory.h"

namespace dentate::hamming {

void* AllocateHuge(std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  const bool huge = bytes >= kHugeBytes;
  const std::size_t alignment = huge ? kHugePage : kCacheLine;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = AllocateAligned(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (huge) AdviseHugePages(memory, rounded);
  return memory;
}

}  // namespace dentate::hamming
