#include <sys/mman.h>

#include <cstdlib>

#include "core/memory.h"

namespace dentate {

void* AllocateAligned(std::size_t alignment, std::size_t size) noexcept {
  return std::aligned_alloc(alignment, size);
}

void FreeAligned(void* memory) noexcept { std::free(memory); }

void AdviseHugePages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#if defined(MADV_HUGEPAGE)
  static_cast<void>(madvise(memory, size, MADV_HUGEPAGE));
#endif
}

void* AllocateSecretPages(std::size_t size) noexcept {
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
#if defined(MADV_DONTDUMP)
  static_cast<void>(madvise(memory, size, MADV_DONTDUMP));
#endif
  return memory;
}

void FreeSecretPages(void* memory, std::size_t size) noexcept { munmap(memory, size); }

}  // namespace dentate
