#include "succinct/live_arena.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include "core/memory.h"
#include "succinct/background.h"
#include "succinct/epoch.h"

namespace dentate::succinct {
namespace {

constexpr std::size_t kSmallestChunk = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeFrom = std::size_t{8} << 20;
constexpr std::size_t kPrepareFrom = kHugeFrom / 4 * 3;

}  // namespace

// One chunk of huge pages, already touched, or none yet.
struct LiveArena::Spare {
  std::atomic<void*> data{nullptr};
  std::atomic<bool> failed{false};  // the job got no memory
  bool asked = false;               // writer only: a job is under way, `data` is set, or `failed`

  Spare() = default;
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;
  ~Spare() { FreeAligned(data.load(std::memory_order_acquire)); }

  void Fill() noexcept {
    void* memory = AllocateAligned(kHugePage, kHugePage);
    if (memory == nullptr) {
      failed.store(true, std::memory_order_relaxed);
      return;
    }
    AdviseHugePages(memory, kHugePage);
    std::memset(memory, 0, kHugePage);
    data.store(memory, std::memory_order_release);
  }
};

LiveArena::LiveArena() noexcept = default;

LiveArena::~LiveArena() {
  for (const Chunk& chunk : chunks_) FreeAligned(chunk.data);
  for (void* block : heap_) FreeAligned(block);
}

unsigned LiveArena::ClassOf(unsigned units) noexcept {
  assert(units > 0 && units <= kMaxUnits);
  if (units <= 8) return units - 1;
  // Four classes an octave: the two bits below the highest of units - 1 say which.
  const auto octave = static_cast<unsigned>(std::bit_width(units - 1)) - 1;  // 3 for 9..16
  return 8 + (octave - 3) * 4 + ((units - 1) >> (octave - 2) & 3);
}

unsigned LiveArena::UnitsOf(unsigned size_class) noexcept {
  if (size_class < 8) return size_class + 1;
  assert(size_class < kClasses);
  const unsigned octave = (size_class - 8) / 4 + 3;
  // The analyzer imagines ClassOf(0), which the assertions above forbid.
  return (5 + (size_class - 8) % 4) << (octave - 2);  // NOLINT(clang-analyzer-core.*)
}

LiveArena::Memory LiveArena::Allocate(unsigned units) {
  if (units > kMaxUnits) return AllocateHeap(units);
  const unsigned size_class = ClassOf(units);
  units = UnitsOf(size_class);
  void* data = TakeListed(size_class);
  if (data == nullptr && free_units_ * kUnitBytes * kFreeShare > SizeInBytes()) {
    data = TakeRun(units);
  }
  if (data != nullptr) return {data, units};
  const std::size_t bytes = units * kUnitBytes;
  if (static_cast<std::size_t>(limit_ - cursor_) < bytes) NewChunk(units);
  data = cursor_;
  cursor_ += bytes;
  return {data, units};
}

LiveArena::Chunk& LiveArena::ChunkOf(std::byte* data) noexcept {
  const auto after =
      std::upper_bound(chunks_.begin(), chunks_.end(), data,
                       [](std::byte* at, const Chunk& other) { return at < other.data; });
  return *std::prev(after);
}

bool LiveArena::AllFree(const Chunk& chunk, std::size_t first, std::size_t count) noexcept {
  while (count > 0) {
    const std::size_t bit = first % 64;
    const std::size_t here = std::min<std::size_t>(count, 64 - bit);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - here) << bit;
    if ((chunk.free[first / 64] & ones) != ones) return false;
    first += here;
    count -= here;
  }
  return true;
}

// The block of this class that was freed last, or null.
void* LiveArena::TakeListed(unsigned size_class) noexcept {
  auto& list = lists_[size_class];
  const unsigned units = UnitsOf(size_class);
  while (!list.empty()) {
    std::byte* data = list.back();
    list.pop_back();
    Chunk& chunk = ChunkOf(data);
    const std::size_t first = static_cast<std::size_t>(data - chunk.data) / kUnitBytes;
    if (!AllFree(chunk, first, units)) continue;
    Mark(chunk, first, units, false);
    free_units_ -= units;
    return data;
  }
  return nullptr;
}

void LiveArena::Mark(Chunk& chunk, std::size_t first, std::size_t count, bool free) noexcept {
  while (count > 0) {
    const std::size_t bit = first % 64;
    const std::size_t here = std::min<std::size_t>(count, 64 - bit);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - here) << bit;
    (free ? chunk.free[first / 64] |= ones : chunk.free[first / 64] &= ~ones);
    first += here;
    count -= here;
  }
}

