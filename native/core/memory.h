// Memory with an alignment, on huge pages, or of its own pages: what each system asks for in
// another way (posix_memory.cc, windows_memory.cc).
//
// Threads: any.

#ifndef DENTATE_CORE_MEMORY_H_
#define DENTATE_CORE_MEMORY_H_

#include <cstddef>

namespace dentate {

// Uninitialised, or null where there is none. REQUIRES: `alignment` is a power of two and divides
// `size`. Given back by FreeAligned alone: Windows has another heap for it.
void* AllocateAligned(std::size_t alignment, std::size_t size) noexcept;
void FreeAligned(void* memory) noexcept;

// Asks for huge pages: advice, whose refusal costs speed only.
void AdviseHugePages(void* memory, std::size_t size) noexcept;

// Whole pages of zeros for secrets, left out of core dumps where the system can; null where there
// is no memory. REQUIRES: size > 0.
void* AllocateSecretPages(std::size_t size) noexcept;
void FreeSecretPages(void* memory, std::size_t size) noexcept;

}  // namespace dentate

#endif  // DENTATE_CORE_MEMORY_H_
