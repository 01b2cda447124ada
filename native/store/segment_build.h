// A segment in the making, which becomes a file only if there is something to put into it.
//
// Threads. One.

#ifndef DENTATE_STORE_SEGMENT_BUILD_H_
#define DENTATE_STORE_SEGMENT_BUILD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bank/chunk_rows.h"
#include "bank/part_builder.h"
#include "core/status.h"
#include "storage/env.h"
#include "storage/manifest.h"
#include "storage/segment.h"

namespace dentate::store {

class SegmentBuild {
 public:
  SegmentBuild(storage::Env& env, std::string directory, std::uint64_t first_sequence,
               std::uint64_t last_sequence)
      : env_(env),
        directory_(std::move(directory)),
        first_sequence_(first_sequence),
        last_sequence_(last_sequence) {}

  // In the order of SegmentWriter::Add.
  Status AddPart(std::string_view bank, std::uint64_t incarnation, const bank::BuiltPart& part);
  // Of the same bank and incarnation, after its parts: an encoding of ChunkRows.
  Status AddChunks(std::string_view bank, std::uint64_t incarnation, const bank::ChunkRows& chunks);
  // That older segments' data of the bank, up to this incarnation, is gone.
  Status AddDrop(std::string_view bank, std::uint64_t incarnation);
  // A blob as it is; of another incarnation, where one is given.
  Status Copy(const storage::Segment& segment, std::size_t index, std::uint64_t incarnation = 0);

  // How many blobs and drops there are: the index of the next one in the segment.
  std::size_t size() const noexcept { return size_; }

  // Gives the file its name. None where nothing was added.
  Status Finish(std::optional<storage::SegmentEntry>& entry);

 private:
  Status Add(const storage::BlobInfo& info, storage::Bytes blob);

  storage::Env& env_;
  const std::string directory_;
  const std::uint64_t first_sequence_, last_sequence_;
  std::unique_ptr<storage::SegmentWriter> writer_;
  std::size_t size_ = 0;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_SEGMENT_BUILD_H_
