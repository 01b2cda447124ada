#include "store/core.h"

#include <list>
#include <optional>
#include <span>
#include <utility>

namespace dentate::store {
namespace {

// Keeps what is loaded in memory until this thread has had its turn to write.
class Held {
 public:
  Held(Catalog& catalog, Slot& slot) : catalog_(catalog), slot_(slot) { catalog_.Hold(slot_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { catalog_.Release(slot_); }

 private:
  Catalog& catalog_;
  Slot& slot_;
};

// A pin, given back at the end of a write, however that ends.
class Pinned {
 public:
  Pinned(Catalog& catalog, Slot& slot) noexcept : catalog_(catalog), slot_(slot) {}
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { catalog_.Unpin(slot_); }

 private:
  Catalog& catalog_;
  Slot& slot_;
};

}  // namespace

StoreCore::StoreCore(const StoreOptions& options, bool evicts)
    : options_(options),
      bank_settings_{options.signature_words},
      catalog_(options.memory_limit, evicts) {}

Status StoreCore::CheckOpen() const {
  if (!closed_.load(std::memory_order_acquire)) return Status::Ok();
  return {ErrorCode::kClosed, "the store is closed"};
}

Status StoreCore::CheckWritable() const {
  if (options_.read_only)
    return {ErrorCode::kInternal, "a store opened for reading was written to"};
  return CheckOpen();
}

Status StoreCore::Load(const std::shared_ptr<Slot>& slot, std::shared_ptr<bank::Bank>& bank) {
  catalog_.CountLast();
  if (!catalog_.Find(slot, bank)) {
    const std::lock_guard loading(slot->loading);
    while (!catalog_.Find(slot, bank)) {
      Status status = CheckOpen();
      if (!status.ok()) return status;
      const Plan plan = catalog_.PlanOf(slot->name);
      Loaded loaded;
      status = LoadPlanned(slot->name, plan, loaded);
      // Files that are gone: the plan is old.
      if (!status.ok() && catalog_.IsCurrent(slot->name, plan)) return status;
      if (status.ok()) catalog_.Publish(slot, plan, loaded);
    }
  }
  Trim();
  return Status::Ok();
}

Status StoreCore::Write(const std::shared_ptr<Slot>& slot, bool creates, const Change& change,
                        std::uint64_t& sequence) {
  sequence = 0;
  bool full = false;
  std::optional<Held> held(std::in_place, catalog_, *slot);
  for (;;) {
    std::shared_ptr<bank::Bank> bank;
    Status status = Load(slot, bank);
    if (!status.ok()) return status;
    const std::lock_guard lock(writer_);
    status = CheckWritable();
    if (!status.ok()) return status;
    if (bank == nullptr && !creates) return Status::Ok();
    if (!catalog_.Pin(*slot, bank)) continue;  // let go meanwhile, or dropped, or made
    const Pinned pinned(catalog_, *slot);
    const bool made = bank == nullptr;
    std::list<std::shared_ptr<Slot>> node;
    if (made) {
      bank = std::make_shared<bank::Bank>(bank_settings_, slot->name, this->sequence() + 1);
      node.push_back(slot);
    } else {
      catalog_.FreezeAtBoundary(*slot);
    }
    status = change(*bank, [&](std::span<const std::uint8_t> record) {
      return AppendGroup({GroupType::kRecord, bank->incarnation(), slot->name, record}, sequence);
    });
    full = bank->needs_freeze();
    WrittenTo(*bank, full);
    if (made && sequence > 0) catalog_.Create(std::move(bank), node);
    if (!status.ok()) return status;
    break;
  }
  held.reset();
  Trim();
  if (sequence > 0) Written(full);
  return Status::Ok();
}

Status StoreCore::AppendChunks(const std::shared_ptr<Slot>& slot, const bank::NewChunks& chunks,
                               std::uint64_t& sequence) {
  sequence = 0;
  // The bank that the plan is made for has to be there when it is carried out.
  const Held held(catalog_, *slot);
  std::shared_ptr<bank::Bank> planned;
  Status status = Load(slot, planned);
  if (!status.ok() || planned == nullptr) return status;
  // Dropped since and made again: the same numbers are of other entries there.
  if (planned->incarnation() != chunks.incarnation) return Status::Ok();
  bank::BankChunks& known = planned->chunks();
  const std::lock_guard lock(known.appending());
  bank::BankChunks::Plan plan;
  status = known.MakePlan(chunks, plan);
  if (!status.ok() || !plan.taken) return status;
  status = Write(
      slot, false,
      [&](bank::Bank& bank, const bank::Sink& sink) {
        // Dropped meanwhile and made again: another bank, which knows nothing of the plan.
        return &bank == planned.get() ? bank.RecordChunks(plan, sink) : Status::Ok();
      },
      sequence);
  if (sequence == 0 || plan.regroups) known.DropIndex();
  return status;
}

Status StoreCore::Drop(std::string_view name, bool& existed, std::uint64_t& sequence) {
  sequence = 0;
  existed = false;
  Catalog::Banks freed;
  const auto slot = catalog_.SlotOf(name);
  {
    const std::lock_guard lock(writer_);
    Status status = CheckWritable();
    if (!status.ok()) return status;
    const std::uint64_t incarnation = catalog_.IncarnationOf(name);
    if (incarnation == 0) return Status::Ok();
    status = AppendGroup({GroupType::kDrop, incarnation, name, {}}, sequence);
    if (!status.ok()) return status;
    existed = true;
    catalog_.Unload(*slot, freed);
  }
  Written(false);
  return Status::Ok();
}

Status StoreCore::AppendGroup(const Group& group, std::uint64_t& sequence) {
  catalog_.PrepareGroup(group.bank);
  EncodeGroup(group, group_);
  storage::LogPosition position;
  Status status = AppendToLog(group_, position);
  if (!status.ok()) return status;
  catalog_.AddGroup(group, position);
  sequence = position.sequence;
  return Status::Ok();
}

void StoreCore::Trim() {
  Catalog::Banks freed;
  catalog_.Trim(durable(), freed);
}

StoreStats StoreCore::Stats() {
  catalog_.CountLast();
  StoreStats stats;
  stats.banks = catalog_.Names().size();
  stats.loaded_banks = catalog_.loaded_count();
  stats.memory_bytes = catalog_.bytes();
  stats.sequence = sequence();
  stats.durable = durable();
  return stats;
}

Status DeleteUnreachable(StoreCore& core, std::int64_t now, const Cancelled& cancelled,
                         std::uint64_t& entries) {
  for (const std::string& name : core.catalog().Names()) {
    if (cancelled && cancelled()) return {ErrorCode::kAborted, "the purge was aborted"};
    const auto slot = core.catalog().SlotOf(name);
    std::shared_ptr<bank::Bank> bank;
    Status status = core.Load(slot, bank);
    if (!status.ok()) return status;
    if (bank == nullptr || (bank->Expired(now).empty() && bank->Superseded().empty())) continue;
    std::uint64_t sequence = 0;
    std::uint32_t deleted = 0;
    status = core.Write(
        slot, false,
        [&](bank::Bank& b, const bank::Sink& sink) {
          return b.DeleteVersions(b.Superseded(), sink, deleted);
        },
        sequence);
    if (!status.ok()) return status;
    entries += deleted;
    status = core.Write(
        slot, false,
        [&](bank::Bank& b, const bank::Sink& sink) {
          return b.Delete(b.Expired(now), sink, deleted);
        },
        sequence);
    if (!status.ok()) return status;
    entries += deleted;
  }
  return Status::Ok();
}

}  // namespace dentate::store
