#include <malloc.h>
#include <windows.h>

#include "core/memory.h"

namespace dentate {

void* AllocateAligned(std::size_t alignment, std::size_t size) noexcept {
  return _aligned_malloc(size, alignment);
}

void FreeAligned(void* memory) noexcept { _aligned_free(memory); }

// Large pages need a privilege that no service has by default.
void AdviseHugePages(void*, std::size_t) noexcept {}

void* AllocateSecretPages(std::size_t size) noexcept {
  return VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void FreeSecretPages(void* memory, std::size_t) noexcept { VirtualFree(memory, 0, MEM_RELEASE); }

}  // namespace dentate
