#include "core/coding.h"

#include <doctest/doctest.h>

#include <vector>

namespace dentate {

TEST_CASE("numbers come back as written, at each length of a varint") {
  std::vector<std::uint64_t> values{0, 1, UINT64_MAX, UINT32_MAX, UINT64_C(1) << 32};
  for (unsigned bit = 6; bit < 64; ++bit) {
    values.push_back((UINT64_C(1) << bit) - 1);
    values.push_back(UINT64_C(1) << bit);
  }
  std::vector<std::uint8_t> bytes;
  for (const auto value : values) PutVarint(bytes, value);
  PutFixed(bytes, std::uint32_t{0x01020304});
  PutFixed(bytes, UINT64_C(0x0102030405060708));
  PutFixed(bytes, -1.5F);
  Decoder in(bytes);
  for (const auto value : values) CHECK(in.Varint() == value);
  CHECK(in.Fixed<std::uint32_t>() == 0x01020304);
  CHECK(in.Fixed<std::uint64_t>() == 0x0102030405060708);
  CHECK(in.Fixed<float>() == -1.5F);
  CHECK(in.ok());
  CHECK(in.remaining() == 0);
}

TEST_CASE("a fixed number is little-endian on any machine") {
  std::vector<std::uint8_t> bytes;
  PutFixed(bytes, std::uint32_t{0x01020304});
  CHECK(bytes == std::vector<std::uint8_t>{4, 3, 2, 1});
}

TEST_CASE("a read past the end turns the decoder bad and stays so") {
  const std::vector<std::uint8_t> open{0x80, 0x80};
  Decoder in(open);
  CHECK(in.Varint() == 0);
  CHECK(!in.ok());
  CHECK(in.Bytes(0).empty());
  CHECK(!in.ok());

  const std::vector<std::uint8_t> three{1, 2, 3};
  Decoder fixed(three);
  CHECK(fixed.Fixed<std::uint32_t>() == 0);
  CHECK(!fixed.ok());
}

TEST_CASE("a varint that does not fit its type is refused") {
  std::vector<std::uint8_t> bytes;
  PutVarint(bytes, UINT64_C(1) << 32);
  Decoder wide(bytes);
  CHECK(wide.Varint32() == 0);
  CHECK(!wide.ok());

  const std::vector<std::uint8_t> eleven{0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                         0x80, 0x80, 0x80, 0x80, 0x01};
  Decoder longer(eleven);
  longer.Varint();
  CHECK(!longer.ok());
  const std::vector<std::uint8_t> over{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  Decoder bit64(over);
  bit64.Varint();
  CHECK(!bit64.ok());
}

}  // namespace dentate
