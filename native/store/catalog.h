// The banks of a store as memory knows them: which are loaded, what of them lies in segments (the
// view) and what in the log's tail, and which one goes when memory runs short.
//
//   name ─► Slot ─► Bank         loaded: a bank that is used, at the head of the list
//             │                  let go: the bank is freed when its last reader is done
//             └──► frozen        its part that is being sealed
//
// A loaded bank always equals view + tail: who loads takes both at one moment (Plan), works without
// a lock, and publishes only if neither has changed for this bank meanwhile. Who writes holds the
// bank by a pin, so that it cannot be let go between log and memory. A bank whose newest group the
// log has not made durable stays, since it could not be read back.
//
// Cost. A slot takes about 400 bytes, which count with its bank, and exists as long as a handle or
// a loaded bank; a bank that nobody has used costs nothing here.
//
// Threads. Any: one mutex, held for moments, behind all other mutexes of the store.

#ifndef DENTATE_STORE_CATALOG_H_
#define DENTATE_STORE_CATALOG_H_

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bank/bank.h"
#include "store/tail_index.h"
#include "store/view.h"

namespace dentate::store {

// What is known of a bank by its name. All but `name` and `loading` belong to the catalog's mutex.
struct Slot {
  explicit Slot(std::string bank_name) : name(std::move(bank_name)) {}

  const std::string name;
  std::mutex loading;  // held by the one that loads

  bool loaded = false;                 // `bank` is true to view and tail
  std::shared_ptr<bank::Bank> bank;    // null, while loaded: there is no bank of this name
  std::optional<bank::Frozen> frozen;  // by the seal with this boundary
  std::uint64_t frozen_through = 0;    // the boundary that the bank's parts respect
  std::uint64_t newest = 0;            // the bank's newest group that was applied by loading
  std::uint32_t pins = 0;              // of writers
  std::size_t bytes = 0;               // counted for the bank, and this
  std::size_t kept_bytes = 0;          // of these, for what reading has made and keeps
  std::list<std::shared_ptr<Slot>>::iterator place;  // in the list, while loaded with a bank
};

// What a bank is loaded from.
struct Plan {
  std::shared_ptr<const View> view;
  TailBank sealing, current;
  std::uint64_t boundary = 0;  // of the seal that goes on, or went on last
  std::uint64_t newest = 0;    // sequence of the bank's newest group in the tail
};

struct Loaded {
  std::shared_ptr<bank::Bank> bank;    // null: there is none
  std::optional<bank::Frozen> frozen;  // what Freeze gave after the groups being sealed
};

class Catalog {
 public:
  using Banks = std::vector<std::shared_ptr<bank::Bank>>;

  // `limit`: bytes of loaded banks. `evicts` false: a store in memory, which nothing can be read
  // back from.
  Catalog(std::size_t limit, bool evicts) : limit_(limit), evicts_(evicts) {}

  // --- banks
  std::shared_ptr<Slot> SlotOf(std::string_view name);
  // Null where there is none: nobody has a handle, and it is not loaded.
  std::shared_ptr<Slot> FindSlot(std::string_view name) const;
  // Whether it is loaded; `bank` is then set, and counts as used now.
  bool Find(const std::shared_ptr<Slot>& slot, std::shared_ptr<bank::Bank>& bank);
  bool loaded(const Slot& slot) const;
  // Memory counted for it; 0 where it is not loaded.
  std::size_t BytesOf(const Slot& slot) const;
  Plan PlanOf(std::string_view name) const;
  // Whether nothing that the plan says has changed.
  bool IsCurrent(std::string_view name, const Plan& plan) const;
  // False where the plan is out of date, or somebody was quicker.
  bool Publish(const std::shared_ptr<Slot>& slot, const Plan& plan, Loaded& loaded);
  // The slot's bank is a new one. `node` holds the slot and nothing else: so this does not fail.
  // REQUIRES: the writer mutex, pinned without a bank.
  void Create(std::shared_ptr<bank::Bank> bank, std::list<std::shared_ptr<Slot>>& node);
  // What is loaded is let go. What nobody else holds of it is given back, to be freed by the
  // caller.
  void Unload(Slot& slot, Banks& freed);
  // Those also that were found to have no bank. O(slots).
  std::vector<std::shared_ptr<Slot>> LoadedSlots() const;
  // Of the bank that the slot has loaded; 0: none.
  std::uint64_t LoadedIncarnation(const Slot& slot) const;

