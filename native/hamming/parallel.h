// Splits rows over threads: the caller's, and one started for each further part.
//
// Threads are started for each call, about 15 microseconds each, and joined before it returns. A
// pool would save that, but its idle threads would outlive an addon that Node unloads with the last
// Worker that used it. A part is at least kPartBytes of work, some ten times the start.

#ifndef DENTATE_HAMMING_PARALLEL_H_
#define DENTATE_HAMMING_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace dentate::hamming {

// Parts for `bytes` of signatures to compare: from 1 to max(threads, 1).
std::size_t PartCount(std::size_t bytes, unsigned threads) noexcept;

// Calls work(part, begin, end) for `parts` consecutive pieces of [begin, end), each on its own
// thread, and returns when all are done. Where the system refuses a thread, its piece runs on this
// one. An exception thrown by any piece is thrown again here.
void ForEachPart(std::size_t begin, std::size_t end, std::size_t parts,
                 const std::function<void(std::size_t, std::size_t, std::size_t)>& work);

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_PARALLEL_H_
