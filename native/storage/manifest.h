// What a store consists of: its settings, its segments in the order of their sequences, and from
// where on the log counts. docs/format.md, "Manifest", has the bytes.
//
// `MANIFEST` is replaced as a whole, so that a crash leaves the old one or the new one, and what
// neither names is garbage (garbage.h):
//
//   MANIFEST.tmp written, synced ─► directory synced ─► renamed ─► directory synced
//                                   (so the segments     (the swap)  (so what is no longer named
//                                    that it names are                 may be removed)
//                                    there for good)
//
// Threads. None of its own; WriteManifest is the writer's.

#ifndef DENTATE_STORAGE_MANIFEST_H_
#define DENTATE_STORAGE_MANIFEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::storage {

inline constexpr std::uint32_t kManifestVersion = 1;
inline constexpr char kManifestName[] = "MANIFEST";
inline constexpr char kManifestTemporaryName[] = "MANIFEST.tmp";

// Bytes 0 to 23, the same in every version: magic, version, length and checksum of the body,
// checksum of these bytes before it.
inline constexpr std::size_t kManifestHeadBytes = 24;

struct SegmentEntry {
  std::string name;  // of the file, without directory
  std::uint64_t length = 0;
  std::uint64_t first_sequence = 0, last_sequence = 0;  // what it covers, both included
};

struct Manifest {
  std::string store_id;          // 32 hex digits, made once
  std::uint64_t generation = 0;  // from 1, grows with each swap
  std::int64_t created = 0;      // Unix milliseconds
  // What the data depend on: "tokenizer", "encoder", "stemmer", "signature-bits", "dimensions", ...
  // A store is opened with equal settings or not at all (settings.h).
  std::map<std::string, std::string> settings;
  std::vector<SegmentEntry> segments;  // ascending sequences, without overlap
  std::uint64_t sealed_through = 0;    // groups up to this one lie in segments
  std::uint64_t first_log_file = 0;    // log files below this number count no more
};

// REQUIRES: the manifest is valid as docs/format.md has it.
void EncodeManifest(const Manifest& manifest, std::vector<std::uint8_t>& bytes);
// Any bytes: kCorruption, or kVersion for a newer format. `manifest` is then as it was. `path` is
// for messages.
Status DecodeManifest(Bytes bytes, Manifest& manifest, const std::string& path = kManifestName);

// `found` is false where there is none. Whether the directory holds a store that has lost its own
// is for the caller to see (garbage.h, IsStoreFile).
Status ReadManifest(Env& env, const std::string& directory, Manifest& manifest, bool& found);

// The swap. When it fails, nobody knows which of the two manifests a crash would leave, so the
// files of both must stay until a later swap succeeds. REQUIRES: the writer lock; a valid manifest.
Status WriteManifest(Env& env, const std::string& directory, const Manifest& manifest);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_MANIFEST_H_
