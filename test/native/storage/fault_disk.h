// A disk in memory that knows, for each byte and each name, what a power cut may leave of it.
//
// A file has the bytes that programs see, those that the medium holds for certain, and the changes
// between the two in their order. Sync makes the first the second. A name has the files it has
// stood for since its directory was last synced, none of them certain.
//
//   file   medium | change | change | change = what is seen       change: sectors written, a length
//   name   certain value | value | value = what is seen           value: a file, or nothing
//
// After a crash, a sector (512 bytes, aligned) is as it was on the medium or after one of the
// changes that touched it, independently of other sectors; the length is one of those the file has
// had; a name stands for any of its values, independently of other names (so that of a rename one
// half may survive). Bytes inside the length that were never written are zeros. Directories are
// certain at once.
//
// Threads: none of its own; FaultEnv holds a lock.

#ifndef DENTATE_TEST_STORAGE_FAULT_DISK_H_
#define DENTATE_TEST_STORAGE_FAULT_DISK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "storage/env.h"

namespace dentate::storage {

// How much of what was not synced a crash leaves.
enum class Survival : std::uint8_t {
  kSynced,   // nothing
  kProcess,  // all, since only the process died (kill -9): it is seen, and not on the medium yet,
             // so that another crash may still take it
  kRandom,   // each sector, length and name by itself; at times all or nothing of a file or of the
             // names, or all up to one point of time
};

struct FaultFile {
  struct Change {
    std::uint64_t offset = 0;
    std::vector<std::uint8_t> bytes;
    std::uint64_t size = 0;  // of the file, afterwards
  };

  std::uint64_t number = 0;   // its inode
  std::uint64_t version = 0;  // grows with each change: its modification time
  std::vector<std::uint8_t> seen;
  std::vector<std::uint8_t> medium;
  std::vector<Change> changes;

  void Write(std::uint64_t offset, Bytes bytes);
  void Truncate(std::uint64_t size);
  void Sync();
  // What fsync leaves behind when it fails (Rebello et al., 2020): any part of the changes is on
  // the medium, the rest is only seen, and a later Sync will not write it.
  void FailSync(std::mt19937_64& random);
  // The file that a crash leaves.
  std::shared_ptr<FaultFile> AfterCrash(Survival survival, std::mt19937_64& random) const;
};

class FaultDisk {
 public:
  using File = std::shared_ptr<FaultFile>;

  // Paths are clean: no "//", no trailing "/". Null where there is no such file.
  File Find(const std::string& path) const;
  // The file of this name, made where there is none. Null where its directory is missing.
  File Create(const std::string& path);
  bool Rename(const std::string& from, const std::string& to);  // false: there is no `from`
  bool Remove(const std::string& path);                         // false: there is none
  void SyncNames(const std::string& directory);

  void CreateDirectories(const std::string& path);
  bool IsDirectory(const std::string& path) const { return directories_.contains(path); }
  std::vector<std::string> List(const std::string& directory) const;

  // A disk with what a crash of this one leaves.
  FaultDisk AfterCrash(Survival survival, std::mt19937_64& random) const;

 private:
  // First the certain value, last the one that is seen.
  std::map<std::string, std::vector<File>> names_;
  std::set<std::string> directories_{"/"};
  std::uint64_t next_number_ = 1;
};

// The directory that `path` is in: "/" for "/a" and for "/" itself, "." for "a".
std::string ParentPath(const std::string& path);

}  // namespace dentate::storage

#endif  // DENTATE_TEST_STORAGE_FAULT_DISK_H_
