// Memory of one live tree: blocks of 64 to 16,384 bytes that are freed only when no reader can see
// them any more.
//
// Layout. Chunks come from the system and grow with the tree: an eighth of what there is, from 4
// KiB up, and from 8 MiB on pieces of 2 MiB that ask for a huge page (a descent touches one random
// line a level, so that with 4 KiB pages every level would miss the TLB as well). A chunk is cut
// front to back. Sizes are counted in units of one cache line and come in four classes an octave:
//
//   units  1 2 3 4 5 6 7 8 | 10 12 14 16 | 20 24 28 32 | 40 .. 64 | 80 .. 128 | 160 192 224 256
//
// so that rounding up wastes at most a fifth. Blocks above 256 units, and whatever asks for it (the
// only leaf of a small tree, which would leave all its outgrown copies behind), come from malloc
// and go back to it.
//
// Reuse. A freed block is put on a list of its size class, and one bit a unit says that it is free,
// so that freed neighbours are one run again without any work. Blocks come from their list where it
// has one. But blocks only ever move to a larger size, so where all symbols are equally frequent
// and all leaves grow at the same time, the lists keep what all of them have outgrown (12.5 bytes a
// symbol instead of 4): once a sixteenth of the memory is free, a block whose list is empty is cut
// from the next run that is long enough, found by a scan of the bits that goes round and round and
// gives up after 32 words for a fresh piece of the chunk. A list may therefore hold blocks that are
// not free any more; its bits tell.
//
// Retiring. Retire() keeps the block until every reader that could hold it has left (epoch.h). The
// waiting list is stamped and examined in batches, by the writer.
//
// Threads. The writer's only, but for SizeInBytes. Cost: O(1), but for a fresh chunk.

#ifndef DENTATE_SUCCINCT_LIVE_ARENA_H_
#define DENTATE_SUCCINCT_LIVE_ARENA_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace dentate::succinct {

class LiveArena {
 public:
  static constexpr std::size_t kUnitBytes = 64;
  static constexpr unsigned kMaxUnits = 256;

  LiveArena() noexcept;
  LiveArena(const LiveArena&) = delete;
  LiveArena& operator=(const LiveArena&) = delete;
  // REQUIRES: no reader is left.
  ~LiveArena();

  struct Memory {
    void* data;
    unsigned units;  // at least as many as asked for
  };
  // Uninitialised memory, aligned to a unit. Throws std::bad_alloc.
  Memory Allocate(unsigned units);
  // The same from malloc.
  Memory AllocateHeap(unsigned units);
  // Frees a block that no reader has seen.
  void Free(Memory memory) noexcept;
  // Frees a block that the caller has just unlinked, once no reader can see it.
  void Retire(Memory memory);
  // Frees what is due. Called once a symbol; cheap when little waits.
  void Reclaim() noexcept {
    if (waiting_.size() >= kBatch || waiting_units_ * kUnitBytes * kRetiredShare > SizeInBytes()) {
      ReclaimBatch();
    }
  }

  // Throws std::bad_alloc rather than take more from the system than this, spare chunks aside.
  void LimitBytes(std::size_t bytes) noexcept { limit_bytes_ = bytes; }

  // All memory taken from the system, used or not. Any thread.
  std::size_t SizeInBytes() const noexcept { return system_bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kRetiredShare = 64;  // of the memory may wait
  static constexpr std::size_t kFreeShare = 16;  // of the memory is free before runs are looked for
  static constexpr unsigned kClasses = 28;
  static constexpr std::size_t kListLength = 4096;  // what is freed beyond is only found by a scan
  static constexpr unsigned kScanWords = 32;
  struct Chunk {
    std::byte* data;
    std::size_t bytes;
    std::vector<std::uint64_t> free;  // bit u: unit u is free
  };

  struct Spare;

  static unsigned ClassOf(unsigned units) noexcept;
  static unsigned UnitsOf(unsigned size_class) noexcept;
  void NewChunk(unsigned units);
  std::byte* TakeMemory(unsigned units, std::size_t& bytes);
  void* TakeListed(unsigned size_class) noexcept;
  void* TakeRun(unsigned units) noexcept;
  Chunk& ChunkOf(std::byte* data) noexcept;
  static bool AllFree(const Chunk& chunk, std::size_t first, std::size_t count) noexcept;
  // Sets or clears bits [first, first + count).
  static void Mark(Chunk& chunk, std::size_t first, std::size_t count, bool free) noexcept;
  void PrepareSpare() noexcept;
  void AddBytes(std::size_t bytes) noexcept {
    system_bytes_.store(SizeInBytes() + bytes, std::memory_order_relaxed);
  }
  void ReclaimBatch() noexcept;

  std::byte* cursor_ = nullptr;  // the unused rest of the newest chunk
  std::byte* limit_ = nullptr;
  std::atomic<std::size_t> system_bytes_{0};
  std::size_t limit_bytes_ = SIZE_MAX;
  std::shared_ptr<Spare> spare_;  // shared with the job that fills it
  std::vector<Chunk> chunks_;     // by address
  std::array<std::vector<std::byte*>, kClasses> lists_;
  std::size_t free_units_ = 0;
  std::size_t scan_chunk_ = 0;  // where the scan for a free run goes on
  std::size_t scan_word_ = 0;
  std::vector<void*> heap_;      // live blocks from malloc: very few
  std::vector<Memory> waiting_;  // retired; the first stamped_ of them carry stamp_
  std::size_t waiting_units_ = 0;
  std::size_t stamped_ = 0;
  std::uint64_t stamp_ = 0;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_ARENA_H_
