// Engines on an emulated device, and data for them.

#ifndef DENTATE_TEST_CUDA_FIXTURE_H_
#define DENTATE_TEST_CUDA_FIXTURE_H_

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <vector>

#include "cuda/device_engine.h"
#include "cuda/emulator/emulated_device.h"
#include "cuda/rows.h"
#include "cuda/searches.h"

namespace dentate::cuda {

struct Emulated {
  explicit Emulated(Precision precision = Precision::kFp16, std::uint64_t cap = 0)
      : settings(std::make_shared<EmulatedSettings>()),
        engine(std::make_shared<DeviceEngine>(NewEmulatedDevice(settings), precision, cap)) {}

  // With all rows appended, in pieces of a few sizes.
  template <class T>
  std::unique_ptr<DeviceRows> Rows(const std::vector<T>& data, std::uint32_t width) const {
    const auto kind = sizeof(T) == 4 ? kDentateCudaVectors : kDentateCudaSignatures;
    const std::uint64_t count = data.size() / width;
    auto rows = std::make_unique<DeviceRows>(engine, kind, count, width);
    for (std::uint64_t at = 0, piece = 1; at < count; piece = piece * 7 + 100) {
      const std::uint64_t size = std::min(piece, count - at);
      const Status status = rows->Append(data.data() + at * width, size);
      REQUIRE_MESSAGE(status.ok(), status.message());
      at += size;
    }
    return rows;
  }

  const std::shared_ptr<EmulatedSettings> settings;
  const std::shared_ptr<DeviceEngine> engine;
};

// Normal numbers, from a seed.
inline std::vector<float> Floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline std::vector<std::uint64_t> Words(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = random();
  return values;
}

}  // namespace dentate::cuda

#endif  // DENTATE_TEST_CUDA_FIXTURE_H_
