#include "bank/entry_vectors.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace dentate::bank {
namespace {

constexpr int kFirstBits = 4;

// Where an entry's row is: its chunk, and the first entry of that.
struct Place {
  std::size_t chunk, begin;
};

Place PlaceOf(std::uint32_t entry) noexcept {
  const auto chunk = static_cast<std::size_t>(std::bit_width(entry >> kFirstBits));
  return {chunk, chunk == 0 ? 0 : std::size_t{1} << (kFirstBits + chunk - 1)};
}

}  // namespace

EntryVectors::~EntryVectors() {
  for (auto& chunk : chunks_) std::free(chunk.load(std::memory_order_relaxed));
}

std::byte* EntryVectors::ChunkFor(std::size_t chunk, std::size_t dimensions) {
  static_assert(std::size_t{1} << kFirstBits == kFirstRows);
  std::byte* there = chunks_[chunk].load(std::memory_order_acquire);
  if (there != nullptr) return there;
  const std::size_t begin = chunk == 0 ? 0 : kFirstRows << (chunk - 1);
  const std::size_t rows = std::min(chunk == 0 ? kFirstRows : begin, most_ - begin);
  // Zeros are empty rows; a large block of them is not resident before it is written.
  auto* made = static_cast<std::byte*>(std::calloc(rows, RowBytes(dimensions)));
  if (made == nullptr) throw std::bad_alloc();
  if (chunks_[chunk].compare_exchange_strong(there, made, std::memory_order_acq_rel)) return made;
  std::free(made);  // another thread was faster
  return there;
}

const std::int8_t* EntryVectors::Find(std::uint32_t entry, std::size_t dimensions) const noexcept {
  const Place place = PlaceOf(entry);
  std::byte* const chunk = chunks_[place.chunk].load(std::memory_order_acquire);
  if (chunk == nullptr) return nullptr;
  Row* const row = At(chunk, entry - place.begin, dimensions);
  return row->state.load(std::memory_order_acquire) == kReady ? row->values() : nullptr;
}

void EntryVectors::Prefetch(std::uint32_t entry, std::size_t dimensions) const noexcept {
  const Place place = PlaceOf(entry);
  std::byte* const chunk = chunks_[place.chunk].load(std::memory_order_acquire);
  if (chunk == nullptr) return;
  const auto* const row =
      reinterpret_cast<const std::byte*>(At(chunk, entry - place.begin, dimensions));
  for (std::size_t at = 0; at < RowBytes(dimensions); at += 64) __builtin_prefetch(row + at);
}

void EntryVectors::Keep(std::uint32_t entry, std::span<const std::int8_t> values) {
  const Place place = PlaceOf(entry);
  Row* const row = At(ChunkFor(place.chunk, values.size()), entry - place.begin, values.size());
  std::uint32_t state = kEmpty;
  if (!row->state.compare_exchange_strong(state, kWriting, std::memory_order_relaxed)) return;
  std::memcpy(row->values(), values.data(), values.size());
  row->state.store(kReady, std::memory_order_release);
  bytes_.fetch_add(RowBytes(values.size()), std::memory_order_relaxed);
}

}  // namespace dentate::bank
