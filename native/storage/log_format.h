// The bytes of a log file. docs/format.md says the same in tables; recovery is in log_recovery.h.
//
//   log-<file, 16 hex digits>.log    numbers grow by 1, without holes
//
//   +-----------+-------+-------+-----+-------+------ ... ------+
//   | header 64 | frame | frame | ... | frame | zeros, or torn  |
//   +-----------+-------+-------+-----+-------+------ ... ------+
//
//   header   offset  size  field
//                 0     8  magic     "DENTATLG"
//                 8     4  version   1
//                12     4  zero
//                16    16  store id
//                32     8  file      the number in the name
//                40     8  first sequence: of the first group in this file
//                48     8  recovered through: groups above it in earlier files do not count
//                56     4  zero
//                60     4  checksum  CRC-32C of bytes 0 to 59
//
//   frame    offset  size  field
//                 0     4  checksum  CRC-32C of store id, file number (8 bytes), frame bytes 4 to
//                 31 4     4  payload checksum 8     4  length    of the payload
//                12     4  kind      1 group, 2 mark
//                16     8  sequence  of the group; of a mark: that of the group before it
//                24     8  synced_through
//                32     n  payload   of a group, opaque here; a mark has none
//
// Numbers are little-endian. Frames follow each other without gaps or alignment.
//
// A header is valid if and only if magic, version, zeros and checksum are right, it names the store
// and the number of the file it stands in, and 1 <= first sequence <= recovered through + 1. It is
// written, and synced, after everything before `first sequence` has been synced: so it vouches for
// all of that, and so does any frame after it.
//
// A frame is valid if and only if its header checksum matches (bytes of another store or file never
// do: the checksum starts from their numbers), it lies wholly inside the file, its payload checksum
// matches, its kind is known, and its sequence is the one expected: one more than the group before
// it, for a group; that group's, for a mark, whose length is 0. synced_through is below the
// sequence of a group, and not above that of a mark: when the frame was written, all groups up to
// this one were synced.
//
// The header has a checksum of its own, so that marks can be looked for behind damage without
// trusting any length, in time linear in the bytes: whatever a payload looks like.

#ifndef DENTATE_STORAGE_LOG_FORMAT_H_
#define DENTATE_STORAGE_LOG_FORMAT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::storage {

inline constexpr std::uint32_t kLogVersion = 1;
inline constexpr char kLogMagic[] = "DENTATLG";
inline constexpr std::size_t kLogHeaderBytes = 64;
inline constexpr std::size_t kFrameHeaderBytes = 32;
inline constexpr std::size_t kStoreIdBytes = 16;
inline constexpr std::uint64_t kMaxGroupBytes = 0xffffffff;  // the length has 32 bits

inline constexpr std::uint32_t kGroupFrame = 1;
inline constexpr std::uint32_t kMarkFrame = 2;

// Which file of which store: what every checksum in it starts from.
struct LogFileId {
  std::array<std::uint8_t, kStoreIdBytes> store{};
  std::uint64_t file = 0;

  std::uint32_t FrameSeed() const noexcept;
};

struct LogHeader {
  std::uint64_t first_sequence = 1;
  std::uint64_t recovered_through = 0;
};

struct FrameHeader {
  std::uint32_t payload_checksum = 0;
  std::uint32_t length = 0;
  std::uint32_t kind = kGroupFrame;
  std::uint64_t sequence = 0;
  std::uint64_t synced_through = 0;
};

// REQUIRES: `store_id` is 32 hex digits. kInternal otherwise.
Status MakeLogFileId(std::string_view store_id, std::uint64_t file, LogFileId& id);

std::string LogFileName(std::uint64_t file);
std::string LogFilePath(const std::string& directory, std::uint64_t file);
// False for names of other files.
bool ParseLogFileName(std::string_view name, std::uint64_t& file) noexcept;

using LogHeaderBytes = std::array<std::uint8_t, kLogHeaderBytes>;
using FrameHeaderBytes = std::array<std::uint8_t, kFrameHeaderBytes>;

LogHeaderBytes EncodeLogHeader(const LogFileId& id, const LogHeader& header) noexcept;
FrameHeaderBytes EncodeFrameHeader(std::uint32_t frame_seed, const FrameHeader& header) noexcept;

// What a file's first bytes are. A header whose checksum matches but that is of a newer version is
// kVersion, one of another store or file kCorruption; anything else that is not valid leaves
// `valid` false: a file whose creation a crash interrupted, or damage, which what follows tells
// (recovery).
Status DecodeLogHeader(Bytes bytes, const LogFileId& id, const std::string& path, LogHeader& header,
                       bool& valid);
// Whether the checksum matches, the kind is known and the numbers fit each other. Does not look at
// the payload. REQUIRES: kFrameHeaderBytes bytes.
bool DecodeFrameHeader(Bytes bytes, std::uint32_t frame_seed, FrameHeader& header) noexcept;

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_LOG_FORMAT_H_
