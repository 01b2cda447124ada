#include "bank/symbol_map.h"

#include <algorithm>

#include "bank/hash.h"

namespace dentate::bank {
namespace {

constexpr std::size_t kFirstSlots = 64;
// How far ahead slots, and then what they lead to, are asked for.
constexpr std::size_t kAhead = 16;

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
  const auto first_slot = [&](std::size_t i) -> const std::uint32_t& {
    return slots_[static_cast<std::size_t>(Mix(tokens[i])) & (slots_.size() - 1)];
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!slots_.empty()) {
      if (i + 2 * kAhead < tokens.size()) __builtin_prefetch(&first_slot(i + 2 * kAhead));
      if (i + kAhead < tokens.size()) {
        if (const std::uint32_t slot = first_slot(i + kAhead); slot != 0) {
          __builtin_prefetch(&token_of_[slot - 1]);
        }
      }
    }
    if (4 * token_of_.size() >= 3 * slots_.size()) Grow();
    std::uint32_t& slot = slots_[SlotOf(tokens[i])];
    if (slot == 0) {
      token_of_.push_back(tokens[i]);
      slot = static_cast<std::uint32_t>(token_of_.size());
    }
    symbols[i] = slot - 1;
  }
}

}  // namespace dentate::bank
