// What a store consists of on disk at one moment: a manifest and its segments, open. Immutable; a
// seal, a merge or a purge makes another one.

#ifndef DENTATE_STORE_VIEW_H_
#define DENTATE_STORE_VIEW_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "storage/env.h"
#include "storage/manifest.h"
#include "storage/segment.h"

namespace dentate::store {

// A row of a segment's directory.
struct BlobPlace {
  std::size_t segment = 0;  // in the view
  std::size_t index = 0;    // in the segment
  storage::BlobInfo info;
};

struct View {
  storage::Manifest manifest;
  std::vector<std::shared_ptr<const storage::Segment>> segments;  // as in the manifest

  // The parts that make the newest bank of this name, in the order of their entries: those of
  // earlier incarnations and those that were dropped, up to `dropped` by the log's tail, are left
  // out. O(segments log banks).
  std::vector<BlobPlace> Blobs(std::string_view name, std::uint64_t dropped = 0) const;
  // The blobs of chunks of that bank, in the order in which they were recorded.
  std::vector<BlobPlace> ChunkBlobs(std::string_view name, std::uint64_t incarnation) const;
  // Whether the first `count` segments have a blob of the bank of this incarnation or an earlier
  // one.
  bool HasUpTo(std::string_view name, std::uint64_t incarnation, std::size_t count) const;
};

// Opens the manifest's segments; those that `known` has open are taken from there.
Status OpenView(storage::Env& env, const std::string& directory, storage::Manifest manifest,
                const View* known, std::shared_ptr<const View>& view);

}  // namespace dentate::store

#endif  // DENTATE_STORE_VIEW_H_
