#include "succinct/live_arena.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "succinct/background.h"
#include "succinct/epoch.h"

namespace dentate::succinct {
namespace {

constexpr std::size_t kSmallestChunk = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeFrom = std::size_t{8} << 20;
constexpr std::size_t kPrepareFrom = kHugeFrom / 2;

}  // namespace

// One chunk of huge pages, already touched, or none yet.
struct LiveArena::Spare {
  std::atomic<void*> data{nullptr};
  bool asked = false;  // writer only: a job is under way or `data` is set

  Spare() = default;
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;
  ~Spare() { std::free(data.load(std::memory_order_acquire)); }

  void Fill() noexcept {
    void* memory = std::aligned_alloc(kHugePage, kHugePage);
    if (memory == nullptr) return;
#if defined(__linux__)
    madvise(memory, kHugePage, MADV_HUGEPAGE);  // advice: failing changes nothing but speed
#endif
    std::memset(memory, 0, kHugePage);
    data.store(memory, std::memory_order_release);
  }
};

LiveArena::LiveArena() noexcept = default;

LiveArena::~LiveArena() {
  for (const Chunk& chunk : chunks_) std::free(chunk.data);
  for (void* block : heap_) std::free(block);
}

unsigned LiveArena::ClassOf(unsigned units) noexcept {
  if (units <= 8) return units - 1;
  // Four classes an octave: the two bits below the highest of units - 1 say which.
  const auto octave = static_cast<unsigned>(std::bit_width(units - 1)) - 1;  // 3 for 9..16
  return 8 + (octave - 3) * 4 + ((units - 1) >> (octave - 2) & 3);
}

unsigned LiveArena::UnitsOf(unsigned size_class) noexcept {
  if (size_class < 8) return size_class + 1;
  const unsigned octave = (size_class - 8) / 4 + 3;
  return (5 + (size_class - 8) % 4) << (octave - 2);
}

LiveArena::Memory LiveArena::Allocate(unsigned units) {
  if (units > kMaxUnits) return AllocateHeap(units);
  const unsigned size_class = ClassOf(units);
  units = UnitsOf(size_class);
  if (FreeBlock* block = free_[size_class]; block != nullptr) {
    free_[size_class] = block->next;
    return {block, units};
  }
  const std::size_t bytes = units * kUnitBytes;
  if (static_cast<std::size_t>(limit_ - cursor_) < bytes) NewChunk(units);
  void* data = cursor_;
  cursor_ += bytes;
  return {data, units};
}

LiveArena::Memory LiveArena::AllocateHeap(unsigned units) {
  heap_.reserve(heap_.size() + 1);
  void* data = std::aligned_alloc(kUnitBytes, units * kUnitBytes);
  if (data == nullptr) throw std::bad_alloc();
  heap_.push_back(data);
  AddBytes(units * kUnitBytes);
  return {data, units};
}

void LiveArena::NewChunk(unsigned units) {
  // What is left of the old chunk is not lost: it becomes free blocks.
  while (cursor_ != limit_) {
    unsigned rest = static_cast<unsigned>(static_cast<std::size_t>(limit_ - cursor_) / kUnitBytes);
    unsigned size_class = ClassOf(std::min(rest, kMaxUnits));
    if (UnitsOf(size_class) > rest) --size_class;
    const unsigned taken = UnitsOf(size_class);
    Free({cursor_, taken});
    cursor_ += taken * kUnitBytes;
  }
  chunks_.reserve(chunks_.size() + 1);
  const Chunk chunk = TakeMemory(units);
  chunks_.push_back(chunk);
  cursor_ = static_cast<std::byte*>(chunk.data);
  limit_ = cursor_ + chunk.bytes;
  if (SizeInBytes() >= kPrepareFrom) PrepareSpare();
}

LiveArena::Chunk LiveArena::TakeMemory(unsigned units) {
  if (SizeInBytes() >= kHugeFrom && spare_ != nullptr) {
    void* data = spare_->data.exchange(nullptr, std::memory_order_acquire);
    if (data != nullptr) {
      spare_->asked = false;
      return {data, kHugePage};
    }
  }
  std::size_t bytes = std::max({kSmallestChunk, SizeInBytes() / 4, units * kUnitBytes});
  bytes = std::min((bytes + kSmallestChunk - 1) / kSmallestChunk * kSmallestChunk, kHugePage);
  void* data = std::aligned_alloc(kSmallestChunk, bytes);
  if (data == nullptr) throw std::bad_alloc();
  AddBytes(bytes);
  return {data, bytes};
}

// Asks for the next chunk. Without one, small pages serve, so a failure here is none.
void LiveArena::PrepareSpare() noexcept {
  try {
    if (spare_ == nullptr) spare_ = std::make_shared<Spare>();
    if (spare_->asked) return;
    RunInBackground(BackgroundQueue::kMemory, [spare = spare_] { spare->Fill(); });
    spare_->asked = true;
    AddBytes(kHugePage);
  } catch (const std::exception&) {
    return;
  }
}

void LiveArena::Free(Memory memory) noexcept {
  if (const auto found = std::find(heap_.begin(), heap_.end(), memory.data); found != heap_.end()) {
    heap_.erase(found);
    AddBytes(-(memory.units * kUnitBytes));
    std::free(memory.data);
    return;
  }
  auto& list = free_[ClassOf(memory.units)];
  list = new (memory.data) FreeBlock{list};
}

void LiveArena::Retire(Memory memory) { waiting_.push_back(memory); }

void LiveArena::ReclaimBatch() noexcept {
  if (stamped_ > 0) {
    if (!AllReadersPast(stamp_)) return;
    for (std::size_t i = 0; i < stamped_; ++i) Free(waiting_[i]);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(stamped_));
  }
  stamped_ = waiting_.size();
  if (stamped_ > 0) stamp_ = AdvanceEpoch();
}

std::size_t LiveArena::FreeBytes() const noexcept {
  std::size_t bytes = static_cast<std::size_t>(limit_ - cursor_);
  for (unsigned size_class = 0; size_class < kClasses; ++size_class) {
    for (const FreeBlock* block = free_[size_class]; block != nullptr; block = block->next) {
      bytes += UnitsOf(size_class) * kUnitBytes;
    }
  }
  return bytes;
}

}  // namespace dentate::succinct
