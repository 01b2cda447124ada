// Reads a log from its first file to its end, after whatever happened to it, and tells a torn tail
// from damage.
//
//   1. The log files are those numbered from `first_file` on. That one exists, and there is no hole
//      in the numbers: else damage.
//   2. Frames are read file by file for as long as they are valid. L is the last group so read. The
//      next file's header begins with a group not above L + 1, or there is damage; groups up to L
//      are read no second time. A group above "recovered through" in the next file's header is not
//      valid.
//   3. What lies behind is looked at byte by byte. It is damage, at the place where reading
//   stopped, if
//        a. a frame header there whose checksum matches has synced_through > L, or
//        b. the file has no valid header, but such a frame or a file after it; or a later file has
//           such a frame, or a valid header, or is not the last one:
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
// A writer never appends to a file that it found: it begins a new one (FileLog::Open), and writes
// to it again the groups above the newest mark M, the unvouched ones, before anything else. A
// killed process may have left them in the page cache only; syncing the old file is not enough, for
// after a failed fsync the kernel may show what the disk does not have, and the next fsync succeeds
// (Rebello et al., "Can Applications Recover from fsync Failures?", 2020). So the new header says M
// + 1, and no mark ever vouches for what its own process did not sync. In the usual case that is
// the last round of a killed process, and nothing after a clean close. Cutting the torn tail off
// and appending would need the same care, and change a file under those who read it.
//
// What the next writer did not find whole, it says in its header ("recovered through" L), and it
// never counts, even if it turns up: the length of a file that was cut is no more durable than its
// bytes, and a group that was torn, rejected and cut off may be whole after another crash.
//
// A file without groups is replaced, so that opening a store a thousand times does not make a
// thousand files.

#ifndef DENTATE_STORAGE_LOG_RECOVERY_H_
#define DENTATE_STORAGE_LOG_RECOVERY_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "storage/env.h"
#include "storage/log_follower.h"

namespace dentate::storage {

struct LogTail {
  std::uint64_t sequence = 0;   // L; `after` where there is no group
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

// The same from where `follower` is: for a reader, which goes on with it.
Status RecoverLog(Env& env, const std::string& directory, std::string_view store_id,
                  std::uint64_t first_file, LogFollower& follower, const LogVisitor& visit,
                  LogTail& tail);

struct UnvouchedGroup {
  LogPosition position;
  std::vector<std::uint8_t> bytes;
};

// The same for the next writer: `visit` sees the groups up to M only, the rest is left in
// `unvouched`.
Status RecoverLogToWrite(Env& env, const std::string& directory, std::string_view store_id,
                         std::uint64_t first_file, std::uint64_t after, const LogVisitor& visit,
                         LogTail& tail, std::deque<UnvouchedGroup>& unvouched);

// Makes an empty log file, durable with its name: of a new store, before its first manifest; of a
// backup.
Status CreateEmptyLogFile(Env& env, const std::string& directory, std::string_view store_id,
                          std::uint64_t file, std::uint64_t first_sequence);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_LOG_RECOVERY_H_
