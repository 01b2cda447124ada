// Sessions and speakers over the parts of a bank: one number for each name, and where a session
// goes on in another part.
//
//   part 0          part 1          part 2 (live)
//   0 "s1" ◄──────► 0 "s1"          0 "s3"            node = a part's local number of a name
//   1 "s2"          1 "s3" ◄──────► ...               ◄──► nodes of one name, in the order of parts
//
// Numbers are given in the order of first use and stay as long as the Bank, whatever parts are
// replaced; a name whose entries are all gone keeps its number (Bank::StaleBytes counts it). Part
// indexes are those of Snapshot::parts.
//
// Cost. A node takes 16 bytes, a name itself some 40 and its characters; that of a bank of a few
// names lies in these objects, some 800 bytes in all. All queries but Find are
// O(1); those over parts follow the chain of one name.
//
// Threads. One writer. Readers on any thread ask for what their snapshot holds; a number or link
// that leads past it (the writer has gone on) is to be checked against the snapshot, as Snapshot's
// own functions do.

#ifndef DENTATE_BANK_BANK_NAMES_H_
#define DENTATE_BANK_BANK_NAMES_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "bank/cell.h"
#include "bank/part.h"
#include "core/small_append_vector.h"

namespace dentate::bank {

// Names to and from numbers 0, 1, 2, ...; copies of the names' characters. Any thread may ask.
class NameTable {
 public:
  NameTable() = default;
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  // The name's number, a new one where it is new. Writer only. std::bad_alloc: nothing has changed.
  std::uint32_t FindOrAdd(std::string_view name);
  std::uint32_t Find(std::string_view name) const;  // kNone
  std::string_view Name(std::uint32_t number) const noexcept { return names_[number]; }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(names_.size()); }
  std::size_t SizeInBytes() const;

 private:
  std::size_t SlotOf(std::string_view name) const noexcept;
  void Grow();
  std::string_view Copy(std::string_view name);

  mutable std::mutex mutex_;          // of slots_
  std::vector<std::uint32_t> slots_;  // number + 1; open addressing, at most three quarters full
  SmallAppendVector<std::string_view, 4> names_;
  std::vector<std::unique_ptr<char[]>> blocks_;  // where the characters lie
  std::size_t block_size_ = 0, block_used_ = 0;  // of the last one
  std::size_t block_bytes_ = 0;
};

// The numbers of one kind of names (sessions, or speakers) over the parts.
class NameChains {
 public:
  explicit NameChains(std::shared_ptr<NameTable> table) : table_(std::move(table)) {}

  // A place of a name: `local` is its number in part `part`.
  struct Place {
    std::uint32_t part = kNone, local = kNone;
    bool found() const noexcept { return part != kNone; }
  };

  // --- any thread
  const NameTable& table() const noexcept { return *table_; }
  // REQUIRES: the part has the local number.
  std::uint32_t NumberOf(std::uint32_t part, std::uint32_t local) const noexcept {
    return nodes_[begins_[part] + local].number;
  }
  // What the part calls it; kNone where it has no such name.
  std::uint32_t LocalIn(std::uint32_t part, std::uint32_t number) const noexcept;
  // The same name in the nearest part before, or after, that has it.
  Place Before(std::uint32_t part, std::uint32_t local) const noexcept;
  Place After(std::uint32_t part, std::uint32_t local) const noexcept;
  // The first part that has it.
  Place First(std::uint32_t number) const noexcept;

  // --- writer only
  std::uint32_t part_count() const noexcept { return static_cast<std::uint32_t>(begins_.size()); }
  void BeginPart();
  // The next local number of the last part. std::bad_alloc: nothing has changed, or the name has a
  // number that nothing uses yet.
  void Add(std::string_view name) { AddNumber(table_->FindOrAdd(name)); }
  void AddNumber(std::uint32_t number);
  std::uint32_t local_count(std::uint32_t part) const noexcept;
  // Names that a part has.
  std::uint32_t name_count() const noexcept { return name_count_; }
  std::size_t SizeInBytes() const;
  // What of it, and of the table, are names that no part has any more.
  std::size_t StaleBytes() const;

 private:
  struct Node {
    std::uint32_t number, part, previous;
    Cell next;
  };
  static_assert(sizeof(Node) == 16, "the header says 16");

  Place PlaceOf(std::uint32_t node) const noexcept;
  std::uint32_t Head(std::uint32_t number) const noexcept {
    return number < heads_.size() ? heads_[number].Acquire() : kNone;
  }

  std::shared_ptr<NameTable> table_;
  SmallAppendVector<Node, 4> nodes_;
  SmallAppendVector<std::uint32_t, 4> begins_;  // by part: its first node
  SmallAppendVector<Cell, 4> heads_;            // by number: its first node, or kNone
  std::vector<std::uint32_t> tails_;            // by number: its last node; the writer's
  std::uint32_t name_count_ = 0;                // the writer's
};

class BankNames {
 public:
  BankNames(std::shared_ptr<NameTable> session_table, std::shared_ptr<NameTable> speaker_table)
      : sessions(std::move(session_table)), speakers(std::move(speaker_table)) {}

  NameChains sessions, speakers;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_BANK_NAMES_H_
