// A block of zeroed memory for structures that are read at random: cache-line aligned, and on huge
// pages where it is large and the system grants them (a descent touches one random line a level,
// and with 4 KiB pages each would miss the TLB as well).

#ifndef DENTATE_SUCCINCT_ALIGNED_BYTES_H_
#define DENTATE_SUCCINCT_ALIGNED_BYTES_H_

#include <cstddef>

namespace dentate::succinct {

class AlignedBytes {
 public:
  // Throws std::bad_alloc.
  explicit AlignedBytes(std::size_t size);
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  ~AlignedBytes();

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_;
  std::size_t size_;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_ALIGNED_BYTES_H_
