#include "atoms/atom_image.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "atoms/atom_index.h"

namespace dentate::atoms {
namespace {

static_assert(std::endian::native == std::endian::little, "the image is copied as it is");

Status Corrupt(const char* what) {
  return {ErrorCode::kCorruption, std::string("not a serialized AtomIndex: ") + what};
}

std::size_t RowBytes(const Options& options) noexcept {
  return options.dimensions * (options.storage == Storage::kFloat32 ? sizeof(float) : 1);
}

Status ReadHeader(std::span<const std::uint8_t> bytes, ImageHeader& header, Options& options) {
  if (bytes.size() < sizeof(header)) return Corrupt("too short");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kImageMagic) return Corrupt("no \"DATM\" at the start");
  if (header.version != kImageVersion) {
    return {ErrorCode::kVersion, "the AtomIndex is of version " + std::to_string(header.version) +
                                     ", this build reads version " + std::to_string(kImageVersion)};
  }
  const auto policy = static_cast<PolicyKind>(header.policy);
  const bool valid =
      header.dimensions > 0 && header.dimensions <= kMaxDimensions && header.rank > 0 &&
      header.rank <= kMaxRank && header.storage <= static_cast<std::uint8_t>(Storage::kInt8) &&
      policy <= PolicyKind::kDpMeans && header.gate <= static_cast<std::uint8_t>(Gate::kMember) &&
      header.seeded <= 1 && std::fabs(header.threshold) <= 1 &&
      (policy != PolicyKind::kOnlineKMeans || header.clusters > 0);
  if (!valid) return Corrupt("a bad header");
  options = {header.dimensions,
             static_cast<Storage>(header.storage),
             {policy, static_cast<Gate>(header.gate), header.seeded == 1, header.clusters,
              header.threshold, header.seed},
             header.rank};
  const std::size_t member_bytes = sizeof(ImageMember) + RowBytes(options);
  const std::size_t body = bytes.size() - sizeof(header);
  if (header.members > body / member_bytes || header.members * member_bytes != body) {
    return Corrupt("its length is not that of its members");
  }
  return Status::Ok();
}

}  // namespace

std::vector<std::uint8_t> AtomIndex::Serialize() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::uint32_t> members;
  for (std::size_t slot = 0; slot < rows_.slots(); ++slot) {
    if (atom_slot_of_[slot] != kNone) members.push_back(member_of_[slot]);
  }
  std::sort(members.begin(), members.end());
  const Policy& policy = options_.policy;
  const ImageHeader header{kImageMagic,
                           kImageVersion,
                           static_cast<std::uint32_t>(options_.dimensions),
                           static_cast<std::uint32_t>(options_.rank),
                           static_cast<std::uint8_t>(options_.storage),
                           static_cast<std::uint8_t>(policy.kind),
                           static_cast<std::uint8_t>(policy.gate),
                           static_cast<std::uint8_t>(policy.seeded ? 1 : 0),
                           policy.clusters,
                           policy.threshold,
                           policy.seed,
                           next_member_,
                           next_atom_,
                           members.size()};
  const std::size_t row_bytes = RowBytes(options_);
  std::vector<std::uint8_t> bytes(sizeof(header) +
                                  members.size() * (sizeof(ImageMember) + row_bytes));
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::uint8_t* to_member = bytes.data() + sizeof(header);
  std::uint8_t* to_row = to_member + members.size() * sizeof(ImageMember);
  for (const std::uint32_t number : members) {
    const std::uint32_t slot = slot_of_member_.find(number)->second;
    const ImageMember member{number, gauges_[atom_slot_of_[slot]].number};
    std::memcpy(to_member, &member, sizeof(member));
    std::memcpy(to_row, rows_.Bytes(slot), row_bytes);
    to_member += sizeof(member);
    to_row += row_bytes;
  }
  return bytes;
}

Status AtomIndex::Deserialize(std::span<const std::uint8_t> bytes,
                              std::shared_ptr<AtomIndex>& index) {
  ImageHeader header{};
  Options options;
  if (Status status = ReadHeader(bytes, header, options); !status.ok()) return status;
  auto read = std::make_shared<AtomIndex>(options);
  const std::uint8_t* from_member = bytes.data() + sizeof(header);
  const std::uint8_t* from_row = from_member + header.members * sizeof(ImageMember);
  Probe probe;
  for (std::uint64_t i = 0; i < header.members; ++i) {
    ImageMember member{};
    std::memcpy(&member, from_member, sizeof(member));
    if (member.number < read->next_member_ || member.number >= header.next_member ||
        member.atom >= header.next_atom) {
      return Corrupt("a number out of order");
    }
    if (!read->rows_.FromBytes(from_row, probe)) return Corrupt("a row that is no unit vector");
    read->next_member_ = member.number;
    read->Insert(probe, member.atom);
    from_member += sizeof(member);
    from_row += RowBytes(options);
  }
  read->next_member_ = header.next_member;
  read->next_atom_ = header.next_atom;
  index = std::move(read);
  return Status::Ok();
}

}  // namespace dentate::atoms
