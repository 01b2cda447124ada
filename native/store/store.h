// A store: many banks over one log, one manifest and a list of segments.
//
//   append ─► Bank (live part) + Log group ─► ack            seal: frozen live parts ─► segment ─►
//   manifest load   ─► segments' parts of the bank, then its groups of the log's tail
//
// docs/format.md says what lies on disk and why a crash at any moment loses nothing.
//
// Banks. A name costs nothing until it is used. A bank in use is loaded: its sealed parts are views
// into mapped segments, its tail is replayed from the log (TailIndex knows where the groups of each
// bank lie). What has not been used for longest is let go when all of them exceed the memory limit;
// whoever still searches a bank that was let go holds what it needs.
//
// Sealing. When the log has grown by seal_bytes it is rotated; the live part of each bank that the
// old files touch is frozen; a background thread makes them one segment, swaps the manifest, and
// removes the old log files. Merging: four neighbours of about one size become one, deleted entries
// dropped on the way: n groups lie in O(log n) segments, and each is written log_4 n times.
// (Merging by twos leaves two thirds of the segments at most, and writes each group twice as often:
// it took a tenth of all durable adds.)
//
// Sharing. Opening a directory that this process has open already gives the same store, if the
// options are equal: each opening counts, and the last Close closes. (Listeners are the opener's
// own.)
//
// Threads. All public calls: any thread. Calls that write take the writer mutex for as long as they
// change memory, never for a sync. One background thread (seal, merge), one of the log; a reader
// has one that follows.

#ifndef DENTATE_STORE_STORE_H_
#define DENTATE_STORE_STORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bank/bank.h"
#include "core/status.h"
#include "storage/aes_gcm.h"
#include "storage/env.h"
#include "storage/log.h"

namespace dentate::store {

struct StoreOptions {
  bool read_only = false;
  storage::Durability durability = storage::Durability::kSync;
  std::uint32_t interval_milliseconds = 100;
  std::size_t signature_words = 2;
  // What the data depend on; a store made with other settings is not opened.
  std::map<std::string, std::string> settings;
  std::size_t memory_limit = std::size_t{256} << 20;
  std::uint64_t seal_bytes = std::uint64_t{8} << 20;
  std::uint32_t poll_milliseconds = 50;
  std::uint64_t log_room_bytes = std::uint64_t{1} << 20;  // by which log files grow (file_log.h)
  // Tests: no threads; the log commits inside Append, sealing and merging happen in Seal and Merge
  // alone.
  bool inline_work = false;

  // Encrypts a new store, opens an encrypted one (storage/crypt_env.h).
  std::optional<storage::SecretKey> key;

  bool operator==(const StoreOptions&) const = default;
};

struct StoreStats {
  std::uint64_t banks = 0;  // that exist
  std::uint64_t loaded_banks = 0;
  std::uint64_t memory_bytes = 0;  // of loaded banks
  std::uint64_t segments = 0;
  std::uint64_t files = 0;       // segments, log files, manifest, lock
  std::uint64_t file_bytes = 0;  // segments and log
  std::uint64_t log_bytes = 0;
  std::uint64_t sequence = 0;
  std::uint64_t durable = 0;
  std::uint64_t sealed_through = 0;
};

struct PurgeReceipt {
  std::uint64_t entries = 0;  // whose bytes are gone
  std::uint64_t segments_rewritten = 0;
  std::uint64_t bytes_freed = 0;
  std::vector<std::string> unreached;  // what may still hold them: "reader pid 42 on host", ...
};

// Asked now and then by long calls, which end with kAborted when it says yes. May be empty.
using Cancelled = std::function<bool()>;

class StoreCore;
struct OpenStore;
struct Slot;

// A name for a bank: cheap to have, keeps no bank in memory by itself, holds its store.
class BankHandle {
 public:
  BankHandle(std::shared_ptr<StoreCore> core, std::shared_ptr<Slot> slot);

  const std::string& name() const noexcept;
  // Whether Load would return at once.
  bool loaded() const;
  // The bank, to read: loaded where it was not. Null: there is no bank of this name now. Whoever
  // wants to see later changes asks again: a bank may be let go, dropped and made anew.
  Status Load(std::shared_ptr<const bank::Bank>& bank) const;
  // The bank if it is loaded; null also where there is none.
  std::shared_ptr<const bank::Bank> Peek() const;
  // Memory of the bank alone, as it was after the last change; 0 where it is not loaded.
  std::size_t SizeInBytes() const;

