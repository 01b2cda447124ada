// The pieces of words, one list behind the other, found by where it begins.
//
//   | n | piece 0 | ... | piece n - 1 | n | ...
//
// Threads. One writer; a list is published by whoever publishes where it begins.

#ifndef DENTATE_BANK_PIECE_POOL_H_
#define DENTATE_BANK_PIECE_POOL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/batch.h"
#include "core/append_vector.h"

namespace dentate::bank {

class PiecePool {
 public:
  // Where the list begins; kNone for an empty one, which takes no room. std::bad_alloc: nothing has
  // changed. Writer only.
  std::uint32_t Add(std::span<const std::uint32_t> pieces) {
    if (pieces.empty()) return kNone;
    const auto begin = static_cast<std::uint32_t>(lists_.size());
    lists_.Reserve(lists_.size() + 1 + pieces.size());
    lists_.push_back(static_cast<std::uint32_t>(pieces.size()));
    lists_.Append(pieces);
    return begin;
  }

  // Replaces `pieces` by the list.
  void Get(std::uint32_t begin, std::vector<std::uint32_t>& pieces) const {
    pieces.clear();
    if (begin == kNone) return;
    for (std::uint32_t i = 1; i <= lists_[begin]; ++i) pieces.push_back(lists_[begin + i]);
  }

  std::size_t size() const noexcept { return lists_.size(); }
  std::size_t SizeInBytes() const noexcept { return lists_.SizeInBytes(); }

 private:
  AppendVector32<std::uint32_t, 64> lists_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PIECE_POOL_H_
