#include "store/registry.h"

#include <algorithm>
#include <map>
#include <utility>

#include "store/disk_core.h"
#include "store/reader_core.h"

namespace dentate::store {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<OpenStore>> stores;
};

// Never destroyed: threads that end late may still close.
Registry& TheRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

OpenStore* Use(const std::string& key) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  auto& store = registry.stores[key];
  if (store == nullptr) {
    store = std::make_unique<OpenStore>();
    store->key = key;
  }
  ++store->users;
  return store.get();
}

void Unuse(OpenStore* store) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  if (--store->users == 0) registry.stores.erase(store->key);
}

// Whether a store that is open will do for who opens it with `options`.
Status Join(StoreCore& core, const StoreOptions& options, const std::string& directory) {
  Status status = core.CheckInPlace();
  if (status.ok()) status = core.CheckKey(options.key);
  StoreOptions others = options;
  others.key = core.options().key;  // the key may have been changed since
  if (status.ok() && !(core.options() == others)) {
    status = {ErrorCode::kLocked,
              "\"" + directory + "\" is open in this process, with other options"};
  }
  return status;
}

}  // namespace

Status AcquireStore(storage::Env& env, const std::string& directory, const StoreOptions& options,
                    OpenStore*& opened, std::shared_ptr<StoreCore>& core) {
  if (!options.read_only) {
    Status status = env.CreateDirectories(directory);
    if (!status.ok()) return status;
  }
  std::string canonical;
  Status status = env.CanonicalPath(directory, canonical);
  if (!status.ok()) return status;
  // Two Envs may mean different files by one name.
  const auto env_number = reinterpret_cast<std::uintptr_t>(&env);
  OpenStore* store =
      Use((options.read_only ? "read " : "write ") + std::to_string(env_number) + " " + canonical);
  {
    const std::lock_guard lock(store->mutex);
    if (store->core == nullptr) {
      status = options.read_only ? ReaderCore::Open(env, canonical, options, store->core)
                                 : DiskCore::Open(env, canonical, options, store->core);
    } else {
      status = Join(*store->core, options, canonical);
    }
    if (status.ok()) {
      ++store->openings;
      core = store->core;
      opened = store;
    }
  }
  if (!status.ok()) Unuse(store);
  return status;
}

Status ReleaseStore(OpenStore* opened) {
  Status status;
  {
    const std::lock_guard lock(opened->mutex);
    if (--opened->openings == 0) {
      const std::shared_ptr<StoreCore> core = std::exchange(opened->core, nullptr);
      status = core->Close();
    }
  }
  Unuse(opened);
  return status;
}

bool IsShared(const OpenStore* opened) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  return std::any_of(registry.stores.begin(), registry.stores.end(), [&](const auto& store) {
    return store.second.get() == opened && opened->users > 1;
  });
}

}  // namespace dentate::store
