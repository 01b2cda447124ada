#include "store/view.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace dentate::store {

std::vector<BlobPlace> View::Blobs(std::string_view name, std::uint64_t dropped) const {
  std::vector<BlobPlace> blobs;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    std::size_t first = 0, last = 0;
    segments[i]->Find(name, first, last);
    for (; first < last; ++first) {
      storage::BlobInfo info = segments[i]->Info(first);
      if (info.dropped) dropped = std::max(dropped, info.incarnation);
      if (!blobs.empty() && blobs.back().info.incarnation < info.incarnation) blobs.clear();
      if (!info.dropped && !info.chunks) blobs.push_back({i, first, std::move(info)});
    }
  }
  std::erase_if(blobs, [&](const BlobPlace& blob) { return blob.info.incarnation <= dropped; });
  return blobs;
}

std::vector<BlobPlace> View::ChunkBlobs(std::string_view name, std::uint64_t incarnation) const {
  std::vector<BlobPlace> blobs;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    std::size_t first = 0, last = 0;
    segments[i]->Find(name, first, last);
    for (; first < last; ++first) {
      storage::BlobInfo info = segments[i]->Info(first);
      if (info.chunks && info.incarnation == incarnation) {
        blobs.push_back({i, first, std::move(info)});
      }
    }
  }
  return blobs;
}

bool View::HasUpTo(std::string_view name, std::uint64_t incarnation, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t first = 0, last = 0;
    segments[i]->Find(name, first, last);
    for (; first < last; ++first) {
      const storage::BlobInfo info = segments[i]->Info(first);
      if (!info.dropped && info.incarnation <= incarnation) return true;
    }
  }
  return false;
}

Status OpenView(storage::Env& env, const std::string& directory, storage::Manifest manifest,
                const View* known, std::shared_ptr<const View>& view) {
  auto opened = std::make_shared<View>();
  for (const storage::SegmentEntry& entry : manifest.segments) {
    std::shared_ptr<const storage::Segment> segment;
    if (known != nullptr) {
      const auto same = std::find_if(known->segments.begin(), known->segments.end(),
                                     [&](const std::shared_ptr<const storage::Segment>& s) {
                                       return s->name() == entry.name;
                                     });
      if (same != known->segments.end()) segment = *same;
    }
    if (segment == nullptr) {
      Status status = storage::Segment::Open(env, directory, entry.name, segment);
      if (status.os_error() == ENOENT)
        return Status::Damage(directory + "/" + entry.name, 0, "is missing");
      if (!status.ok()) return status;
    }
    if (segment->length() != entry.length || segment->first_sequence() != entry.first_sequence ||
        segment->last_sequence() != entry.last_sequence) {
      return {ErrorCode::kCorruption,
              "segment \"" + entry.name + "\" is not the one that the manifest names"};
    }
    opened->segments.push_back(std::move(segment));
  }
  opened->manifest = std::move(manifest);
  view = std::move(opened);
  return Status::Ok();
}

}  // namespace dentate::store
