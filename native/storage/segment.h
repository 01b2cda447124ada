// Immutable files of sealed data: named blobs, found by a directory, mapped and used in place.
//
// A segment holds what a range of log groups did, for every bank they touched: one blob a bank
// (bank/part_image.h says what is in it; opaque here). docs/format.md has every byte.
//
//   header 64 bytes | blobs, each from a multiple of 64 on | directory, sorted by key | trailer
//
// Content-addressed: the file's name is the first 32 hex digits of the SHA-256 of its bytes, so that equal
// content is one file anywhere, and a copy can be checked by its name alone.
//
// Opening maps the file and checks header, trailer and directory by their checksums; a blob's own checksum
// is verified when it is first asked for (Blob), so that opening reads no data.
//
// Threads. A writer: one. A reader: immutable but for the "verified" flags, any thread.

#ifndef DENTATE_STORAGE_SEGMENT_H_
#define DENTATE_STORAGE_SEGMENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::storage {

// What a directory says of a blob.
struct BlobInfo {
  std::string key;                // the bank's name
  std::uint64_t incarnation = 0;  // sequence of the group that made the bank: a bank that is dropped
                                  // and made again is another one
  bool dropped = false;           // no blob: what older segments hold of this bank, up to and
                                  // including `incarnation`, is gone
  std::uint32_t first_entry = 0;  // of the part
  std::uint32_t entry_count = 0;
  std::uint64_t token_count = 0;
  std::uint64_t dead_bytes = 0;   // a guess: what deleting has made of no use in OLDER parts
  std::uint64_t offset = 0, length = 0;
  std::uint32_t checksum = 0;     // CRC-32C of the blob
};

class SegmentWriter {
 public:
  // Writes to `directory`/segment-tmp-...; nothing has the final name before Finish.
  static Status Create(Env& env, const std::string& directory, std::uint64_t first_sequence,
                       std::uint64_t last_sequence, std::unique_ptr<SegmentWriter>& writer);
  virtual ~SegmentWriter() = default;  // removes the file unless Finish succeeded
  // Keys in ascending order (key, then incarnation). `info.offset`, `length`, `checksum` are set here.
  virtual Status Add(BlobInfo info, Bytes blob) = 0;
  // Directory, trailer, sync, rename to the final name. The directory entry is NOT synced yet.
  virtual Status Finish(std::string& name, std::uint64_t& length) = 0;
};

class Segment {
 public:
  static Status Open(Env& env, const std::string& directory, const std::string& name,
                     std::shared_ptr<const Segment>& segment);
  virtual ~Segment() = default;
  virtual const std::string& name() const noexcept = 0;
  virtual std::uint64_t length() const noexcept = 0;
  virtual std::uint64_t first_sequence() const noexcept = 0;
  virtual std::uint64_t last_sequence() const noexcept = 0;
  virtual std::size_t blob_count() const noexcept = 0;
  virtual BlobInfo Info(std::size_t index) const = 0;
  // [first, last) of the blobs of this key; binary search.
  virtual void Find(std::string_view key, std::size_t& first, std::size_t& last) const = 0;
  // The blob's bytes, at a multiple of 64; its checksum is verified the first time. kCorruption names
  // file and offset.
  virtual Status Blob(std::size_t index, Bytes& bytes) const = 0;
  // Reads everything again and checks all checksums and the name.
  virtual Status Verify() const = 0;
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_SEGMENT_H_
