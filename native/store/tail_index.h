// Which groups of the log's tail concern which bank: what is not in a segment yet.
//
//   log   ···│ 41 a  42 b  43 a │ 44 drop a  45 b  46 a          sealing: 41 43 of a, 42 of b
//            sealed_through     boundary                         current: a is dropped up to its
//                                                                incarnation, then 46; 45 of b
//
// While the log's old files are made a segment, the groups up to `boundary` are those being sealed;
// new ones go to the other half, so that both ends of a seal cost nothing per bank. A bank that was
// dropped keeps only the mark: `dropped`, the incarnation up to which older data is void.
//
// Cost. 32 bytes a group, about 100 and the name a bank that the tail touches.
//
// Threads. None of its own: the catalog's mutex.

#ifndef DENTATE_STORE_TAIL_INDEX_H_
#define DENTATE_STORE_TAIL_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/log.h"
#include "store/group.h"

namespace dentate::store {

struct TailBank {
  std::vector<storage::LogPosition> groups;  // records of the living incarnation, ascending
  std::uint64_t incarnation = 0;             // of these; 0: none
  std::uint64_t dropped = 0;                 // incarnations up to this one are gone; 0: none
  std::uint64_t newest = 0;                  // sequence of the newest group, a drop included
};

class TailIndex {
 public:
  // Name to groups; a name may be looked up without making a string.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>{}(name);
    }
  };
  using Banks = std::unordered_map<std::string, TailBank, Hash, std::equal_to<>>;

  // Makes room for a group of the bank, so that Add does not fail for want of memory.
  void Prepare(std::string_view name);
  // Sequences ascend. A log file of 0 is no place: only that the bank exists is noted.
  void Add(const Group& group, const storage::LogPosition& position);

  // All groups so far are those being sealed. REQUIRES: none are.
  void BeginSeal();
  bool sealing() const noexcept { return sealing_active_; }
  // They are in a segment now. Gives them back, to be freed where nobody waits.
  Banks EndSeal();

  // Groups up to this sequence are in segments: what a reader learns from a manifest. O(groups).
  void Forget(std::uint64_t sealed_through);

  const TailBank* Sealing(std::string_view name) const noexcept { return In(sealing_, name); }
  const TailBank* Current(std::string_view name) const noexcept { return In(current_, name); }
  const Banks& sealing_banks() const noexcept { return sealing_; }
  const Banks& current_banks() const noexcept { return current_; }

  // What has to be applied to a bank over its sealed parts, both halves together.
  TailBank All(std::string_view name) const;
  // The sequence of the newest group of the bank, a drop included; 0: none.
  std::uint64_t Newest(std::string_view name) const noexcept;

 private:
  static const TailBank* In(const Banks& banks, std::string_view name) noexcept {
    const auto found = banks.find(name);
    return found == banks.end() ? nullptr : &found->second;
  }

  Banks sealing_, current_;
  bool sealing_active_ = false;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_TAIL_INDEX_H_
