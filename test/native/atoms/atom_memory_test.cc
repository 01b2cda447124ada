// Fails each allocation in turn, by operator new and aligned_alloc of this executable.

#include <doctest/doctest.h>

#include <cstdlib>
#include <new>
#include <random>
#include <vector>

#include "atoms/atom_index.h"

namespace {

long allocations_left = -1;  // negative: as many as there are

bool Refused() noexcept { return allocations_left >= 0 && allocations_left-- == 0; }

void* Allocate(std::size_t size) {
  void* const block = Refused() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// Rows take their chunks by aligned_alloc, which a sanitizer has as its own.
#if defined(__GLIBC__) && !defined(DENTATE_SANITIZED)
extern "C" {
void* __libc_memalign(std::size_t alignment, std::size_t size);
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return Refused() ? nullptr : __libc_memalign(alignment, size);
}
}
#endif

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {  // std::stable_sort's
  return Refused() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }

namespace dentate::atoms {

// The only guard of the order in Insert: what can fail comes before what changes.
TEST_CASE("an addition that runs out of memory changes nothing, and the next one succeeds") {
  for (const Storage storage : {Storage::kFloat32, Storage::kInt8}) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    Options options;
    options.dimensions = 6;
    options.storage = storage;
    options.policy.threshold = 0.8;
    AtomIndex index(options);
    AtomIndex untroubled(options);
    int refused = 0;
    for (int i = 0; i < 150; ++i) {
      std::vector<float> vector(6);
      for (float& value : vector) value = normal(random);
      const auto before = index.Serialize();
      Added added;
      for (long allowed = 0;; ++allowed) {
        allocations_left = allowed;
        try {
          const bool ok = index.Add(vector, added);
          allocations_left = -1;
          REQUIRE(ok);
          break;
        } catch (const std::bad_alloc&) {
          allocations_left = -1;
          ++refused;
          CHECK(index.Serialize() == before);
          CHECK(index.count() == untroubled.count());
        }
      }
      Added expected;
      REQUIRE(untroubled.Add(vector, expected));
      CHECK(added.member == expected.member);
      CHECK(added.atom == expected.atom);
      if (i % 4 == 3) {
        CHECK(index.Remove(added.member));
        CHECK(untroubled.Remove(expected.member));
      }
      std::vector<Scored> nearest;
      for (long allowed = 0;; ++allowed) {
        allocations_left = allowed;
        try {
          const bool ok = index.Nearest(vector, 3, By::kSubspace, nearest);
          allocations_left = -1;
          REQUIRE(ok);
          break;
        } catch (const std::bad_alloc&) {
          allocations_left = -1;
        }
      }
    }
    CHECK(refused > 300);
    CHECK(index.Serialize() == untroubled.Serialize());
  }
}

}  // namespace dentate::atoms
