// What a store consists of: its settings, its segments in the order of their sequences, and from
// where on the log counts. docs/format.md has the bytes.
//
// `MANIFEST` is replaced as a whole: written beside, synced, renamed, directory synced. So a crash
// leaves the old one or the new one, and a file that neither names is garbage.

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

struct SegmentEntry {
  std::string name;  // of the file, without directory
  std::uint64_t length = 0;
  std::uint64_t first_sequence = 0, last_sequence = 0;  // what it covers, both included
};

struct Manifest {
  std::string store_id;  // 32 hex digits, made once
  std::uint64_t generation = 0;  // grows with each swap
  std::int64_t created = 0;      // Unix milliseconds
  // What the data depend on: "tokenizer", "encoder", "stemmer", "signature-bits", "dimensions", ...
  // A store is opened with equal settings or not at all (kVersion's neighbour: see CheckSettings).
  std::map<std::string, std::string> settings;
  std::vector<SegmentEntry> segments;  // ascending sequences, without overlap
  std::uint64_t sealed_through = 0;    // groups up to this one lie in segments
  std::uint64_t first_log_file = 0;    // log files below this number count no more
};

void EncodeManifest(const Manifest& manifest, std::vector<std::uint8_t>& bytes);
// Any bytes: kCorruption, or kVersion for a newer format.
Status DecodeManifest(Bytes bytes, Manifest& manifest);

// `found` false where there is none (and the directory is none of ours).
Status ReadManifest(Env& env, const std::string& directory, Manifest& manifest, bool& found);
// The swap. REQUIRES: the writer lock.
Status WriteManifest(Env& env, const std::string& directory, const Manifest& manifest);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_MANIFEST_H_
