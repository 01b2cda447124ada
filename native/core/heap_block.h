// What the heap takes for a block beyond the bytes that were asked for: its own word, and what it
// rounds up by. glibc's sizes are multiples of 16, and not below 32; others are about the same.
//
// For counts that a limit goes by: of small objects, where it is a tenth and more.

#ifndef DENTATE_CORE_HEAP_BLOCK_H_
#define DENTATE_CORE_HEAP_BLOCK_H_

#include <algorithm>
#include <cstddef>

namespace dentate {

// A block of so many bytes; none for 0.
constexpr std::size_t HeapBlock(std::size_t bytes) noexcept {
  constexpr std::size_t kWord = 8, kUnit = 16, kLeast = 32;
  if (bytes == 0) return 0;
  return std::max(kLeast, (bytes + kWord + kUnit - 1) / kUnit * kUnit);
}

// One that shared_ptr's counts lie in, too.
constexpr std::size_t SharedBlock(std::size_t bytes) noexcept { return HeapBlock(bytes + 16); }

}  // namespace dentate

#endif  // DENTATE_CORE_HEAP_BLOCK_H_
