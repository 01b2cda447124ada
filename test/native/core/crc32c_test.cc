#include "core/crc32c.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/crc32c_kernels.h"

namespace dentate {
namespace {

std::uint32_t BitByBit(std::uint32_t state, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) {
    state ^= byte;
    for (int i = 0; i < 8; ++i) state = (state >> 1) ^ ((state & 1) != 0 ? crc32c::kPolynomial : 0);
  }
  return state;
}

std::vector<std::uint8_t> RandomBytes(std::size_t size) {
  std::mt19937 random(7);
  std::vector<std::uint8_t> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

}  // namespace

TEST_CASE("the checksums of RFC 3720 come out") {
  std::vector<std::uint8_t> bytes(32, 0);
  CHECK(Crc32c(bytes) == 0x8a9136aa);
  bytes.assign(32, 0xff);
  CHECK(Crc32c(bytes) == 0x62a8ab43);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  CHECK(Crc32c(bytes) == 0x46dd794e);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(31 - i);
  CHECK(Crc32c(bytes) == 0x113fdb5c);
  const std::vector<std::uint8_t> read_command{
      0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
      0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18, 0x28, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  CHECK(Crc32c(read_command) == 0xd9963a56);
  const std::string_view digits = "123456789";  // the check value of the catalogue of CRCs
  CHECK(Crc32c({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()}) ==
        0xe3069283);
  CHECK(Crc32c({}) == 0);
}

TEST_CASE("every kernel agrees with the definition, at each length and alignment") {
  // Up to beyond two short strides of three streams, then around the long ones.
  const std::vector<std::uint8_t> bytes = RandomBytes(8 * crc32c::kLongStride);
  const std::span<const std::uint8_t> all(bytes);
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 2 * 3 * crc32c::kShortStride + 16; ++size)
    sizes.push_back(size);
  for (const std::size_t strides : {3, 6}) {
    const std::size_t around = strides * crc32c::kLongStride;
    for (std::size_t size = around - 9; size <= around + 9; ++size) sizes.push_back(size);
    sizes.push_back(around + 3 * crc32c::kShortStride + 5);
  }
  for (const auto& kernel : crc32c::SupportedKernels()) {
    CAPTURE(kernel.name);
    for (std::size_t start = 0; start < 16; ++start) {
      for (const std::size_t size : sizes) {
        const auto part = all.subspan(start, size);
        const std::uint32_t state = 0x12345678U * static_cast<std::uint32_t>(size + 1);
        REQUIRE(kernel.extend(state, part.data(), part.size()) == BitByBit(state, part));
      }
    }
  }
}

TEST_CASE("a checksum goes on where another ended") {
  const std::vector<std::uint8_t> bytes = RandomBytes(5000);
  const std::span<const std::uint8_t> all(bytes);
  const std::uint32_t whole = Crc32c(all);
  for (std::size_t cut = 0; cut <= all.size(); cut += 13) {
    CHECK(ExtendCrc32c(Crc32c(all.first(cut)), all.subspan(cut)) == whole);
  }
}

TEST_CASE("the portable kernel is the last, and the one in use when it is forced") {
  const auto kernels = crc32c::SupportedKernels();
  CHECK(std::string(kernels.back().name) == "slicing");
  const char* const forced = std::getenv("DENTATE_KERNEL");
  if (forced != nullptr && std::string(forced) == "scalar") CHECK(kernels.size() == 1);
#if defined(__x86_64__)
  if (forced == nullptr && __builtin_cpu_supports("avx2")) {
    CHECK(std::string(kernels.front().name) == "sse42");
  }
#endif
}

}  // namespace dentate
