#include "store/append_lane.h"

#include <new>
#include <utility>

namespace dentate::store {

AppendLane::~AppendLane() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  given_.notify_one();
  if (preparer_.joinable()) preparer_.join();
  {
    const std::lock_guard lock(mutex_);
    stop_appending_ = true;
  }
  prepared_.notify_one();
  if (appender_.joinable()) appender_.join();
}

void AppendLane::Add(LaneWork work) {
  {
    const std::lock_guard lock(mutex_);
    if (!preparer_.joinable()) preparer_ = std::thread([this] { Prepare(); });
    if (!appender_.joinable()) appender_ = std::thread([this] { Append(); });
    queue_.push_back(std::move(work));
    ++under_way_;
    if (queue_.size() > 1) return;  // it has been woken
  }
  given_.notify_one();
}

void AppendLane::Drain() {
  Lock lock(mutex_);
  appended_.wait(lock, [&] { return under_way_ == 0; });
}

bool AppendLane::Take(bool broken, Appended& appended) {
  const std::lock_guard lock(mutex_);
  if (finished_.empty()) return false;
  if (!broken && finished_.front().sequence > durable_()) return false;
  appended = std::move(finished_.front());
  finished_.pop_front();
  return true;
}

void AppendLane::Prepare() {
  Lock lock(mutex_);
  for (;;) {
    given_.wait(lock, [&] { return !queue_.empty() || stop_; });
    if (queue_.empty()) return;
    LaneWork work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    try {
      work.prepare();
    } catch (const std::bad_alloc&) {
      work.append = nullptr;
    }
    lock.lock();
    ready_.push_back(std::move(work));
    if (ready_.size() > 1) continue;
    lock.unlock();
    prepared_.notify_one();
    lock.lock();
  }
}

void AppendLane::Append() {
  Lock lock(mutex_);
  for (;;) {
    prepared_.wait(lock, [&] { return !ready_.empty() || stop_appending_; });
    if (ready_.empty()) return;
    LaneWork work = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    Appended appended;
    appended.out_of_memory = work.append == nullptr;
    try {
      if (work.append != nullptr) appended = work.append();
    } catch (const std::bad_alloc&) {
      appended.out_of_memory = true;
    }
    work = {};
    appended.finished = std::chrono::steady_clock::now();
    lock.lock();
    // Also where it failed: then the sequence is 0, or that of what did not.
    const bool durable = appended.sequence <= durable_();
    finished_.push_back(std::move(appended));
    const bool idle = --under_way_ == 0;
    lock.unlock();
    if (idle) appended_.notify_all();
    if (durable) settled_();
    lock.lock();
  }
}

}  // namespace dentate::store
