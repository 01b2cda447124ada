// A store that lives in memory: nothing is written, and no bank is ever let go.

#ifndef DENTATE_STORE_MEMORY_CORE_H_
#define DENTATE_STORE_MEMORY_CORE_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "store/core.h"

namespace dentate::store {

class MemoryCore final : public StoreCore {
 public:
  explicit MemoryCore(const StoreOptions& options) : StoreCore(options, false) {}

  std::uint64_t sequence() const override { return sequence_.load(std::memory_order_acquire); }
  std::uint64_t durable() const override { return sequence(); }
  Status Flush() override { return CheckOpen(); }
  Status Seal() override { return CheckOpen(); }
  Status Merge() override { return CheckOpen(); }
  Status Compact(const Cancelled&) override { return CheckOpen(); }
  // Takes expired entries and old versions out of reach; their bytes stay until their bank goes.
  Status Purge(const Cancelled& cancelled, PurgeReceipt& receipt) override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return DeleteUnreachable(*this,
                             std::chrono::duration_cast<std::chrono::milliseconds>(now).count(),
                             cancelled, receipt.entries);
  }
  Status Rekey(const storage::SecretKey&) override {
    return {ErrorCode::kKey, "a store in memory is not encrypted"};
  }
  Status CheckKey(const std::optional<storage::SecretKey>&) override { return Status::Ok(); }
  Status Refresh() override { return CheckOpen(); }
  Status Backup(const std::string&, const Cancelled&) override {
    if (Status status = CheckOpen(); !status.ok()) return status;
    return {ErrorCode::kUnavailable, "a store in memory has no files to back up"};
  }
  Status AdoptStore(const std::string&, const storage::SecretKey*, std::uint64_t,
                    const Cancelled&) override {
    if (Status status = CheckOpen(); !status.ok()) return status;
    return {ErrorCode::kUnavailable, "a store in memory has no files to replace"};
  }
  Status Verify(const Cancelled&, std::vector<DamagedPlace>& damage) override {
    damage.clear();
    return CheckOpen();
  }
  Status Close() override {
    closed_.store(true, std::memory_order_release);
    return Status::Ok();
  }

 private:
  Status LoadPlanned(const std::string&, const Plan&, Loaded&) override { return Status::Ok(); }
  Status AppendToLog(std::span<const std::uint8_t>, storage::LogPosition& position) override {
    position.sequence = sequence_.fetch_add(1, std::memory_order_acq_rel) + 1;
    return Status::Ok();
  }
  // Nothing is sealed here: the part stays to be searched, and another one grows.
  void WrittenTo(bank::Bank& bank, bool full) override {
    if (full) static_cast<void>(bank.Freeze());
  }
  void Written(bool) override {}

  std::atomic<std::uint64_t> sequence_{0};
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_MEMORY_CORE_H_