  // What follows writes one group. `sequence` is the group's, 0 where there was nothing to do; it
  // is durable as soon as Store::durable() reaches it. An error means that nothing has changed.
  Status Append(const bank::Batch& batch, bank::AppendResult& result,
                std::uint64_t& sequence) const;
  Status Delete(std::span<const std::uint32_t> entries, std::uint32_t& deleted,
                std::uint64_t& sequence) const;
  Status DeleteVersions(std::span<const std::uint32_t> entries, std::uint32_t& deleted,
                        std::uint64_t& sequence) const;
  Status Touch(std::span<const std::uint32_t> entries, std::int64_t now,
               std::uint64_t& sequence) const;
  // Records chunks (bank/bank_chunks.h); `sequence` is 0 where they were refused as a whole. Takes
  // its time, and the writer mutex for a moment: not for a thread that others wait for.
  Status AppendChunks(const bank::NewChunks& chunks, std::uint64_t& sequence) const;

 private:
  std::shared_ptr<StoreCore> core_;
  std::shared_ptr<Slot> slot_;
};

class Store {
 public:
  // `env` lives as long as the store. kLocked: another process has it. kMismatch: other settings.
  // kKey: the store was encrypted with another key, or either has a key and the other none.
  // In one process a directory has one store for writing and one for reading.
  static Status Open(storage::Env& env, const std::string& directory, const StoreOptions& options,
                     std::shared_ptr<Store>& store);
  // Nothing is ever written; nothing is let go.
  static std::shared_ptr<Store> OpenInMemory(const StoreOptions& options);

  // Made by Open and OpenInMemory only. `opened`: its place in the registry; null: in memory.
  Store(std::shared_ptr<StoreCore> core, OpenStore* opened)
      : core_(std::move(core)), opened_(opened) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();  // Close, where that has not been called

  // Once; more do nothing. The last opener's: calls that come later fail with kClosed; waits for
  // what runs, flushes the log, and seals it where that makes the next opening quicker. What fails
  // of that is reported and has lost nothing that was acknowledged.
  Status Close();

  BankHandle Bank(std::string_view name) const;
  // Of the banks that were given entries and not dropped, sorted.
  std::vector<std::string> BankNames() const;
  Status DropBank(std::string_view name, bool& existed, std::uint64_t& sequence) const;

  // Called, on a thread of the log's, each time groups become durable, and once with an error when
  // the log breaks. Never after RemoveListener has returned; not to be called from a listener.
  std::uint64_t AddListener(storage::Log::Listener listener) const;
  void RemoveListener(std::uint64_t id) const;
  std::uint64_t sequence() const;
  std::uint64_t durable() const;

  // Waits until all groups so far are synced, whatever the durability.
  Status Flush() const;
  // Puts the log's tail into a segment, now.
  Status Seal() const;
  // Merges the neighbours that are due.
  Status Merge() const;
  // Merges all segments into one.
  Status Compact(const Cancelled& cancelled) const;
  // Seals, then rewrites what holds bytes of deleted, expired, superseded or dropped entries.
  Status Purge(const Cancelled& cancelled, PurgeReceipt& receipt) const;
  // From now on only `key` opens the store. kKey: it is not encrypted.
  Status Rekey(const storage::SecretKey& key) const;
  // Of a reader: takes in what is new.
  Status Refresh() const;
  // Copies the store, as it is now, into a directory that is missing or empty (backup.h). Nothing
  // waits for it.
  Status Backup(const std::string& directory, const Cancelled& cancelled) const;
  // Makes the content and the settings of another store, in `directory`, those of this one, at
  // once: a crash leaves the old ones or the new ones. The other store is closed, sealed to the
  // end, and stays as it is; `key` is its own, null where it is not encrypted. This store then
  // ends, also where kIo leaves it unknown which: calls fail with kClosed, and whoever goes on
  // opens it again. kAborted: its newest
  // group is not that of `sequence`, up to which the other store was made from it. kLocked: it is
  // open more than once in this process.
  Status Adopt(const std::string& directory, const storage::SecretKey* key, std::uint64_t sequence,
               const Cancelled& cancelled) const;
  // Reads every file again and lists what is damaged (verify.h); none: sound.
  Status Verify(const Cancelled& cancelled, std::vector<DamagedPlace>& damage) const;
  StoreStats Stats() const;
  // Of the banks that are loaded; what StoreStats has, without the rest.
  std::size_t MemoryBytes() const;

 private:
  std::shared_ptr<StoreCore> core_;
  OpenStore* const opened_;
  std::atomic<bool> closed_{false};
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_STORE_H_
