// One opening of a store by one environment: what its wraps and tasks share.

#ifndef DENTATE_NAPI_OPEN_STORE_H_
#define DENTATE_NAPI_OPEN_STORE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "bank/bank.h"
#include "napi/durable_signal.h"
#include "store/store.h"

namespace dentate::napi {

struct OpenStore {
  OpenStore(std::shared_ptr<store::Store> opened, std::shared_ptr<DurableSignal> told,
            std::size_t signature_words)
      : store(std::move(opened)),
        signal(std::move(told)),
        listener(store->AddListener([signal = signal](std::uint64_t durable, const Status& status) {
          signal->Notify(durable, status);
        })),
        nobody(std::make_shared<bank::Bank>(bank::BankSettings{signature_words}, "", 0)) {}
  ~OpenStore() { store->RemoveListener(listener); }
  OpenStore(const OpenStore&) = delete;
  OpenStore& operator=(const OpenStore&) = delete;

  // What a caller has to wait for: 0 where the group is durable already.
  std::uint64_t Awaited(std::uint64_t sequence) const {
    return sequence <= store->durable() ? 0 : sequence;
  }

  const std::shared_ptr<store::Store> store;
  const std::shared_ptr<DurableSignal> signal;
  const std::uint64_t listener;
  // What is read where there is no bank of a name.
  const std::shared_ptr<const bank::Bank> nobody;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_OPEN_STORE_H_