  // From now on what the slot has loaded is not let go for want of memory; and from Release on it
  // may be.
  void Hold(Slot& slot);
  void Release(Slot& slot);

  // --- writing. REQUIRES: the writer mutex.
  // As Hold, if the slot's bank is still `bank`.
  bool Pin(Slot& slot, const std::shared_ptr<bank::Bank>& bank);
  // A reader's: pins what the slot has loaded, null where that is no bank, unless it was loaded
  // with this group in the tail already.
  bool PinBehind(Slot& slot, std::uint64_t sequence, std::shared_ptr<bank::Bank>& bank);
  // As Release, and counts the bank's memory anew.
  void Unpin(Slot& slot);
  // Room for a group of the bank in the tail; with it, AddGroup does not fail.
  void PrepareGroup(std::string_view name);
  void AddGroup(const Group& group, const storage::LogPosition& position);

  // Counts what searches have kept since in the bank that was used last. Called before another one
  // is used, or the same one again: so nothing stays uncounted but what the last search kept, and
  // those that go on beside each other.
  void CountLast();
  // Lets go of what has not been used for longest, as long as all is over the limit.
  void Trim(std::uint64_t durable, Banks& freed);
  // Lets go of the slot's bank, unless somebody is about to write to it or it could not be read
  // back yet.
  void LetGo(Slot& slot, std::uint64_t durable, Banks& freed);

  // --- sealing. REQUIRES: the maintenance mutex.
  // The groups so far are those being sealed, up to `boundary`. REQUIRES: the writer mutex.
  void BeginSeal(std::uint64_t boundary);
  bool sealing() const;
  std::uint64_t boundary() const;
  // Stay as they are until SetView ends the seal.
  const TailIndex::Banks& SealingBanks() const noexcept { return tail_.sealing_banks(); }
  // Whether there are groups that are in no segment and not being sealed.
  bool has_tail() const;
  // Whether the bank was dropped by a group behind those being sealed.
  bool DroppedSince(std::string_view name) const;
  // The bank's groups up to the boundary are in a part of their own from now on, and `frozen` is
  // it. Does nothing where they were. REQUIRES: the writer mutex, pinned.
  void FreezeAtBoundary(Slot& slot);
  // What was frozen of it for this seal, if it is loaded and something was.
  std::optional<bank::Frozen> FrozenOf(const Slot& slot) const;
  void ClearFrozen(Slot& slot);

  // --- what lies on disk
  std::shared_ptr<const View> view() const;
  // `sealed`: the view has what was being sealed, which is given back to be freed.
  TailIndex::Banks SetView(std::shared_ptr<const View> view, bool sealed);
  // A reader's: the tail begins after the view's sealed_through.
  void Follow(std::shared_ptr<const View> view);
  // Names of the banks that have been given entries and were not dropped, sorted.
  std::vector<std::string> Names() const;
  // 0: there is none.
  std::uint64_t IncarnationOf(std::string_view name) const;

  std::size_t bytes() const;
  std::size_t loaded_count() const;

 private:
  bool IsCurrentLocked(std::string_view name, const Plan& plan) const noexcept;
  bool IsNeeded(const Slot& slot, std::uint64_t durable) const noexcept {
    return slot.pins > 0 || tail_.Newest(slot.name) > durable;
  }
  void Count(Slot& slot, std::size_t bytes);
  void UnloadLocked(Slot& slot, Banks& freed);

  const std::size_t limit_;
  const bool evicts_;

  mutable std::mutex mutex_;  // of all below and of the slots
  std::unordered_map<std::string, std::weak_ptr<Slot>, TailIndex::Hash, std::equal_to<>> slots_;
  std::size_t sweep_at_ = 64;              // slots, at which those that are gone are looked for
  std::list<std::shared_ptr<Slot>> used_;  // with banks; the latest first
  std::size_t bytes_ = 0;
  TailIndex tail_;
  std::uint64_t boundary_ = 0;
  std::shared_ptr<const View> view_ = std::make_shared<View>();
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_CATALOG_H_
