#include "store/catalog.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/heap_block.h"

namespace dentate::store {
namespace {

constexpr std::size_t kShortName = 15;  // characters that lie in the string itself
// Nodes of slots_ and used_: what they hold, and two words for links and hash.
constexpr std::size_t kMapNode =
    sizeof(std::string) + sizeof(std::weak_ptr<Slot>) + 2 * sizeof(void*);
constexpr std::size_t kListNode = sizeof(std::shared_ptr<Slot>) + 2 * sizeof(void*);

// A loaded bank with its slot and the nodes that lead there: of the map, of the list.
std::size_t BytesWith(const Slot& slot, const bank::Bank& bank) {
  const std::size_t name = slot.name.capacity() <= kShortName ? 0 : HeapBlock(slot.name.capacity());
  return SharedBlock(sizeof(Slot)) + HeapBlock(kMapNode) + HeapBlock(kListNode) + 2 * name +
         bank.SizeInBytes();
}

}  // namespace

std::shared_ptr<Slot> Catalog::SlotOf(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(name);
  if (found != slots_.end()) {
    if (auto slot = found->second.lock()) return slot;
  }
  if (slots_.size() >= sweep_at_) {
    std::erase_if(slots_, [](const auto& item) { return item.second.expired(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * slots_.size());
  }
  auto slot = std::make_shared<Slot>(std::string(name));
  slots_.insert_or_assign(slot->name, slot);
  return slot;
}

std::shared_ptr<Slot> Catalog::FindSlot(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(name);
  return found == slots_.end() ? nullptr : found->second.lock();
}

bool Catalog::Find(const std::shared_ptr<Slot>& slot, std::shared_ptr<bank::Bank>& bank) {
  const std::lock_guard lock(mutex_);
  if (!slot->loaded) return false;
  bank = slot->bank;
  if (bank != nullptr) used_.splice(used_.begin(), used_, slot->place);
  return true;
}

bool Catalog::loaded(const Slot& slot) const {
  const std::lock_guard lock(mutex_);
  return slot.loaded;
}

std::size_t Catalog::BytesOf(const Slot& slot) const {
  const std::lock_guard lock(mutex_);
  return slot.loaded ? slot.bytes : 0;
}

Plan Catalog::PlanOf(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  Plan plan;
  plan.view = view_;
  if (const TailBank* bank = tail_.Sealing(name)) plan.sealing = *bank;
  if (const TailBank* bank = tail_.Current(name)) plan.current = *bank;
  plan.boundary = boundary_;
  plan.newest = tail_.Newest(name);
  return plan;
}

bool Catalog::IsCurrent(std::string_view name, const Plan& plan) const {
  const std::lock_guard lock(mutex_);
  return IsCurrentLocked(name, plan);
}

bool Catalog::IsCurrentLocked(std::string_view name, const Plan& plan) const noexcept {
  return plan.view == view_ && plan.boundary == boundary_ && plan.newest == tail_.Newest(name);
}

bool Catalog::Publish(const std::shared_ptr<Slot>& slot, const Plan& plan, Loaded& loaded) {
  const std::size_t kept = loaded.bank == nullptr ? 0 : loaded.bank->KeptBytes();
  const std::size_t bytes = loaded.bank == nullptr ? 0 : BytesWith(*slot, *loaded.bank);
  const std::lock_guard lock(mutex_);
  if (slot->loaded || !IsCurrentLocked(slot->name, plan)) return false;
  if (loaded.bank != nullptr) {
    used_.push_front(slot);
    slot->place = used_.begin();
    Count(*slot, bytes);
    slot->kept_bytes = kept;
  }
  slot->loaded = true;
  slot->bank = std::move(loaded.bank);
  slot->frozen = std::move(loaded.frozen);
  slot->frozen_through = plan.boundary;
  slot->newest = plan.newest;
  return true;
}

void Catalog::Create(std::shared_ptr<bank::Bank> bank, std::list<std::shared_ptr<Slot>>& node) {
  const std::lock_guard lock(mutex_);
  used_.splice(used_.begin(), node);
  Slot& slot = *used_.front();
  slot.place = used_.begin();
  slot.bank = std::move(bank);
  slot.frozen_through = boundary_;
}

void Catalog::Unload(Slot& slot, Banks& freed) {
  const std::lock_guard lock(mutex_);
  UnloadLocked(slot, freed);
}

std::vector<std::shared_ptr<Slot>> Catalog::LoadedSlots() const {
  std::vector<std::shared_ptr<Slot>> loaded;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, weak] : slots_) {
    auto slot = weak.lock();
    if (slot != nullptr && slot->loaded) loaded.push_back(std::move(slot));
  }
  return loaded;
}

std::uint64_t Catalog::LoadedIncarnation(const Slot& slot) const {
  const std::lock_guard lock(mutex_);
  return slot.loaded && slot.bank != nullptr ? slot.bank->incarnation() : 0;
}

void Catalog::Hold(Slot& slot) {
  const std::lock_guard lock(mutex_);
  ++slot.pins;
}

void Catalog::Release(Slot& slot) {
  const std::lock_guard lock(mutex_);
  --slot.pins;
}

bool Catalog::Pin(Slot& slot, const std::shared_ptr<bank::Bank>& bank) {
  const std::lock_guard lock(mutex_);
  if (!slot.loaded || slot.bank != bank) return false;
  ++slot.pins;
  return true;
}

bool Catalog::PinBehind(Slot& slot, std::uint64_t sequence, std::shared_ptr<bank::Bank>& bank) {
  const std::lock_guard lock(mutex_);
  if (!slot.loaded || slot.newest >= sequence) return false;
  bank = slot.bank;
  ++slot.pins;
  return true;
}

void Catalog::Unpin(Slot& slot) {
  const std::lock_guard lock(mutex_);
  --slot.pins;
  if (slot.bank == nullptr) return;
  slot.kept_bytes = slot.bank->KeptBytes();
  Count(slot, BytesWith(slot, *slot.bank));
}

void Catalog::PrepareGroup(std::string_view name) {
  const std::lock_guard lock(mutex_);
  tail_.Prepare(name);
}

void Catalog::AddGroup(const Group& group, const storage::LogPosition& position) {
  const std::lock_guard lock(mutex_);
  tail_.Add(group, position);
}

void Catalog::CountLast() {
  std::shared_ptr<Slot> slot;
  std::shared_ptr<bank::Bank> bank;
  {
    const std::lock_guard lock(mutex_);
    if (used_.empty()) return;
    slot = used_.front();
    bank = slot->bank;
  }
  const std::size_t kept = bank->KeptBytes();
  const std::lock_guard lock(mutex_);
  if (slot->bank != bank) return;
  Count(*slot, slot->bytes - slot->kept_bytes + kept);
  slot->kept_bytes = kept;
}

void Catalog::Trim(std::uint64_t durable, Banks& freed) {
  if (!evicts_) return;
  const std::lock_guard lock(mutex_);
  for (auto last = used_.end(); bytes_ > limit_ && last != used_.begin();) {
    --last;
    const std::shared_ptr<Slot> slot = *last;
    if (IsNeeded(*slot, durable)) continue;
    ++last;  // the list's element goes
    UnloadLocked(*slot, freed);
  }
}

void Catalog::LetGo(Slot& slot, std::uint64_t durable, Banks& freed) {
  const std::lock_guard lock(mutex_);
  if (evicts_ && !IsNeeded(slot, durable)) UnloadLocked(slot, freed);
}

void Catalog::BeginSeal(std::uint64_t boundary) {
  const std::lock_guard lock(mutex_);
  tail_.BeginSeal();
  boundary_ = boundary;
}

bool Catalog::sealing() const {
  const std::lock_guard lock(mutex_);
  return tail_.sealing();
}

std::uint64_t Catalog::boundary() const {
  const std::lock_guard lock(mutex_);
  return boundary_;
}

bool Catalog::has_tail() const {
  const std::lock_guard lock(mutex_);
  const auto& banks = tail_.current_banks();
  return std::any_of(banks.begin(), banks.end(),
                     [](const auto& item) { return item.second.newest > 0; });
}

bool Catalog::DroppedSince(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const TailBank* bank = tail_.Current(name);
  return bank != nullptr && bank->dropped > 0;
}

void Catalog::FreezeAtBoundary(Slot& slot) {
  std::uint64_t boundary = 0;
  {
    const std::lock_guard lock(mutex_);
    if (slot.bank == nullptr || slot.frozen_through == boundary_) return;
    boundary = boundary_;
    if (!tail_.sealing() || tail_.Sealing(slot.name) == nullptr) {
      slot.frozen_through = boundary;  // no group of this bank is being sealed
      return;
    }
  }
  bank::Frozen frozen = slot.bank->Freeze();
  const std::lock_guard lock(mutex_);
  slot.frozen = std::move(frozen);
  slot.frozen_through = boundary;
}

std::optional<bank::Frozen> Catalog::FrozenOf(const Slot& slot) const {
  const std::lock_guard lock(mutex_);
  if (slot.frozen_through != boundary_) return std::nullopt;
  return slot.frozen;
}

void Catalog::ClearFrozen(Slot& slot) {
  std::optional<bank::Frozen> freed;
  const std::lock_guard lock(mutex_);
  freed.swap(slot.frozen);
}

std::shared_ptr<const View> Catalog::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

TailIndex::Banks Catalog::SetView(std::shared_ptr<const View> view, bool sealed) {
  const std::lock_guard lock(mutex_);
  view_ = std::move(view);
  return sealed ? tail_.EndSeal() : TailIndex::Banks{};
}

void Catalog::Follow(std::shared_ptr<const View> view) {
  const std::lock_guard lock(mutex_);
  view_ = std::move(view);
  tail_.Forget(view_->manifest.sealed_through);
}

std::vector<std::string> Catalog::Names() const {
  std::shared_ptr<const View> view;
  std::set<std::string> names;  // of the tail
  std::set<std::string> dropped;
  {
    const std::lock_guard lock(mutex_);
    view = view_;
    for (const auto* banks : {&tail_.sealing_banks(), &tail_.current_banks()}) {
      for (const auto& [name, bank] : *banks) {
        if (bank.dropped > 0) {
          dropped.insert(name);
          names.erase(name);
        }
        if (bank.incarnation > 0) names.insert(name);
      }
    }
  }
  // Segments in order, so that the newest says whether the bank is there.
  std::set<std::string> sealed;
  for (const auto& segment : view->segments) {
    for (std::size_t i = 0; i < segment->blob_count(); ++i) {
      storage::BlobInfo info = segment->Info(i);
      if (info.dropped) {
        sealed.erase(info.key);
      } else {
        sealed.insert(std::move(info.key));
      }
    }
  }
  for (const std::string& name : sealed) {
    if (!dropped.contains(name)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::uint64_t Catalog::IncarnationOf(std::string_view name) const {
  std::shared_ptr<const View> view;
  std::uint64_t dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const TailBank* bank : {tail_.Current(name), tail_.Sealing(name)}) {
      if (bank == nullptr) continue;
      if (bank->incarnation > 0) return bank->incarnation;
      if (bank->dropped > 0) return 0;
    }
    view = view_;
  }
  const auto blobs = view->Blobs(name, dropped);
  return blobs.empty() ? 0 : blobs.back().info.incarnation;
}

std::size_t Catalog::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::size_t Catalog::loaded_count() const {
  const std::lock_guard lock(mutex_);
  return used_.size();
}

void Catalog::Count(Slot& slot, std::size_t bytes) {
  bytes_ += bytes - slot.bytes;
  slot.bytes = bytes;
}

void Catalog::UnloadLocked(Slot& slot, Banks& freed) {
  slot.loaded = false;
  slot.frozen.reset();
  if (slot.bank == nullptr) return;
  Count(slot, 0);
  slot.kept_bytes = 0;
  freed.push_back(std::move(slot.bank));
  slot.bank = nullptr;
  used_.erase(slot.place);
}

}  // namespace dentate::store
