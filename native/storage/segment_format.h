// The bytes of a segment file: constants only. docs/format.md, "Segment", has the rules.
//
//   SegmentHeader | blob | 0... | blob | 0... | rows, sorted | keys | 0... | SegmentTrailer
//
// Blobs, rows and trailer begin at multiples of 64. Little-endian, no pointers: rows and keys are
// read where the file is mapped.

#ifndef DENTATE_STORAGE_SEGMENT_FORMAT_H_
#define DENTATE_STORAGE_SEGMENT_FORMAT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dentate::storage {

static_assert(std::endian::native == std::endian::little, "the bytes are used in place");

inline constexpr std::size_t kSegmentAlignment = 64;
inline constexpr std::uint32_t kSegmentVersion = 2;
inline constexpr std::uint32_t kRowDropped = 1;  // flags
inline constexpr std::uint32_t kRowChunks = 2;   // from version 2 on

constexpr std::uint64_t AlignSegmentOffset(std::uint64_t offset) noexcept {
  return (offset + (kSegmentAlignment - 1)) / kSegmentAlignment * kSegmentAlignment;
}

struct SegmentHeader {
  static constexpr std::array<char, 8> kMagic = {'D', 'E', 'N', 'T', 'A', 'T', 'S', 'G'};

  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kSegmentVersion;
  std::uint32_t zero = 0;
  std::uint64_t first_sequence = 0;
  std::uint64_t last_sequence = 0;
  std::array<std::uint32_t, 7> reserved{};
  std::uint32_t checksum = 0;  // of the bytes before it
};
static_assert(sizeof(SegmentHeader) == kSegmentAlignment);
static_assert(offsetof(SegmentHeader, checksum) == 60);

struct SegmentRow {
  std::uint64_t incarnation = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t token_count = 0;
  std::uint64_t dead_bytes = 0;
  std::uint32_t checksum = 0;  // of the blob
  std::uint32_t first_entry = 0;
  std::uint32_t entry_count = 0;
  std::uint32_t key_offset = 0;  // among the keys
  std::uint32_t key_length = 0;
  std::uint32_t flags = 0;
};
static_assert(sizeof(SegmentRow) == kSegmentAlignment);
static_assert(offsetof(SegmentRow, checksum) == 40);

struct SegmentTrailer {
  std::uint64_t file_length = 0;
  std::uint64_t rows_offset = 0;
  std::uint64_t keys_length = 0;
  std::uint32_t row_count = 0;
  std::uint32_t directory_checksum = 0;  // of rows and keys
  std::array<std::uint32_t, 7> reserved{};
  std::uint32_t checksum = 0;  // of the bytes before it
};
static_assert(sizeof(SegmentTrailer) == kSegmentAlignment);
static_assert(offsetof(SegmentTrailer, checksum) == 60);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_SEGMENT_FORMAT_H_
