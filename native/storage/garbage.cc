#include "storage/garbage.h"

#include <algorithm>
#include <array>

#include "storage/key_file.h"
#include "storage/log_format.h"
#include "storage/segment_name.h"

namespace dentate::storage {
namespace {

bool IsSegment(std::string_view name) noexcept {
  std::array<std::uint8_t, kSegmentNameBytes> hash{};
  return ParseSegmentName(name, hash);
}

bool IsGarbage(const std::string& name, const Manifest& manifest) {
  if (name == kManifestTemporaryName || name == kKeyFileTemporaryName) return true;
  if (IsSegmentTemporaryName(name)) return true;
  std::uint64_t number = 0;
  if (ParseLogFileName(name, number)) return number < manifest.first_log_file;
  return IsSegment(name) &&
         std::none_of(manifest.segments.begin(), manifest.segments.end(),
                      [&](const SegmentEntry& segment) { return segment.name == name; });
}

}  // namespace

Status ListGarbage(Env& env, const std::string& directory, const Manifest& manifest,
                   std::vector<std::string>& names) {
  if (Status status = env.ListDirectory(directory, names); !status.ok()) return status;
  std::erase_if(names, [&](const std::string& name) { return !IsGarbage(name, manifest); });
  return Status::Ok();
}

Status RemoveGarbage(Env& env, const std::string& directory, const Manifest& manifest) {
  std::vector<std::string> names;
  if (Status status = ListGarbage(env, directory, manifest, names); !status.ok()) {
    return status;
  }
  const std::string prefix = directory + "/";
  for (const std::string& name : names) {
    std::string path = prefix;
    path += name;
    if (Status status = env.Remove(path); !status.ok()) return status;
  }
  return Status::Ok();
}

bool IsDataName(std::string_view name) noexcept {
  std::uint64_t number = 0;
  return IsSegment(name) || ParseLogFileName(name, number);
}

}  // namespace dentate::storage
