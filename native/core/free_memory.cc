#include "core/free_memory.h"

#include <cstdlib>  // says whether it is glibc

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace dentate {

void KeepLargeBlocksApart() noexcept {
#if defined(__GLIBC__)
  constexpr int kLarge = 128 << 10;
  // One that is set is not raised. Safe among threads in glibc, which takes its lock.
  mallopt(M_MMAP_THRESHOLD, kLarge);  // NOLINT(concurrency-mt-unsafe)
#endif
}

void GiveBackFreeMemory() noexcept {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace dentate
