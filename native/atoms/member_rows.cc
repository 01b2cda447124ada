#include "atoms/member_rows.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "hamming/kernels.h"

namespace dentate::atoms {
namespace {

constexpr float kLimit = 127;
// Floats of this size have no fractions, so that adding it rounds, to even as lrintf does; unlike
// that, it is one instruction.
constexpr float kRounder = 12582912;  // 1.5 * 2^23
// How far from 1 the length of a unit vector of floats can be: each is rounded once.
constexpr double kUnitError = 1e-6;
// The length of `values`; 0 where they are not finite.
double LengthOf(std::span<const float> values) noexcept {
  double squares = 0;
  for (const float value : values) {
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  // The square of a float fits a double: only a value that isn't finite makes the sum so.
  return std::isfinite(squares) ? std::sqrt(squares) : 0;
}

double LengthOf(std::span<const std::int8_t> row) noexcept {
  std::int64_t squares = 0;
  for (const std::int8_t value : row) {
    squares += static_cast<std::int64_t>(value) * static_cast<std::int64_t>(value);
  }
  return std::sqrt(static_cast<double>(squares));
}

}  // namespace

bool QuantizeUnit(std::span<const float> values, std::span<std::int8_t> row) noexcept {
  assert(values.size() == row.size());
  float largest = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) return false;
    largest = std::max(largest, std::fabs(value));
  }
  if (largest == 0) return false;
  for (std::size_t j = 0; j < values.size(); ++j) {
    // In [-1, 1] first: the largest may be too small for its 127th part to be exact.
    const float steps = values[j] / largest * kLimit;
    row[j] = static_cast<std::int8_t>((steps + kRounder) - kRounder);
  }
  return true;
}

double QuantizationError(std::span<const float> unit) noexcept {
  double largest = 0;
  for (const float value : unit) {
    largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  const double moved = std::sqrt(static_cast<double>(unit.size())) * largest / (2 * 127.0);
  return moved >= 1 ? 2 : moved / std::sqrt(1 - moved * moved);
}

MemberRows::MemberRows(std::size_t dimensions, Storage storage)
    : dimensions_(dimensions),
      storage_(storage),
      floats_(RowChunks<float>::StrideOf(dimensions)),
      bytes_(RowChunks<std::int8_t>::StrideOf(dimensions)) {
  assert(dimensions > 0 && dimensions <= kMaxDimensions);
}

bool MemberRows::ToProbe(std::span<const float> vector, Probe& probe) const {
  assert(vector.size() == dimensions_);
  const double length = LengthOf(vector);
  if (length == 0) return false;
  probe.values.assign(stride(), 0);
  for (std::size_t j = 0; j < dimensions_; ++j) {
    probe.values[j] = static_cast<float>(static_cast<double>(vector[j]) / length);
  }
  if (storage_ == Storage::kFloat32) return true;
  probe.row.assign(bytes_.stride(), 0);
  const auto row = std::span(probe.row).first(dimensions_);
  if (!QuantizeUnit(std::span(probe.values).first(dimensions_), row)) return false;
  probe.scale = static_cast<double>(static_cast<float>(1 / LengthOf(row)));
  return true;
}

bool MemberRows::ToProbe(std::span<const std::int8_t> row, Probe& probe) const {
  assert(row.size() == dimensions_);
  if (std::find(row.begin(), row.end(), std::int8_t{-128}) != row.end()) return false;
  const double length = LengthOf(row);
  if (length == 0) return false;
  probe.scale = static_cast<double>(static_cast<float>(1 / length));
  probe.values.assign(stride(), 0);
  for (std::size_t j = 0; j < dimensions_; ++j) {
    probe.values[j] = static_cast<float>(static_cast<double>(row[j]) / length);
  }
  if (storage_ == Storage::kFloat32) {
    probe.scale = 1;
    return true;
  }
  probe.row.assign(bytes_.stride(), 0);
  std::copy(row.begin(), row.end(), probe.row.begin());
  return true;
}

std::uint32_t MemberRows::Add(const Probe& probe) {
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_);
    if (storage_ == Storage::kFloat32) {
      floats_.Reserve(slot);
    } else {
      bytes_.Reserve(slot);
      scales_.resize(slots_ + 1);
    }
    if (free_.capacity() <= slots_) free_.reserve(2 * slots_ + 1);  // so that Remove can't fail
    ++slots_;
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  if (storage_ == Storage::kFloat32) {
    std::copy(probe.values.begin(), probe.values.end(), floats_.Row(slot));
  } else {
    std::copy(probe.row.begin(), probe.row.end(), bytes_.Row(slot));
    scales_[slot] = static_cast<float>(probe.scale);
  }
  return slot;
}

void MemberRows::Remove(std::uint32_t slot) noexcept {
  if (storage_ == Storage::kFloat32) {
    std::fill_n(floats_.Row(slot), floats_.stride(), 0.0F);
  } else {
    std::fill_n(bytes_.Row(slot), bytes_.stride(), std::int8_t{0});
    scales_[slot] = 0;
  }
  free_.push_back(slot);
}

double MemberRows::Cosine(const Probe& probe, std::uint32_t slot) const {
  double cosine = 0;
  ForEachCosine(probe, slot, std::size_t{slot} + 1,
                [&](std::size_t, double value) { cosine = value; });
  return cosine;
}

void MemberRows::Read(std::uint32_t slot, float* values) const noexcept {
  if (storage_ == Storage::kFloat32) {
    std::copy_n(floats_.Row(slot), stride(), values);
    return;
  }
  const std::int8_t* row = bytes_.Row(slot);
  for (std::size_t j = 0; j < stride(); ++j) {  // a byte row is padded at least as far
    values[j] = static_cast<float>(row[j] * static_cast<double>(scales_[slot]));
  }
}

const void* MemberRows::Bytes(std::uint32_t slot) const noexcept {
  if (storage_ == Storage::kFloat32) return floats_.Row(slot);
  return bytes_.Row(slot);
}

bool MemberRows::FromBytes(const void* bytes, Probe& probe) const {
  if (storage_ == Storage::kInt8) {
    return ToProbe(std::span(static_cast<const std::int8_t*>(bytes), dimensions_), probe);
  }
  probe.values.assign(stride(), 0);
  std::memcpy(probe.values.data(), bytes, dimensions_ * sizeof(float));  // of any alignment
  return std::fabs(LengthOf(probe.values) - 1) <= kUnitError;
}

std::size_t MemberRows::SizeInBytes() const noexcept {
  return floats_.SizeInBytes() + bytes_.SizeInBytes() + scales_.capacity() * sizeof(float) +
         free_.capacity() * sizeof(std::uint32_t);
}

std::uint64_t MemberRows::Sum() const noexcept {
  const auto read = [&](const auto& rows) {
    std::uint64_t sum = 0;
    for (std::size_t begin = 0; begin < slots_;) {
      const std::size_t run = rows.RunLength(begin, slots_);
      const std::size_t bytes = run * rows.stride() * sizeof(*rows.Row(begin));
      sum += hamming::ActiveKernels().sum(reinterpret_cast<const std::uint64_t*>(rows.Row(begin)),
                                          bytes / sizeof(std::uint64_t));
      begin += run;
    }
    return sum;
  };
  return storage_ == Storage::kFloat32 ? read(floats_) : read(bytes_);
}

}  // namespace dentate::atoms
