// A 32-bit number that the writer changes while readers read it: an element of an AppendVector.
//
// Relaxed: a reader that needs the value to be at least that of its snapshot takes the bank's entry
// count with acquire first, and the writer stores before it publishes that count. Where the value
// leads to something that no count covers, it is published and acquired itself.

#ifndef DENTATE_BANK_CELL_H_
#define DENTATE_BANK_CELL_H_

#include <atomic>
#include <cstdint>

namespace dentate::bank {

class Cell {
 public:
  explicit Cell(std::uint32_t value) noexcept : value_(value) {}
  Cell(const Cell& other) noexcept : value_(other.Get()) {}
  Cell& operator=(const Cell&) = delete;

  std::uint32_t Get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void Set(std::uint32_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  std::uint32_t Acquire() const noexcept { return value_.load(std::memory_order_acquire); }
  void Publish(std::uint32_t value) noexcept { value_.store(value, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> value_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CELL_H_
