// The write-ahead log as the bank sees it: an ordered sequence of groups, each whole or absent.
//
// A group is the bytes of one append, opaque here (native/bank/record.h says what they hold). The
// bank hands it over before anything of the append becomes visible; a group the log refuses leaves
// the bank as it was. Nothing above assumes that a log is a local file.
//
// Sequences start at 1 and grow by 1.
//
// Threads. Append is called by the one writer. How long a group takes to become durable, and who
// waits for that, is the implementation's affair: Append only orders it.

#ifndef DENTATE_OLD_BANK_LOG_H_
#define DENTATE_OLD_BANK_LOG_H_

#include <cstdint>
#include <span>

#include "core/status.h"

namespace dentate::old_storage {

class Log {
 public:
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  virtual ~Log() = default;

  // Takes the group, or fails and takes nothing of it. The bytes are copied if they are kept.
  virtual Status Append(std::span<const std::uint8_t> group) = 0;

  // The sequence of the newest group taken; 0 where there is none.
  virtual std::uint64_t sequence() const noexcept = 0;
};

// Numbers the groups and keeps nothing: for a store that lives in memory only.
class MemoryLog final : public Log {
 public:
  Status Append(std::span<const std::uint8_t>) override {
    ++sequence_;
    return Status::Ok();
  }
  std::uint64_t sequence() const noexcept override { return sequence_; }

 private:
  std::uint64_t sequence_ = 0;
};

}  // namespace dentate::old_storage

#endif  // DENTATE_OLD_BANK_LOG_H_
