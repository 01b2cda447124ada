// Immutable files of sealed data: named blobs, found by a directory, mapped and used in place.
//
// A segment holds what a range of log groups did, for every bank they touched: a blob that is a
// part of the bank (bank/part_image.h), and perhaps one of the chunks that were recorded in that
// time (bank/chunk_rows.h), which are looked at by other searches. Opaque here; docs/format.md has
// every byte.
//
//   header 64 bytes | blobs, each from a multiple of 64 on | directory, sorted by key | trailer
//
// Content-addressed: the file's name is made of the first 32 hex digits of the SHA-256 of its
// bytes, so that equal content is one file anywhere, and a copy can be checked by its name alone.
//
// Opening maps the file and checks header, trailer and directory: 64 bytes a blob and the keys, and
// no blob. A blob's own checksum is verified when it is first asked for. In memory a segment costs
// a bit a blob, and what the system keeps of the mapping.
//
// Threads. A writer: one. A reader: immutable but for the "verified" bits, any thread.

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
  std::string key;                // the bank's name; not empty
  std::uint64_t incarnation = 0;  // sequence of the group that made the bank: a bank that is
                                  // dropped and made again is another one
  bool dropped = false;           // no blob: what older segments hold of this bank, up to and
                                  // including `incarnation`, is gone
  bool chunks = false;            // no part: chunks. Behind the parts of its bank, one at most
  std::uint32_t first_entry = 0;  // of the part
  std::uint32_t entry_count = 0;
  std::uint64_t token_count = 0;
  std::uint64_t dead_bytes = 0;  // a guess: what deleting has made of no use in OLDER parts
  std::uint64_t offset = 0, length = 0;
  std::uint32_t checksum = 0;  // CRC-32C of the blob
};

class SegmentWriter {
 public:
  SegmentWriter() = default;
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;
  virtual ~SegmentWriter() = default;  // removes the file unless Finish succeeded

  // Writes to `directory`/segment-tmp-...; nothing has the final name before Finish.
  // REQUIRES: 1 <= first_sequence <= last_sequence.
  static Status Create(Env& env, const std::string& directory, std::uint64_t first_sequence,
                       std::uint64_t last_sequence, std::unique_ptr<SegmentWriter>& writer);

  // Keys in ascending order of bytes, then incarnations; parts of one bank by first_entry.
  // `info.offset`, `length`, `checksum` are set here. After a failure only the destructor may
  // follow.
  virtual Status Add(BlobInfo info, Bytes blob) = 0;
  // Directory, trailer, sync, rename to the final name. The directory entry is NOT synced yet:
  // WriteManifest does that before the manifest names it.
  virtual Status Finish(std::string& name, std::uint64_t& length) = 0;
};

class Segment {
 public:
  Segment() = default;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  virtual ~Segment() = default;

  // kCorruption, kVersion or kIo.
  static Status Open(Env& env, const std::string& directory, const std::string& name,
                     std::shared_ptr<const Segment>& segment);
  // Of any bytes; `path` is for messages, and the name is what follows its last '/'.
  static Status Open(std::shared_ptr<const MappedFile> file, const std::string& path,
                     std::shared_ptr<const Segment>& segment);

  virtual const std::string& name() const noexcept = 0;
  virtual std::uint64_t length() const noexcept = 0;
  virtual std::uint64_t first_sequence() const noexcept = 0;
  virtual std::uint64_t last_sequence() const noexcept = 0;

  // Blobs are numbered in the order of the directory. REQUIRES: index < blob_count().
  virtual std::size_t blob_count() const noexcept = 0;
  virtual BlobInfo Info(std::size_t index) const = 0;
  virtual std::string_view Key(std::size_t index) const noexcept = 0;
  // [first, last) of the blobs of this key; binary search.
  virtual void Find(std::string_view key, std::size_t& first, std::size_t& last) const = 0;
  // The blob's bytes, at a multiple of 64; its checksum is verified the first time. kCorruption
  // names file and offset. Empty where it is `dropped`.
  virtual Status Blob(std::size_t index, Bytes& bytes) const = 0;

  // Reads the blob again and checks it, verified before or not.
  virtual Status VerifyBlob(std::size_t index) const = 0;
  // Whether the gaps are zero and the name is the hash of the bytes, all of which are read.
  virtual Status VerifyName() const = 0;
  // Both, for all blobs: the first thing that is wrong.
  virtual Status Verify() const = 0;
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_SEGMENT_H_
