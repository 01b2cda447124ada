#include "store/group.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using dentate::ErrorCode;
using dentate::store::DecodeGroup;
using dentate::store::EncodeGroup;
using dentate::store::Group;
using dentate::store::GroupType;

namespace {

std::vector<std::uint8_t> Encoded(const Group& group) {
  std::vector<std::uint8_t> bytes;
  EncodeGroup(group, bytes);
  return bytes;
}

}  // namespace

TEST_CASE("a group is read back as it was written") {
  const std::vector<std::uint8_t> body{1, 2, 0, 255};
  const std::string long_name(4096, 'n');
  for (const std::string& name : {std::string("b"), long_name, std::string("nul\0inside", 10)}) {
    const auto bytes = Encoded({GroupType::kRecord, UINT64_MAX, name, body});
    Group group;
    REQUIRE(DecodeGroup(bytes, group).ok());
    CHECK(group.type == GroupType::kRecord);
    CHECK(group.incarnation == UINT64_MAX);
    CHECK(group.bank == name);
    CHECK(std::vector<std::uint8_t>(group.body.begin(), group.body.end()) == body);
  }
  Group group;
  const auto drop = Encoded({GroupType::kDrop, 7, "gone", {}});
  REQUIRE(DecodeGroup(drop, group).ok());
  CHECK(group.type == GroupType::kDrop);
  CHECK(group.body.empty());
}

TEST_CASE("what is cut short or changed is refused, or is another valid group") {
  const auto bytes = Encoded({GroupType::kDrop, 300, "bank", {}});
  Group group;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(DecodeGroup({bytes.data(), size}, group).code() == ErrorCode::kCorruption);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      auto changed = bytes;
      changed[i] = static_cast<std::uint8_t>(value);
      if (!DecodeGroup(changed, group).ok()) continue;
      CHECK(Encoded(group).size() <= changed.size());
    }
  }
  auto body = bytes;
  body.push_back(0);
  CHECK(DecodeGroup(body, group).code() == ErrorCode::kCorruption);
}

TEST_CASE("a later format or type is one of a later version") {
  auto bytes = Encoded({GroupType::kRecord, 1, "bank", {}});
  Group group;
  bytes[0] = 2;
  CHECK(DecodeGroup(bytes, group).code() == ErrorCode::kVersion);
  bytes[0] = 1;
  bytes[1] = 9;
  CHECK(DecodeGroup(bytes, group).code() == ErrorCode::kVersion);
}
