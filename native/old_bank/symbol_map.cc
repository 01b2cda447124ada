#include "old_bank/symbol_map.h"

#include <algorithm>

#include "old_bank/hash.h"

namespace dentate::old_bank {
namespace {

constexpr std::size_t kFirstSlots = 64;

}  // namespace

// The token's slot, or the free one where it belongs. REQUIRES: the table has a free slot.
std::size_t SymbolMap::SlotOf(std::uint32_t token) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(Mix(token)) & mask;
  while (slots_[slot] != 0 && token_of_[slots_[slot] - 1] != token) slot = (slot + 1) & mask;
  return slot;
}

void SymbolMap::Grow() {
  std::vector<std::uint32_t> larger(std::max(kFirstSlots, slots_.size() * 2));
  slots_.swap(larger);
  for (const std::uint32_t entry : larger) {
    if (entry != 0) slots_[SlotOf(token_of_[entry - 1])] = entry;
  }
}

void SymbolMap::FindOrAdd(std::span<const std::uint32_t> tokens, std::uint32_t* symbols) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (4 * token_of_.size() >= 3 * slots_.size()) Grow();
    std::uint32_t& slot = slots_[SlotOf(tokens[i])];
    if (slot == 0) {
      token_of_.push_back(tokens[i]);
      slot = static_cast<std::uint32_t>(token_of_.size());
    }
    symbols[i] = slot - 1;
  }
}

}  // namespace dentate::old_bank
