// What a log group says beside its body: which bank, and what is done to it.
//
//   varint   format, 1
//   varint   type
//   varint   incarnation: the sequence of the group that made the bank (its own, where it makes it)
//   varint   length of the bank's name
//   bytes    the name
//   bytes    the body, to the end: a record (bank/record.h); nothing for kDrop
//
// The incarnation tells a bank from one of the same name that was dropped before it: what a segment
// holds of incarnation i is gone as soon as a drop of i, or of a later one, is met.

#ifndef DENTATE_STORE_GROUP_H_
#define DENTATE_STORE_GROUP_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace dentate::store {

inline constexpr std::uint64_t kGroupFormat = 1;
inline constexpr std::size_t kMaxBankName = 4096;  // bytes

// On disk: never change one, only add.
enum class GroupType : std::uint8_t {
  kRecord = 1,  // what one append, delete or touch did
  kDrop = 2,    // the bank is gone
};

struct Group {
  GroupType type = GroupType::kRecord;
  std::uint64_t incarnation = 0;
  std::string_view bank;
  std::span<const std::uint8_t> body;
};

// Replaces `out`. REQUIRES: a name of 1 to kMaxBankName bytes.
void EncodeGroup(const Group& group, std::vector<std::uint8_t>& out);

// Reads any bytes: kCorruption, or kVersion for a format or a type that is not known yet. `group`
// points into `bytes`. The body is not looked at.
Status DecodeGroup(std::span<const std::uint8_t> bytes, Group& group);

}  // namespace dentate::store

#endif  // DENTATE_STORE_GROUP_H_
