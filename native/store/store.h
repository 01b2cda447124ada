// A store: many banks over one log, one manifest and a list of segments.
//
//   append ─► Bank (live part) + Log group ─► ack            seal: frozen live parts ─► segment ─► manifest
//   load   ─► segments' parts of the bank, then its groups of the log's tail
//
// docs/format.md says what lies on disk and why a crash at any moment loses nothing.
//
// Banks. A name costs nothing until it is used. A bank in use is loaded: its sealed parts are views into
// mapped segments, its tail is replayed from the log (TailIndex knows where the groups of each bank lie).
// What has not been used for longest is let go when all of them exceed the memory limit; whoever still
// searches a bank that was let go holds what it needs.
//
// Sealing. When the log has grown by seal_bytes it is rotated; the live part of each bank that the old
// files touch is frozen; a background thread makes them one segment, swaps the manifest, and removes
// the old log files. Merging: segments i and i + 1 are merged while the left one is less than twice
// the right one (so n groups lie in O(log n) segments), deleted entries dropped on the way.
//
// Threads. All public calls: any thread. Calls that write take the writer mutex for as long as they
// change memory, never for a sync. One background thread (seal, merge), one of the log; a reader has one
// that follows.

#ifndef DENTATE_STORE_STORE_H_
#define DENTATE_STORE_STORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bank/bank.h"
#include "core/status.h"
#include "storage/env.h"
#include "storage/log.h"

namespace dentate::store {

struct StoreOptions {
  bool read_only = false;
  storage::Durability durability = storage::Durability::kSync;
  std::uint32_t interval_milliseconds = 100;
  std::size_t signature_words = 2;
  std::size_t dimensions = 0;
  std::map<std::string, std::string> settings;
  std::size_t memory_limit = std::size_t{256} << 20;
  std::uint64_t seal_bytes = std::uint64_t{8} << 20;
  std::uint32_t poll_milliseconds = 50;
  // Tests: no threads; the log commits inside Append, sealing and merging happen in Seal and Merge alone.
  bool inline_work = false;
  storage::Log::Listener listener;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_STORE_H_
