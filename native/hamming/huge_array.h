// An array of plain values, uninitialised, for data that is read in long scans or at random.
//
// An array of kHugeBytes or more is aligned to a huge page and asks the kernel for them: with
// 4 KiB pages, address translation slows a scan by a tenth and a random read by half. A smaller
// one is aligned to a cache line. Pages that are never touched are never resident.

#ifndef DENTATE_HAMMING_HUGE_ARRAY_H_
#define DENTATE_HAMMING_HUGE_ARRAY_H_

#include <cstddef>
#include <memory>
#include <type_traits>

#include "core/memory.h"

namespace dentate::hamming {

struct FreeDeleter {
  void operator()(void* memory) const noexcept { FreeAligned(memory); }
};

template <typename T>
using HugeArray = std::unique_ptr<T[], FreeDeleter>;

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;
inline constexpr std::size_t kHugeBytes = 2 * kHugePage;  // below this, one would waste too much

// Throws std::bad_alloc. The memory is released by FreeAligned.
void* AllocateHuge(std::size_t bytes);

template <typename T>
HugeArray<T> MakeHugeArray(std::size_t count) {
  static_assert(std::is_trivial_v<T>, "elements are neither constructed nor destroyed");
  return HugeArray<T>(static_cast<T*>(AllocateHuge(count * sizeof(T))));
}

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_HUGE_ARRAY_H_
