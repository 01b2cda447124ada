// Who wants to know how far the log is durable: one for each opener of the store, and whoever
// waits.
//
// Threads. Any. A listener that was removed is not called any more when Remove returns; so Remove
// waits for a call that is under way, and must not come from a listener.

#ifndef DENTATE_STORE_LISTENERS_H_
#define DENTATE_STORE_LISTENERS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>

#include "core/status.h"
#include "storage/log.h"

namespace dentate::store {

class Listeners {
 public:
  std::uint64_t Add(storage::Log::Listener listener);
  void Remove(std::uint64_t id);
  // What the log calls.
  void Call(std::uint64_t durable, const Status& status);
  std::uint64_t durable() const noexcept { return durable_.load(std::memory_order_acquire); }
  // What broke the log; ok as long as it is whole.
  Status broken();
  // Waits until `sequence` is durable; what broke the log where it never will be.
  Status Wait(std::uint64_t sequence);

 private:
  std::mutex calls_;  // held while listeners run
  std::map<std::uint64_t, storage::Log::Listener> listeners_;
  std::uint64_t next_id_ = 1;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::atomic<std::uint64_t> durable_{0};  // written under the mutex
  Status broken_;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_LISTENERS_H_
