#include "bank/bank_names.h"

#include <algorithm>
#include <cstring>

#include "bank/content_hash.h"

namespace dentate::bank {
namespace {

constexpr std::size_t kFirstSlots = 8;
constexpr std::size_t kFirstBlock = 64;
constexpr std::size_t kLargestBlock = 4096;

}  // namespace

// The name's slot, or the free one where it belongs. REQUIRES: the table has a free slot.
std::size_t NameTable::SlotOf(std::string_view name) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(HashOfName(name)) & mask;
  while (slots_[slot] != 0 && names_[slots_[slot] - 1] != name) slot = (slot + 1) & mask;
  return slot;
}

void NameTable::Grow() {
  std::vector<std::uint32_t> larger(std::max(kFirstSlots, slots_.size() * 2));
  slots_.swap(larger);
  for (const std::uint32_t entry : larger) {
    if (entry != 0) slots_[SlotOf(names_[entry - 1])] = entry;
  }
}

std::string_view NameTable::Copy(std::string_view name) {
  if (blocks_.empty() || block_size_ - block_used_ < name.size()) {
    const std::size_t size = std::max(
        name.size(), blocks_.empty() ? kFirstBlock : std::min(2 * block_size_, kLargestBlock));
    blocks_.push_back(std::make_unique<char[]>(size));
    block_size_ = size;
    block_used_ = 0;
    block_bytes_ += size;
  }
  char* const copy = blocks_.back().get() + block_used_;
  if (!name.empty()) std::memcpy(copy, name.data(), name.size());
  block_used_ += name.size();
  return {copy, name.size()};
}

std::uint32_t NameTable::FindOrAdd(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (4 * names_.size() >= 3 * slots_.size()) Grow();
  std::uint32_t& slot = slots_[SlotOf(name)];
  if (slot == 0) {
    names_.Reserve(names_.size() + 1);
    names_.push_back(Copy(name));
    slot = static_cast<std::uint32_t>(names_.size());
  }
  return slot - 1;
}

std::uint32_t NameTable::Find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return slots_.empty() ? kNone : slots_[SlotOf(name)] - 1;  // 0 - 1 is kNone
}

std::size_t NameTable::SizeInBytes() const {
  const std::lock_guard lock(mutex_);
  return names_.SizeInBytes() + block_bytes_ + slots_.capacity() * sizeof(std::uint32_t);
}

NameChains::Place NameChains::PlaceOf(std::uint32_t node) const noexcept {
  if (node == kNone) return {};
  const std::uint32_t part = nodes_[node].part;
  return {part, node - begins_[part]};
}

std::uint32_t NameChains::LocalIn(std::uint32_t part, std::uint32_t number) const noexcept {
  for (std::uint32_t node = Head(number); node != kNone; node = nodes_[node].next.Acquire()) {
    if (nodes_[node].part == part) return node - begins_[part];
    if (nodes_[node].part > part) break;
  }
  return kNone;
}

NameChains::Place NameChains::Before(std::uint32_t part, std::uint32_t local) const noexcept {
  return PlaceOf(nodes_[begins_[part] + local].previous);
}

NameChains::Place NameChains::After(std::uint32_t part, std::uint32_t local) const noexcept {
  return PlaceOf(nodes_[begins_[part] + local].next.Acquire());
}

NameChains::Place NameChains::First(std::uint32_t number) const noexcept {
  return PlaceOf(Head(number));
}

void NameChains::BeginPart() { begins_.push_back(static_cast<std::uint32_t>(nodes_.size())); }

void NameChains::AddNumber(std::uint32_t number) {
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.Reserve(node + 1);
  heads_.Reserve(number + 1);
  if (tails_.size() <= number) tails_.resize(number + 1, kNone);
  // Nothing below can fail. A node is there before a link leads to it.
  while (heads_.size() <= number) heads_.push_back(Cell(kNone));
  const std::uint32_t previous = tails_[number];
  nodes_.push_back({number, part_count() - 1, previous, Cell(kNone)});
  if (previous == kNone) {
    ++name_count_;
    heads_.Mutable(number).Publish(node);
  } else {
    nodes_.Mutable(previous).next.Publish(node);
  }
  tails_[number] = node;
}

std::uint32_t NameChains::local_count(std::uint32_t part) const noexcept {
  const auto end =
      part + 1 < part_count() ? begins_[part + 1] : static_cast<std::uint32_t>(nodes_.size());
  return end - begins_[part];
}

std::size_t NameChains::SizeInBytes() const {
  return nodes_.SizeInBytes() + begins_.SizeInBytes() + heads_.SizeInBytes() +
         tails_.capacity() * sizeof(std::uint32_t);
}

std::size_t NameChains::StaleBytes() const {
  const std::size_t names = table_->size();
  if (names == 0) return 0;
  const std::size_t each = table_->SizeInBytes() / names + sizeof(Cell) + sizeof(std::uint32_t);
  return (names - name_count_) * each;
}

}  // namespace dentate::bank
