// A segment written, a manifest that names it swapped in, garbage removed: with the power cut, or a
// call failing, at each call of it.

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/fault_env.h"
#include "storage/garbage.h"
#include "storage/manifest.h"
#include "storage/segment.h"

namespace dentate::storage {
namespace {

constexpr char kStore[] = "/store";

Manifest FirstManifest() {
  Manifest manifest;
  manifest.store_id = std::string(32, 'a');
  manifest.generation = 1;
  manifest.first_log_file = 1;
  return manifest;
}

// Seals group after group into a segment, each time replacing the segment before, as a merge does.
// `reached` is the generation of the last swap that succeeded.
Status Work(Env& env, std::uint64_t& reached) {
  Manifest manifest = FirstManifest();
  if (const Status status = env.CreateDirectories(kStore); !status.ok()) return status;
  if (const Status status = WriteManifest(env, kStore, manifest); !status.ok()) return status;
  reached = 1;
  for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
    std::unique_ptr<SegmentWriter> writer;
    Status status = SegmentWriter::Create(env, kStore, 1, sequence, writer);
    if (!status.ok()) return status;
    BlobInfo info;
    info.key = "bank";
    info.incarnation = 1;
    status = writer->Add(info, std::vector<std::uint8_t>(3000, 7));
    if (!status.ok()) return status;
    SegmentEntry entry{{}, 0, 1, sequence};
    if (status = writer->Finish(entry.name, entry.length); !status.ok()) return status;
    manifest.segments = {entry};
    manifest.sealed_through = sequence;
    manifest.generation++;
    if (status = WriteManifest(env, kStore, manifest); !status.ok()) return status;
    reached = manifest.generation;
    if (status = RemoveGarbage(env, kStore, manifest); !status.ok()) return status;
  }
  return Status::Ok();
}

// What recovery does, up to the log; then the store must be as tidy as if nothing had happened.
void CheckReopened(Env& env, std::uint64_t reached) {
  Manifest manifest;
  bool found = false;
  REQUIRE(ReadManifest(env, kStore, manifest, found).ok());
  if (!found) {
    REQUIRE(reached == 0);
    return;
  }
  // The last swap that was acknowledged, or the one that was under way.
  REQUIRE(manifest.generation >= reached);
  REQUIRE(manifest.generation <= reached + 1);
  std::vector<std::string> expected = {kManifestName};
  for (const SegmentEntry& entry : manifest.segments) {
    std::shared_ptr<const Segment> segment;
    REQUIRE(Segment::Open(env, kStore, entry.name, segment).ok());
    REQUIRE(segment->Verify().ok());
    REQUIRE(segment->length() == entry.length);
    REQUIRE(segment->last_sequence() == entry.last_sequence);
    expected.push_back(entry.name);
  }
  REQUIRE(RemoveGarbage(env, kStore, manifest).ok());
  std::vector<std::string> names;
  REQUIRE(env.ListDirectory(kStore, names).ok());
  REQUIRE(names == expected);
}

TEST_CASE("a power cut at any call leaves the old manifest or the new one, with its segments") {
  std::uint64_t cut = 1;
  int crashes = 0;
  for (;; ++cut) {
    FaultEnv env(cut);
    env.SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
    std::uint64_t reached = 0;
    const Status status = Work(env, reached);
    if (!env.fired()) {
      REQUIRE(status.ok());
      break;
    }
    for (const Survival survival : {Survival::kSynced, Survival::kProcess}) {
      CheckReopened(*env.AfterCrash(survival, cut), reached);
      ++crashes;
    }
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      CheckReopened(*env.AfterCrash(Survival::kRandom, cut * 100 + seed), reached);
      ++crashes;
    }
  }
  MESSAGE((cut - 1) << " cut points, " << crashes << " crashes");
  CHECK(cut > 20);
}

TEST_CASE("an error at any call is reported, and leaves the old manifest or the new one") {
  for (const int error : {EIO, ENOSPC}) {
    std::uint64_t cut = 1;
    for (;; ++cut) {
      FaultEnv env(cut);
      env.SetFault({.at = cut, .kinds = kChanges, .error = error});
      std::uint64_t reached = 0;
      const Status status = Work(env, reached);
      if (!env.fired()) break;
      // Only the removal of what is no longer needed may fail unheard.
      if (!status.ok()) REQUIRE(status.code() == ErrorCode::kIo);
      env.SetFault({});
      CheckReopened(env, reached);
      CheckReopened(*env.AfterCrash(Survival::kSynced, cut), reached);
    }
    MESSAGE((cut - 1) << " calls failed");
  }
}

}  // namespace
}  // namespace dentate::storage
