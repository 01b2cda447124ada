// A 32-bit number that the writer changes while readers read it: an element of an AppendVector.
//
// Relaxed: a reader that needs the value to be at least that of its snapshot takes the bank's entry
// count with acquire first, and the writer stores before it publishes that count.

#ifndef DENTATE_OLD_BANK_CELL_H_
#define DENTATE_OLD_BANK_CELL_H_

#include <atomic>
#include <cstdint>

namespace dentate::old_bank {

class Cell {
 public:
  explicit Cell(std::uint32_t value) noexcept : value_(value) {}
  Cell(const Cell& other) noexcept : value_(other.Get()) {}
  Cell& operator=(const Cell&) = delete;

  std::uint32_t Get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void Set(std::uint32_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> value_;
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_CELL_H_
