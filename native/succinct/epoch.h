// When may memory that readers might still see be freed?
//
// Readers of the live structures take no lock, so a writer that replaces a buffer can't free the
// old one at once. Every reader announces itself; a writer stamps what it has unlinked and frees it
// once no reader older than the stamp is left.
//
//   reader                                  writer
//   EpochGuard guard;     slot = epoch      p.store(fresh, release)      unlink the old buffer
//   q = p.load(acquire)                     stamp = AdvanceEpoch()       epoch + 1
//   ... reads *q ...                        ... later ...
//   ~EpochGuard           slot = idle       if (AllReadersPast(stamp)) free(old)
//
// Why it is safe. The reader stores its epoch and then reads the epoch again until both agree, all
// sequentially consistent. If the writer's scan of the slots comes before that store, the second
// read comes after the writer's increment, so the reader's epoch is at least the stamp and, through
// the increment, it sees the unlink: it cannot reach the old buffer. If the scan comes after, it
// sees an epoch below the stamp, and waits.
//
// One domain for the whole process: a slot of one cache line for each thread that ever read, reused
// when the thread ends, never freed. Guards nest. Cost: one locked exchange, about 5 ns.
//
// Source: K. Fraser, "Practical Lock-Freedom", 2004 (epoch-based reclamation).

#ifndef DENTATE_SUCCINCT_EPOCH_H_
#define DENTATE_SUCCINCT_EPOCH_H_

#include <cstdint>

namespace dentate::succinct {

// While one lives, nothing that its thread can reach is freed. Belongs to one thread.
class EpochGuard {
 public:
  EpochGuard();
  ~EpochGuard();
  EpochGuard(const EpochGuard&) = delete;
  EpochGuard& operator=(const EpochGuard&) = delete;
};

// A stamp for everything the calling thread has unlinked so far. Any thread.
std::uint64_t AdvanceEpoch() noexcept;

// Whether every reader that might see what was unlinked before `stamp` has left. Any thread.
bool AllReadersPast(std::uint64_t stamp) noexcept;

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_EPOCH_H_
