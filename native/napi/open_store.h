// One opening of a store by one environment: what its wraps and tasks share.

#ifndef DENTATE_NAPI_OPEN_STORE_H_
#define DENTATE_NAPI_OPEN_STORE_H_

#include <napi.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "bank/bank.h"
#include "napi/durable_signal.h"
#include "store/append_lane.h"
#include "store/store.h"

namespace dentate::napi {

struct OpenStore {
  OpenStore(std::shared_ptr<store::Store> opened, std::shared_ptr<DurableSignal> told,
            const store::StoreOptions& options, bool lives_in_memory)
      : store(std::move(opened)),
        signal(std::move(told)),
        listener(store->AddListener([signal = signal](std::uint64_t durable, const Status& status) {
          signal->Notify(durable, status);
        })),
        nobody(std::make_shared<bank::Bank>(bank::BankSettings{options.signature_words}, "", 0)),
        in_memory(lives_in_memory),
        lane([opened = store.get()] { return opened->durable(); },
             [opened = store.get(), told = signal.get()] {
               told->Notify(opened->durable(), Status::Ok());
             }) {}
  ~OpenStore() { store->RemoveListener(listener); }
  OpenStore(const OpenStore&) = delete;
  OpenStore& operator=(const OpenStore&) = delete;

  // What a caller has to wait for: 0 where the group is durable already.
  std::uint64_t Awaited(std::uint64_t sequence) const {
    return sequence <= store->durable() ? 0 : sequence;
  }

  // Tells V8, now and then, what a store takes that lives in memory: it goes when JavaScript's last
  // reference to it goes, so that V8 should look for it in time. JavaScript thread.
  void Account(Napi::BasicEnv env) {
    if (!in_memory || ++appends_ % kAppendsBetweenAccounts != 0) return;
    AccountFor(env, static_cast<std::int64_t>(store->MemoryBytes()));
  }
  void AccountFor(Napi::BasicEnv env, std::int64_t bytes) {
    if (bytes == accounted_) return;
    Napi::MemoryManagement::AdjustExternalMemory(env, bytes - accounted_);
    accounted_ = bytes;
  }

  const std::shared_ptr<store::Store> store;
  const std::shared_ptr<DurableSignal> signal;
  const std::uint64_t listener;
  // What is read where there is no bank of a name.
  const std::shared_ptr<const bank::Bank> nobody;
  const bool in_memory;
  // Last: its thread uses what is above.
  store::AppendLane lane;

 private:
  static constexpr std::uint32_t kAppendsBetweenAccounts = 32;

  std::uint32_t appends_ = 0;
  std::int64_t accounted_ = 0;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_OPEN_STORE_H_
