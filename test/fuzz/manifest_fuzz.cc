// Any bytes as a manifest, and any body under a head with the right checksums: refused, or read and
// written back as the same bytes.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/coding.h"
#include "core/crc32c.h"
#include "storage/manifest.h"

namespace {

using dentate::storage::Manifest;

bool Decodes(const std::vector<std::uint8_t>& bytes, Manifest& manifest) {
  const auto status = dentate::storage::DecodeManifest(bytes, manifest);
  using dentate::ErrorCode;
  if (!status.ok() && status.code() != ErrorCode::kCorruption &&
      status.code() != ErrorCode::kVersion) {
    std::abort();
  }
  return status.ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Manifest manifest;
  static_cast<void>(Decodes({data, data + size}, manifest));

  std::vector<std::uint8_t> bytes = {'D', 'E', 'N', 'T', 'A', 'T', 'M', 'F'};
  dentate::PutFixed(bytes, dentate::storage::kManifestVersion);
  dentate::PutFixed(bytes, static_cast<std::uint32_t>(size));
  dentate::PutFixed(bytes, dentate::Crc32c({data, size}));
  dentate::PutFixed(bytes, dentate::Crc32c(bytes));
  bytes.insert(bytes.end(), data, data + size);
  if (!Decodes(bytes, manifest)) return 0;
  // Numbers may have been written in more bytes than they need, so that the first reading can
  // differ in bytes, but not in meaning.
  std::vector<std::uint8_t> again;
  dentate::storage::EncodeManifest(manifest, again);
  Manifest second;
  if (again.size() > bytes.size() || !Decodes(again, second)) std::abort();
  std::vector<std::uint8_t> third;
  dentate::storage::EncodeManifest(second, third);
  if (again != third) std::abort();
  return 0;
}
