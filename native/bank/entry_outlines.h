// What a search asks about every entry that it meets, of a sealed part: plain numbers, where the
// image has them in a few bits each behind a select.
//
//   row   bytes 0-3  code_end   where the entry's codes end; they begin where the row before ends
//         byte 4     before     entries before it in its run (part.h), at most kFar
//         byte 5     earlier    1: another run of its session lies before this one in the part
//         byte 6     later      1: behind it
//         byte 7     0
//
// Row 0 is nobody's and all 0, and so are kFar rows behind the last: entry e is row e + 1, and what
// lies around it can be read without a look at where the part ends. Entries e and e + k, k at most
// kFar, are in one run where e + k has at least k before it.
//
// Made in one pass when a search first asks for it, and kept as long as the part.
//
// Space: 8 bytes an entry, beside the 200 or so of its vector (entry_vectors.h).
//
// Threads. Any, without a lock. Who comes while another thread makes the rows makes them too; one
// of the two, which are equal, is kept.

#ifndef DENTATE_BANK_ENTRY_OUTLINES_H_
#define DENTATE_BANK_ENTRY_OUTLINES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dentate::bank {

struct EntryOutline {
  static constexpr std::uint32_t kFar = 4;

  std::uint32_t code_end = 0;
  std::uint8_t before = 0;
  std::uint8_t earlier = 0;
  std::uint8_t later = 0;
  std::uint8_t zero = 0;
};
static_assert(sizeof(EntryOutline) == 8, "the drawing above says 8");

class EntryOutlines {
 public:
  EntryOutlines() = default;
  EntryOutlines(const EntryOutlines&) = delete;
  EntryOutlines& operator=(const EntryOutlines&) = delete;
  ~EntryOutlines() { delete rows_.load(std::memory_order_relaxed); }

  // Row 0. `make` gives all rows, where there are none yet; std::bad_alloc: nothing has changed.
  template <typename Make>
  const EntryOutline* Rows(Make make) const {
    const auto* rows = rows_.load(std::memory_order_acquire);
    if (rows == nullptr) {
      const auto* made = new std::vector<EntryOutline>(make());
      if (rows_.compare_exchange_strong(rows, made, std::memory_order_acq_rel)) {
        rows = made;
      } else {
        delete made;  // another thread was faster
      }
    }
    return rows->data();
  }

  std::size_t SizeInBytes() const noexcept {
    const auto* rows = rows_.load(std::memory_order_acquire);
    return rows == nullptr ? 0 : rows->capacity() * sizeof(EntryOutline);
  }

 private:
  mutable std::atomic<const std::vector<EntryOutline>*> rows_{nullptr};
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_ENTRY_OUTLINES_H_
