#include "storage/log_format.h"

#include <cstring>

#include "core/crc32c.h"
#include "storage/hex.h"

namespace dentate::storage {
namespace {

constexpr std::string_view kNamePrefix = "log-";
constexpr std::string_view kNameSuffix = ".log";
constexpr std::size_t kNumberDigits = 16;
constexpr std::size_t kNameBytes = kNamePrefix.size() + kNumberDigits + kNameSuffix.size();

// Offsets of the drawings in the header.
constexpr std::size_t kVersionAt = 8, kStoreAt = 16, kFileAt = 32, kFirstAt = 40, kRecoveredAt = 48,
                      kChecksumAt = 60;
static_assert(sizeof kLogMagic - 1 == kVersionAt);
static_assert(kStoreAt + kStoreIdBytes == kFileAt);
static_assert(kChecksumAt + sizeof(std::uint32_t) == kLogHeaderBytes);

constexpr std::size_t kPayloadChecksumAt = 4, kLengthAt = 8, kKindAt = 12, kSequenceAt = 16,
                      kSyncedAt = 24;
static_assert(kSyncedAt + sizeof(std::uint64_t) == kFrameHeaderBytes);

template <typename T>
void Put(std::uint8_t* out, T value) noexcept {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

template <typename T>
T Get(const std::uint8_t* in) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value |= static_cast<T>(in[i]) << (8 * i);
  return value;
}

void AppendFileName(std::uint64_t file, std::string& out) {
  std::array<char, kNumberDigits> digits;
  for (std::size_t i = 0; i < kNumberDigits; ++i) {
    digits[i] = "0123456789abcdef"[file >> (4 * (kNumberDigits - 1 - i)) & 15];
  }
  out.append(kNamePrefix).append(digits.data(), digits.size()).append(kNameSuffix);
}

}  // namespace

std::uint32_t LogFileId::FrameSeed() const noexcept {
  std::array<std::uint8_t, sizeof file> number;
  Put(number.data(), file);
  return ExtendCrc32c(Crc32c(store), number);
}

Status MakeLogFileId(std::string_view store_id, std::uint64_t file, LogFileId& id) {
  if (!FromHex(store_id, id.store)) {
    return {ErrorCode::kInternal,
            "store id: expected 32 hex digits, got \"" + std::string(store_id) + '"'};
  }
  id.file = file;
  return Status::Ok();
}

std::string LogFileName(std::uint64_t file) {
  std::string name;
  AppendFileName(file, name);
  return name;
}

std::string LogFilePath(const std::string& directory, std::uint64_t file) {
  std::string path;
  path.reserve(directory.size() + 1 + kNameBytes);
  path += directory;
  path += '/';
  AppendFileName(file, path);
  return path;
}

bool ParseLogFileName(std::string_view name, std::uint64_t& file) noexcept {
  if (name.size() != kNameBytes || !name.starts_with(kNamePrefix) || !name.ends_with(kNameSuffix)) {
    return false;
  }
  std::array<std::uint8_t, sizeof file> big_endian;
  if (!FromHex(name.substr(kNamePrefix.size(), kNumberDigits), big_endian)) return false;
  file = 0;
  for (const std::uint8_t byte : big_endian) file = file << 8 | byte;
  return true;
}

LogHeaderBytes EncodeLogHeader(const LogFileId& id, const LogHeader& header) noexcept {
  LogHeaderBytes bytes{};
  std::memcpy(bytes.data(), kLogMagic, kVersionAt);
  Put(&bytes[kVersionAt], kLogVersion);
  std::memcpy(&bytes[kStoreAt], id.store.data(), kStoreIdBytes);
  Put(&bytes[kFileAt], id.file);
  Put(&bytes[kFirstAt], header.first_sequence);
  Put(&bytes[kRecoveredAt], header.recovered_through);
  Put(&bytes[kChecksumAt], Crc32c(Bytes(bytes).first(kChecksumAt)));
  return bytes;
}

FrameHeaderBytes EncodeFrameHeader(std::uint32_t frame_seed, const FrameHeader& header) noexcept {
  FrameHeaderBytes bytes;
  Put(&bytes[kPayloadChecksumAt], header.payload_checksum);
  Put(&bytes[kLengthAt], header.length);
  Put(&bytes[kKindAt], header.kind);
  Put(&bytes[kSequenceAt], header.sequence);
  Put(&bytes[kSyncedAt], header.synced_through);
  Put(&bytes[0], ExtendCrc32c(frame_seed, Bytes(bytes).subspan(kPayloadChecksumAt)));
  return bytes;
}

Status DecodeLogHeader(Bytes bytes, const LogFileId& id, const std::string& path, LogHeader& header,
                       bool& valid) {
  valid = false;
  if (bytes.size() < kLogHeaderBytes || std::memcmp(bytes.data(), kLogMagic, kVersionAt) != 0 ||
      Get<std::uint32_t>(&bytes[kChecksumAt]) != Crc32c(bytes.first(kChecksumAt))) {
    return Status::Ok();
  }
  const auto version = Get<std::uint32_t>(&bytes[kVersionAt]);
  if (version > kLogVersion) {
    return {ErrorCode::kVersion, "\"" + path + "\" has log format " + std::to_string(version) +
                                     ", newer than " + std::to_string(kLogVersion)};
  }
  header.first_sequence = Get<std::uint64_t>(&bytes[kFirstAt]);
  header.recovered_through = Get<std::uint64_t>(&bytes[kRecoveredAt]);
  // With version, store and file right, the one encoding there is must have these bytes.
  const LogHeaderBytes expected = EncodeLogHeader(id, header);
  if (header.first_sequence == 0 || header.first_sequence - 1 > header.recovered_through ||
      std::memcmp(bytes.data(), expected.data(), kLogHeaderBytes) != 0) {
    return Status::Damage(path, 0, "header of another store or file");
  }
  valid = true;
  return Status::Ok();
}

bool DecodeFrameHeader(Bytes bytes, std::uint32_t frame_seed, FrameHeader& header) noexcept {
  header.kind = Get<std::uint32_t>(&bytes[kKindAt]);
  if (header.kind != kGroupFrame && header.kind != kMarkFrame) return false;  // most of what isn't
  header.payload_checksum = Get<std::uint32_t>(&bytes[kPayloadChecksumAt]);
  header.length = Get<std::uint32_t>(&bytes[kLengthAt]);
  header.sequence = Get<std::uint64_t>(&bytes[kSequenceAt]);
  header.synced_through = Get<std::uint64_t>(&bytes[kSyncedAt]);
  const bool fits = header.kind == kGroupFrame
                        ? header.synced_through < header.sequence
                        : header.length == 0 && header.payload_checksum == 0 &&
                              header.synced_through <= header.sequence;
  return fits && Get<std::uint32_t>(bytes.data()) ==
                     ExtendCrc32c(
                         frame_seed,
                         bytes.subspan(kPayloadChecksumAt, kFrameHeaderBytes - kPayloadChecksumAt));
}

}  // namespace dentate::storage
