#include "store/listeners.h"

#include <algorithm>
#include <utility>

namespace dentate::store {

std::uint64_t Listeners::Add(storage::Log::Listener listener) {
  const std::lock_guard lock(calls_);
  listeners_.emplace(next_id_, std::move(listener));
  return next_id_++;
}

void Listeners::Remove(std::uint64_t id) {
  const std::lock_guard lock(calls_);
  listeners_.erase(id);
}

void Listeners::Call(std::uint64_t durable, const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    durable_.store(std::max(durable_.load(), durable), std::memory_order_release);
    if (broken_.ok()) broken_ = status;
  }
  changed_.notify_all();
  const std::lock_guard lock(calls_);
  for (const auto& [id, listener] : listeners_) listener(durable, status);
}

Status Listeners::Wait(std::uint64_t sequence) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return durable() >= sequence || !broken_.ok(); });
  return durable() >= sequence ? Status::Ok() : broken_;
}

Status Listeners::broken() {
  const std::lock_guard lock(mutex_);
  return broken_;
}

}  // namespace dentate::store
