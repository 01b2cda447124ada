// The parts of a dynamic wavelet matrix, behind one pointer, and how they are sealed and merged.
//
//   view ─► [ sealed 0..a ) [ sealed a..b ) [ frozen b..c ) [ live c.. )
//             static          static          a live tree     the only part
//             matrix          matrix          no longer       that grows
//                                             appended to
//
// Roll() freezes the live tree, puts an empty one behind it and leaves the rest to a background
// thread: it reads the frozen tree level by level, builds a static matrix of it, swaps the two, and
// merges neighbours while the left one is less than twice as long as the right one, so that n
// symbols lie in O(log n) parts. What is replaced is freed there as well, so that an append pays
// for two small allocations and nothing else.
//
// Policy. Measured at 1e7 Zipf symbols beside sdsl's wm_int, on two shared cores: one live tree
// takes 0.59 / 0.52 / 0.23 of its time for access / rank / select and 3.4 bytes a symbol; sealed
// every 2^22 symbols (8.4e6 sealed and 1.6e6 live after the merges), access and rank are about 10%
// quicker, select 30% slower, and a symbol takes 2.8 bytes. Every part before the one that is asked
// costs a rank or select one more lookup, and building costs another thread about 0.1 us a symbol
// and merge. So the default keeps a text in one live tree up to 2^24 symbols, which hardly any
// memory bank reaches, where nothing runs in the background, and seals beyond; whoever has few
// large texts sets seal_after lower. A merge needs about 12 bytes a symbol of scratch; parts of
// 2^26 symbols and more are therefore not merged further.
//
// Invariants.
//  1. A view is immutable, but for the live tree its last part points to.
//  2. Parts follow each other: part p ends where part p + 1 starts.
//  3. Only the writer replaces the last part; only the sealing thread replaces the others.
//
// Threads. Readers load the view inside an EpochGuard. Roll: the writer. The mutex is held for no
// more than copying the list of parts.

#ifndef DENTATE_SUCCINCT_DYNAMIC_PARTS_H_
#define DENTATE_SUCCINCT_DYNAMIC_PARTS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "succinct/live_wavelet_tree.h"
#include "succinct/wavelet_matrix.h"

namespace dentate::succinct {

struct DynamicOptions {
  // The live tree is sealed when it has this many symbols; 0 never seals by itself.
  std::uint32_t seal_after = std::uint32_t{1} << 24;
  // Merging stops at parts of this many symbols.
  std::uint32_t largest_merge = std::uint32_t{1} << 26;
};

struct DynamicPart {
  std::uint32_t start = 0;
  std::shared_ptr<LiveWaveletTree> live;        // null once sealed
  std::shared_ptr<const WaveletMatrix> sealed;  // null until then

  std::uint32_t size() const noexcept { return live != nullptr ? live->size() : sealed->size(); }
  std::uint32_t Rank(std::uint32_t symbol, std::uint32_t position) const {
    return live != nullptr ? live->Rank(symbol, position) : sealed->Rank(symbol, position);
  }
  std::uint32_t Count(std::uint32_t symbol) const {
    return live != nullptr ? live->Rank(symbol, live->size()) : sealed->Count(symbol);
  }
};

struct DynamicView {
  std::vector<DynamicPart> parts;  // never empty; the last one is live

  // The part that position i lies in; the last one for i = size.
  const DynamicPart& PartAt(std::uint32_t i) const noexcept {
    std::size_t p = parts.size() - 1;
    while (parts[p].start > i) --p;
    return parts[p];
  }
};

class DynamicParts : public std::enable_shared_from_this<DynamicParts> {
 public:
  // `sealed`, parts that follow each other from 0 on, come before an empty live tree.
  DynamicParts(unsigned symbol_bits, const DynamicOptions& options,
               std::vector<DynamicPart> sealed = {});
  DynamicParts(const DynamicParts&) = delete;
  DynamicParts& operator=(const DynamicParts&) = delete;
  ~DynamicParts();

  // REQUIRES: an EpochGuard, or that nothing is being sealed.
  const DynamicView& view() const noexcept { return *view_.load(std::memory_order_acquire); }

  // The part the writer appends to. Writer only; stays valid until it calls Roll.
  const DynamicPart& live() const noexcept { return live_; }
  // Freezes the live tree, unless it is empty, and has it sealed. Writer only. Where memory or a
  // thread is lacking, nothing happens or the sealing waits for the next time.
  void Roll() noexcept;
  // Blocks until nothing is left to seal or merge. Any thread but the sealing one.
  void WaitUntilSealed();
  // Whatever still runs in the background gives up at its next step.
  void Abandon() noexcept { abandoned_.store(true, std::memory_order_relaxed); }

 private:
  struct Retired {
    std::unique_ptr<const DynamicView> view;
    std::uint64_t stamp;
  };

  void Publish(std::unique_ptr<const DynamicView> view);  // REQUIRES: mutex_ held
  void SealFrozen();
  bool SealNext();
  bool MergeNext();
  void Replace(std::uint32_t start, std::size_t count, std::shared_ptr<const WaveletMatrix> matrix);
  void FreeRetired();

  const unsigned symbol_bits_;
  const DynamicOptions options_;
  std::atomic<const DynamicView*> view_{nullptr};
  DynamicPart live_;  // a copy of the view's last part; writer only
  std::atomic<bool> abandoned_{false};

  std::mutex mutex_;
  std::condition_variable idle_;
  unsigned jobs_ = 0;             // guarded by mutex_
  std::vector<Retired> retired_;  // guarded by mutex_
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_DYNAMIC_PARTS_H_
