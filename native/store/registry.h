// The stores that this process has open, so that its threads share one where they open one
// directory.
//
//   key: the directory's one true name, and whether it is open for reading or for writing
//
// Who opens or closes one holds its entry's mutex: an opener that comes while the last one closes
// waits, and then opens anew.
//
// Threads. Any.

#ifndef DENTATE_STORE_REGISTRY_H_
#define DENTATE_STORE_REGISTRY_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "core/status.h"
#include "storage/env.h"
#include "store/core.h"
#include "store/store.h"

namespace dentate::store {

// One directory. Counted by `users`, which the registry's mutex guards; the rest is `mutex`'s.
struct OpenStore {
  std::string key;
  std::size_t users = 0;
  std::mutex mutex;
  std::shared_ptr<StoreCore> core;  // null: not open
  std::size_t openings = 0;
};

// Opens the store or joins those who have it open; `opened` is to be given to ReleaseStore once.
Status AcquireStore(storage::Env& env, const std::string& directory, const StoreOptions& options,
                    OpenStore*& opened, std::shared_ptr<StoreCore>& core);
// The last one closes.
Status ReleaseStore(OpenStore* opened);
// Whether others in this process have it open, or are about to; false where it was released.
bool IsShared(const OpenStore* opened);

}  // namespace dentate::store

#endif  // DENTATE_STORE_REGISTRY_H_
