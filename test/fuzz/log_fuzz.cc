// Any bytes as one to three log files: as they are, and with the numbers and checksums of headers
// and frames put right, so that what they protect is reached. Refused, or recovered: then the
// groups are in order, read back by position, and the log goes on behind them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/crc32c.h"
#include "memory_env.h"
#include "storage/file_log.h"
#include "storage/log_format.h"
#include "storage/log_reader.h"
#include "storage/log_recovery.h"

namespace {

using namespace dentate::storage;
using dentate::ErrorCode;
using dentate::Status;

constexpr char kStore[] = "00112233445566778899aabbccddeeff";
constexpr char kDirectory[] = "/store";

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Found {
  std::vector<LogPosition> positions;
  std::vector<std::vector<std::uint8_t>> groups;
};

LogVisitor Collect(Found& found, std::uint64_t after) {
  return [&found, after](const LogPosition& position, Bytes group) {
    Require(position.sequence == after + found.groups.size() + 1);
    found.positions.push_back(position);
    found.groups.emplace_back(group.begin(), group.end());
    return Status::Ok();
  };
}

// Both ways to read say the same; then the next writer's.
void Recover(MemoryEnv& env, std::uint64_t after) {
  Found read;
  LogTail tail;
  const Status status = RecoverLog(env, kDirectory, kStore, 1, after, Collect(read, after), tail);
  Require(status.ok() || status.code() == ErrorCode::kCorruption ||
          status.code() == ErrorCode::kVersion);

  Found opened;
  std::unique_ptr<FileLog> log;
  const LogOptions options{Durability::kSync, 100, true, 512};
  const Status open =
      FileLog::Open(env, kDirectory, kStore, 1, after, options, Collect(opened, after), {}, log);
  Require(open.code() == status.code());
  if (!status.ok()) return;
  Require(opened.groups == read.groups);
  Require(tail.sequence == after + read.groups.size());
  LogPosition position;
  Require(log->Append(Bytes(), position).ok());
  log.reset();

  std::unique_ptr<LogReader> reader;
  Require(LogReader::Create(env, kDirectory, kStore, reader).ok());
  std::vector<std::uint8_t> group;
  for (std::size_t i = 0; i < opened.positions.size(); ++i) {
    Require(reader->Read(opened.positions[i], group).ok());
    Require(group == opened.groups[i]);
  }
  Found again;
  Require(RecoverLog(env, kDirectory, kStore, 1, after, Collect(again, after), tail).ok());
  Require(again.groups.size() == read.groups.size() + 1);
  again.groups.pop_back();
  Require(again.groups == read.groups);
}

// Makes frames of `bytes` from `offset` on, as long as they say, as far as that fits.
void FixFrames(std::vector<std::uint8_t>& bytes, const LogFileId& id, std::uint64_t& sequence) {
  std::size_t offset = kLogHeaderBytes;
  while (offset + kFrameHeaderBytes <= bytes.size()) {
    std::uint8_t* const at = bytes.data() + offset;
    // The input's say: what is to be wrong, how long, how far behind the mark.
    const std::uint8_t choice = at[0];
    const std::size_t left = bytes.size() - offset - kFrameHeaderBytes;
    FrameHeader header;
    header.kind = (choice & 3) == 3 ? kMarkFrame : kGroupFrame;
    if (header.kind == kGroupFrame) {
      header.length = static_cast<std::uint32_t>(std::min<std::size_t>(at[8], left));
      ++sequence;
    }
    header.sequence = sequence;
    header.synced_through = sequence - std::min<std::uint64_t>(sequence, at[24] & 7);
    if (header.kind == kGroupFrame && header.synced_through == sequence) --header.synced_through;
    if ((choice & 0x3c) == 0x3c) header.sequence += at[16];
    if ((choice & 0x3c) == 0x38) header.length += at[9];
    header.payload_checksum = dentate::Crc32c(Bytes(bytes).subspan(
        offset + kFrameHeaderBytes, std::min<std::size_t>(header.length, left)));
    if (header.kind == kMarkFrame) header.payload_checksum = 0;
    const FrameHeaderBytes fixed = EncodeFrameHeader(id.FrameSeed(), header);
    std::memcpy(at, fixed.data(), fixed.size());
    if ((choice & 0x3c) == 0x34) at[4] ^= 1;
    offset += kFrameHeaderBytes + std::min<std::size_t>(header.length, left);
  }
}

void FixFile(std::vector<std::uint8_t>& bytes, std::uint64_t file, std::uint64_t& sequence) {
  if (bytes.size() < kLogHeaderBytes) return;
  LogFileId id;
  Require(MakeLogFileId(kStore, file, id).ok());
  const std::uint8_t choice = bytes[0];
  LogHeader header{sequence + 1, sequence};
  header.first_sequence -= std::min<std::uint64_t>(sequence, bytes[40] & 7);
  if ((choice & 7) == 7) header.first_sequence += bytes[41];
  header.recovered_through = header.first_sequence - 1 + (bytes[48] & 7);
  sequence = header.first_sequence - 1;
  const LogHeaderBytes fixed = EncodeLogHeader(id, header);
  if ((choice & 0x70) != 0x70) std::memcpy(bytes.data(), fixed.data(), fixed.size());
  FixFrames(bytes, id, sequence);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t file_count = 1 + data[0] % 3;
  const bool fix = (data[0] & 0x80) != 0;
  const std::uint64_t after = data[0] >> 2 & 1;
  const Bytes all = Bytes(data, size).subspan(1);

  MemoryEnv env(kDirectory);
  std::uint64_t sequence = after;
  for (std::size_t i = 0; i < file_count; ++i) {
    const std::size_t begin = all.size() * i / file_count;
    const std::size_t end = all.size() * (i + 1) / file_count;
    std::vector<std::uint8_t> bytes(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                    all.begin() + static_cast<std::ptrdiff_t>(end));
    if (fix) FixFile(bytes, i + 1, sequence);
    env.SetContent(LogFilePath(kDirectory, i + 1), std::move(bytes));
  }
  Recover(env, after);
  return 0;
}
