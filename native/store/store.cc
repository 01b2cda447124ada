#include "store/store.h"

#include <utility>

#include "store/core.h"
#include "store/memory_core.h"
#include "store/registry.h"

namespace dentate::store {

BankHandle::BankHandle(std::shared_ptr<StoreCore> core, std::shared_ptr<Slot> slot)
    : core_(std::move(core)), slot_(std::move(slot)) {}

const std::string& BankHandle::name() const noexcept { return slot_->name; }

bool BankHandle::loaded() const { return core_->catalog().loaded(*slot_); }

Status BankHandle::Load(std::shared_ptr<const bank::Bank>& bank) const {
  std::shared_ptr<bank::Bank> loaded;
  Status status = core_->Load(slot_, loaded);
  bank = std::move(loaded);
  return status;
}

std::shared_ptr<const bank::Bank> BankHandle::Peek() const {
  std::shared_ptr<bank::Bank> bank;
  return core_->catalog().Find(slot_, bank) ? bank : nullptr;
}

std::size_t BankHandle::SizeInBytes() const { return core_->catalog().BytesOf(*slot_); }

Status BankHandle::Append(const bank::Batch& batch, bank::AppendResult& result,
                          std::uint64_t& sequence) const {
  return core_->Write(
      slot_, true,
      [&](bank::Bank& bank, const bank::Sink& sink) { return bank.Append(batch, sink, result); },
      sequence);
}

Status BankHandle::Delete(std::span<const std::uint32_t> entries, std::uint32_t& deleted,
                          std::uint64_t& sequence) const {
  deleted = 0;
  return core_->Write(
      slot_, false,
      [&](bank::Bank& bank, const bank::Sink& sink) { return bank.Delete(entries, sink, deleted); },
      sequence);
}

Status BankHandle::DeleteVersions(std::span<const std::uint32_t> entries, std::uint32_t& deleted,
                                  std::uint64_t& sequence) const {
  deleted = 0;
  return core_->Write(
      slot_, false,
      [&](bank::Bank& bank, const bank::Sink& sink) {
        return bank.DeleteVersions(entries, sink, deleted);
      },
      sequence);
}

Status BankHandle::Touch(std::span<const std::uint32_t> entries, std::int64_t now,
                         std::uint64_t& sequence) const {
  return core_->Write(
      slot_, false,
      [&](bank::Bank& bank, const bank::Sink& sink) { return bank.Touch(entries, now, sink); },
      sequence);
}

Status BankHandle::AppendChunks(const bank::NewChunks& chunks, std::uint64_t& sequence) const {
  return core_->AppendChunks(slot_, chunks, sequence);
}

Status Store::Open(storage::Env& env, const std::string& directory, const StoreOptions& options,
                   std::shared_ptr<Store>& store) {
  OpenStore* opened = nullptr;
  std::shared_ptr<StoreCore> core;
  Status status = AcquireStore(env, directory, options, opened, core);
  if (status.ok()) store = std::make_shared<Store>(std::move(core), opened);
  return status;
}

std::shared_ptr<Store> Store::OpenInMemory(const StoreOptions& options) {
  return std::make_shared<Store>(std::make_shared<MemoryCore>(options), nullptr);
}

Store::~Store() { static_cast<void>(Close()); }

Status Store::Close() {
  if (closed_.exchange(true)) return Status::Ok();
  return opened_ == nullptr ? core_->Close() : ReleaseStore(opened_);
}

BankHandle Store::Bank(std::string_view name) const {
  return {core_, core_->catalog().SlotOf(name)};
}

std::vector<std::string> Store::BankNames() const { return core_->catalog().Names(); }

Status Store::DropBank(std::string_view name, bool& existed, std::uint64_t& sequence) const {
  return core_->Drop(name, existed, sequence);
}

std::uint64_t Store::AddListener(storage::Log::Listener listener) const {
  return core_->listeners().Add(std::move(listener));
}

void Store::RemoveListener(std::uint64_t id) const { core_->listeners().Remove(id); }

std::uint64_t Store::sequence() const { return core_->sequence(); }

std::uint64_t Store::durable() const { return core_->durable(); }

Status Store::Flush() const { return core_->Flush(); }

Status Store::Seal() const { return core_->Seal(); }

Status Store::Merge() const { return core_->Merge(); }

Status Store::Compact(const Cancelled& cancelled) const { return core_->Compact(cancelled); }

Status Store::Purge(const Cancelled& cancelled, PurgeReceipt& receipt) const {
  return core_->Purge(cancelled, receipt);
}

Status Store::Rekey(const storage::SecretKey& key) const { return core_->Rekey(key); }

Status Store::Refresh() const { return core_->Refresh(); }

Status Store::Backup(const std::string& directory, const Cancelled& cancelled) const {
  return core_->Backup(directory, cancelled);
}

Status Store::Adopt(const std::string& directory, const storage::SecretKey* key,
                    std::uint64_t sequence, const Cancelled& cancelled) const {
  // It ends this store, which the others would go on with.
  if (IsShared(opened_)) {
    return {ErrorCode::kLocked, "the store is open more than once in this process"};
  }
  return core_->AdoptStore(directory, key, sequence, cancelled);
}

Status Store::Verify(const Cancelled& cancelled, std::vector<DamagedPlace>& damage) const {
  return core_->Verify(cancelled, damage);
}

std::size_t Store::MemoryBytes() const { return core_->catalog().bytes(); }

StoreStats Store::Stats() const { return core_->Stats(); }

}  // namespace dentate::store
