// Reads a log from its first file to its end, after whatever happened to it, and tells a torn tail
// from damage.
//
//   1. The log files are those numbered from `first_file` on. That one exists, and there is no hole
//      in the numbers: else damage.
//   2. Frames are read file by file for as long as they are valid. L is the last group so read. A
//      file ends where no valid frame follows and the next file's header begins with group L + 1.
//   3. What lies behind is looked at byte by byte. It is damage, at the place where reading
//   stopped, if
//        a. a frame header there whose checksum matches has synced_through > L, or
//        b. the file has no valid header, but such a frame; or a later file has such a frame, or
//           a valid header, or is not the last one:
//      each proves that more than L was once synced.
//   4. Else it is the torn end of writes that nobody was told of, and counts no more.
//
//   crash                                     leaves                                 found by
//   in the middle of a write                  a frame in part                        2, 4
//   of the machine, before a sync             frames with holes between, in any      2, 4: a hole
//   ends
//                                             sectors                                the log
//   while the next file is made ready         a file without header                  4
//   while its header is written               a header in part, no frame             4
//   after recovery, before the next one       a torn file, a later one that goes on  2
//   (a bad disk)                              a group that was synced, unreadable    3
//
// What 3 cannot see: damage to the very last groups, which no later write vouches for. While the
// log is open that is what was written by the last write; closing writes a mark behind them.
//
// A writer never appends to a file that it found: it begins a new one (FileLog::Open). Cutting the
// torn tail off would do too, but a file that only its maker ever changed is simpler to reason
// about, for readers that are reading it just then, too; and what a crash left stays to be looked
// at until it is sealed. Before the new file's header vouches for what came before, that is synced:
// a killed writer may have left it in the page cache only. A file without groups is replaced, so
// that opening a store a thousand times does not make a thousand files.

#ifndef DENTATE_STORAGE_LOG_RECOVERY_H_
#define DENTATE_STORAGE_LOG_RECOVERY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/env.h"
#include "storage/log_follower.h"

namespace dentate::storage {

struct LogTail {
  std::uint64_t sequence = 0;   // of the last group; `after` where there is none
  std::uint64_t file = 0;       // where reading ended: file,
  std::uint64_t offset = 0;     //   offset of what is no valid frame any more,
  bool torn = false;            //   and whether anything but zeros lies there
  std::uint64_t next_file = 0;  // the number for the file of the next writer
};

// The groups after `after`, in order, then `tail`. Changes nothing. Also while another process
// writes.
Status RecoverLog(Env& env, const std::string& directory, std::string_view store_id,
                  std::uint64_t first_file, std::uint64_t after, const LogVisitor& visit,
                  LogTail& tail);

// Makes an empty log file, durable with its name: of a new store, before its first manifest; of a
// backup.
Status CreateEmptyLogFile(Env& env, const std::string& directory, std::string_view store_id,
                          std::uint64_t file, std::uint64_t first_sequence);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_LOG_RECOVERY_H_
