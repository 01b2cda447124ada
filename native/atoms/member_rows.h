// The vectors of all members, as float32 or as int8, and their cosines with a probe.
//
// A vector counts by its direction alone: it is brought to unit length when it comes.
//
//   float32   the unit vector. 4 * dimensions bytes
//   int8      the vector in steps of its largest component / 127, rounded: it stands for the unit
//             vector row / |row|, whose scale 1 / |row| is kept beside it. dimensions + 4 bytes
//
// What int8 loses. Rounding moves each component of a unit vector x by at most s / 2, where
// s = max |x| / 127, so that x moves by at most e(x) = sqrt(dimensions) * s / 2, and its direction
// by no more than an angle of sine e(x). Hence for y of unit length
//
//   |cos(row(x), y) - cos(x, y)| <= 2 sin(angle / 2) <= e(x) / sqrt(1 - e(x)^2)
//
// and for two rounded vectors the sum of both (QuantizationError).
//
// Slots. A row lies in a slot; slots of removed rows are zeroed and taken again, so that rows stay
// dense. An empty slot has cosine 0 with everything.
//
// Threads. None: AtomIndex locks.

#ifndef DENTATE_ATOMS_MEMBER_ROWS_H_
#define DENTATE_ATOMS_MEMBER_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoms/row_chunks.h"
#include "vectors/dense.h"

namespace dentate::atoms {

inline constexpr std::size_t kMaxDimensions = 4096;

enum class Storage : std::uint8_t { kFloat32 = 0, kInt8 = 1 };

// A vector of unit length, padded and in the form of the rows: what rows are compared with.
struct Probe {
  std::vector<float> values;     // always: what statistics are compared with
  std::vector<std::int8_t> row;  // int8 only
  double scale = 1;              // row[j] * scale ~ values[j]
};

// Rounds `values` to steps of the largest / 127. False, where they are not finite or all zero.
// REQUIRES: row.size() == values.size().
bool QuantizeUnit(std::span<const float> values, std::span<std::int8_t> row) noexcept;

// The most that a cosine with `unit`, a vector of unit length, can change when it is stored as
// int8: the bound above.
double QuantizationError(std::span<const float> unit) noexcept;

class MemberRows {
 public:
  // REQUIRES: 0 < dimensions <= kMaxDimensions.
  MemberRows(std::size_t dimensions, Storage storage);

  std::size_t dimensions() const noexcept { return dimensions_; }
  Storage storage() const noexcept { return storage_; }
  // Floats from one padded vector to the next, of probes and statistics.
  std::size_t stride() const noexcept { return RowChunks<float>::StrideOf(dimensions_); }

  // Slots in use and free ones, 0 .. slots().
  std::size_t slots() const noexcept { return slots_; }

  // False, where the vector can't be brought to unit length: it isn't finite, or zero.
  // REQUIRES: vector.size() == dimensions().
  bool ToProbe(std::span<const float> vector, Probe& probe) const;
  // The same from a row as it is stored; a value of -128 is none.
  bool ToProbe(std::span<const std::int8_t> row, Probe& probe) const;

  // Stores a probe, and returns its slot. Throws std::bad_alloc, and nothing has changed then.
  std::uint32_t Add(const Probe& probe);
  // Zeroes a slot and frees it.
  void Remove(std::uint32_t slot) noexcept;

  // Calls take(slot, cosine of the probe and its row) for the slots [begin, end), ascending.
  template <typename Take>
  void ForEachCosine(const Probe& probe, std::size_t begin, std::size_t end,
                     const Take& take) const;
  double Cosine(const Probe& probe, std::uint32_t slot) const;

  // The unit vector of a slot, padded: stride() values.
  void Read(std::uint32_t slot, float* values) const noexcept;

  // The row as it is held: dimensions() floats of a unit vector, or as many int8.
  const void* Bytes(std::uint32_t slot) const noexcept;
  // The probe of such a row, to the same bits. False where it is none.
  bool FromBytes(const void* bytes, Probe& probe) const;

  std::size_t SizeInBytes() const noexcept;

  // Reads every stored byte once and returns a sum of them: the floor of what a search can take.
  std::uint64_t Sum() const noexcept;

 private:
  // Dot products that are held at a time: few enough for the first-level cache, and many, since
  // the processor finds its way to the next rows anew after each.
  static constexpr std::size_t kBlockRows = 1024;

  const std::size_t dimensions_;
  const Storage storage_;
  RowChunks<float> floats_;
  RowChunks<std::int8_t> bytes_;
  std::vector<float> scales_;  // int8 only
  std::vector<std::uint32_t> free_;
  std::size_t slots_ = 0;
};

template <typename Take>
void MemberRows::ForEachCosine(const Probe& probe, std::size_t begin, std::size_t end,
                               const Take& take) const {
  const vectors::DenseKernels& kernels = vectors::ActiveDenseKernels();
  while (begin < end) {
    if (storage_ == Storage::kFloat32) {
      const std::size_t rows = std::min(floats_.RunLength(begin, end), kBlockRows);
      float dots[kBlockRows];
      kernels.float_dots(probe.values.data(), floats_.Row(begin), floats_.stride(), rows, dots);
      for (std::size_t i = 0; i < rows; ++i) take(begin + i, static_cast<double>(dots[i]));
      begin += rows;
    } else {
      const std::size_t rows = std::min(bytes_.RunLength(begin, end), kBlockRows);
      std::int32_t dots[kBlockRows];
      kernels.byte_dots(probe.row.data(), bytes_.Row(begin), bytes_.stride(), rows, dots);
      const float* scales = scales_.data() + begin;
      for (std::size_t i = 0; i < rows; ++i) {
        take(begin + i, dots[i] * (static_cast<double>(scales[i]) * probe.scale));
      }
      begin += rows;
    }
  }
}

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_MEMBER_ROWS_H_