// Cuts a block from the next free run of at least `units`, or returns null after kScanWords words.
void* LiveArena::TakeRun(unsigned units) noexcept {
  std::size_t run = 0;  // free units in a row up to here
  for (unsigned scanned = 0; scanned < kScanWords; ++scanned) {
    if (scan_word_ >= chunks_[scan_chunk_].free.size()) {
      scan_chunk_ = (scan_chunk_ + 1) % chunks_.size();
      scan_word_ = 0;
      run = 0;
    }
    Chunk& chunk = chunks_[scan_chunk_];
    const std::uint64_t word = chunk.free[scan_word_];
    for (unsigned bit = 0; bit < 64;) {
      const std::uint64_t rest = word >> bit;
      const unsigned taken = rest == 0 ? 64 - bit : static_cast<unsigned>(std::countr_zero(rest));
      if (taken > 0) {
        run = 0;
        bit += taken;
        continue;
      }
      const unsigned free = std::min(static_cast<unsigned>(std::countr_one(rest)), 64 - bit);
      run += free;
      bit += free;
      if (run < units) continue;
      const std::size_t first = scan_word_ * 64 + bit - run;
      Mark(chunk, first, units, false);
      free_units_ -= units;
      scan_word_ = first / 64;  // what is left of the run is seen again
      return chunk.data + first * kUnitBytes;
    }
    ++scan_word_;
  }
  // A run that was not finished begins at most kMaxUnits back: the next scan sees it again.
  scan_word_ -= std::min(scan_word_, (run + 63) / 64);
  return nullptr;
}

LiveArena::Memory LiveArena::AllocateHeap(unsigned units) {
  heap_.reserve(heap_.size() + 1);
  if (SizeInBytes() + units * kUnitBytes > limit_bytes_) throw std::bad_alloc();
  void* data = AllocateAligned(kUnitBytes, units * kUnitBytes);
  if (data == nullptr) throw std::bad_alloc();
  heap_.push_back(data);
  AddBytes(units * kUnitBytes);
  return {data, units};
}

void LiveArena::NewChunk(unsigned units) {
  std::size_t bytes = 0;
  std::byte* data = TakeMemory(units, bytes);
  try {
    // Marks nothing free: the chunk is cut front to back first.
    Chunk chunk{data, bytes, std::vector<std::uint64_t>((bytes / kUnitBytes + 63) / 64)};
    const auto after =
        std::upper_bound(chunks_.begin(), chunks_.end(), data,
                         [](std::byte* at, const Chunk& other) { return at < other.data; });
    chunks_.insert(after, std::move(chunk));
  } catch (const std::bad_alloc&) {
    FreeAligned(data);
    AddBytes(-bytes);
    throw;
  }
  // What is left of the old chunk is not lost.
  if (cursor_ != limit_) {
    const auto rest = static_cast<std::size_t>(limit_ - cursor_) / kUnitBytes;
    Free({cursor_, static_cast<unsigned>(rest)});
  }
  cursor_ = data;
  limit_ = data + bytes;
  if (SizeInBytes() >= kPrepareFrom) PrepareSpare();
}

std::byte* LiveArena::TakeMemory(unsigned units, std::size_t& bytes) {
  if (SizeInBytes() >= kHugeFrom && spare_ != nullptr) {
    void* data = spare_->data.exchange(nullptr, std::memory_order_acquire);
    if (data != nullptr) {
      spare_->asked = false;
      bytes = kHugePage;
      return static_cast<std::byte*>(data);
    }
  }
  bytes = std::max({kSmallestChunk, SizeInBytes() / 8, units * kUnitBytes});
  bytes = std::min((bytes + kSmallestChunk - 1) / kSmallestChunk * kSmallestChunk, kHugePage);
  if (SizeInBytes() + bytes > limit_bytes_) throw std::bad_alloc();
  void* data = AllocateAligned(kSmallestChunk, bytes);
  if (data == nullptr) throw std::bad_alloc();
  AddBytes(bytes);
  return static_cast<std::byte*>(data);
}

// Asks for the next chunk. Without one, small pages serve, so a failure here is none.
void LiveArena::PrepareSpare() noexcept {
  try {
    if (spare_ == nullptr) spare_ = std::make_shared<Spare>();
    if (spare_->failed.exchange(false, std::memory_order_relaxed)) {
      spare_->asked = false;
      AddBytes(-kHugePage);
    }
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
    FreeAligned(memory.data);
    return;
  }
  auto* data = static_cast<std::byte*>(memory.data);
  Chunk& chunk = ChunkOf(data);
  Mark(chunk, static_cast<std::size_t>(data - chunk.data) / kUnitBytes, memory.units, true);
  free_units_ += memory.units;
  if (memory.units > kMaxUnits) return;  // the rest of a chunk
  const unsigned size_class = ClassOf(memory.units);
  auto& list = lists_[size_class];
  if (UnitsOf(size_class) != memory.units || list.size() == kListLength) return;
  try {
    list.push_back(data);
  } catch (const std::bad_alloc&) {
    return;  // a scan will find it
  }
}

void LiveArena::Retire(Memory memory) {
  waiting_.push_back(memory);
  waiting_units_ += memory.units;
}

void LiveArena::ReclaimBatch() noexcept {
  // Twice: where no reader is about, what is stamped now is free at once.
  for (int round = 0; round < 2; ++round) {
    if (stamped_ > 0) {
      if (!AllReadersPast(stamp_)) return;
      for (std::size_t i = 0; i < stamped_; ++i) {
        waiting_units_ -= waiting_[i].units;
        Free(waiting_[i]);
      }
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(stamped_));
    }
    stamped_ = waiting_.size();
    if (stamped_ == 0) return;
    stamp_ = AdvanceEpoch();
  }
}

}  // namespace dentate::succinct
