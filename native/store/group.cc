#include "store/group.h"

#include <string>

#include "core/coding.h"

namespace dentate::store {

void EncodeGroup(const Group& group, std::vector<std::uint8_t>& out) {
  out.clear();
  out.reserve(2 + 2 * kMaxVarintBytes + group.bank.size() + group.body.size());
  PutVarint(out, kGroupFormat);
  PutVarint(out, static_cast<std::uint64_t>(group.type));
  PutVarint(out, group.incarnation);
  PutVarint(out, group.bank.size());
  out.insert(out.end(), group.bank.begin(), group.bank.end());
  out.insert(out.end(), group.body.begin(), group.body.end());
}

Status DecodeGroup(std::span<const std::uint8_t> bytes, Group& group) {
  Decoder decoder(bytes);
  const std::uint64_t format = decoder.Varint();
  if (decoder.ok() && format > kGroupFormat) {
    return {ErrorCode::kVersion, "log group has format " + std::to_string(format)};
  }
  const std::uint64_t type = decoder.Varint();
  if (decoder.ok() && type > static_cast<std::uint64_t>(GroupType::kDrop)) {
    return {ErrorCode::kVersion, "log group has type " + std::to_string(type)};
  }
  group.incarnation = decoder.Varint();
  const std::uint64_t length = decoder.Varint();
  if (!decoder.ok() || format == 0 || type == 0 || group.incarnation == 0 || length == 0 ||
      length > kMaxBankName || length > decoder.remaining()) {
    return {ErrorCode::kCorruption, "log group has no valid envelope"};
  }
  const auto name = decoder.Bytes(length);
  group.type = static_cast<GroupType>(type);
  group.bank = {reinterpret_cast<const char*>(name.data()), name.size()};
  group.body = decoder.Bytes(decoder.remaining());
  if (group.type == GroupType::kDrop && !group.body.empty()) {
    return {ErrorCode::kCorruption, "log group that drops a bank has a body"};
  }
  return Status::Ok();
}

}  // namespace dentate::store
