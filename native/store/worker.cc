#include "store/worker.h"

#include <algorithm>
#include <utility>

#include "core/priority.h"

namespace dentate::store {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kSlice{4};     // work between two pauses
constexpr milliseconds kLongest{20};  // pause

}  // namespace

void Worker::Start(std::function<bool()> work, milliseconds retry) {
  thread_ = std::thread([this, work = std::move(work), retry] { Run(work, retry); });
}

void Worker::Wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void Worker::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::Pause() {
  const auto worked = Clock::now() - worked_from_;
  if (worked < kSlice || hurries_.load(std::memory_order_relaxed) > 0) return;
  const auto pause = std::min<Clock::duration>(worked, kLongest);
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, pause, [&] { return stopping(); });
  }
  worked_from_ = Clock::now();
}

void Worker::Run(const std::function<bool()>& work, milliseconds retry) {
  LowerThreadPriority();
  bool again = false;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto woken = [&] { return woken_ || stopping(); };
      if (again) {
        changed_.wait_for(lock, retry, woken);
      } else {
        changed_.wait(lock, woken);
      }
      if (stopping()) return;
      woken_ = false;
    }
    worked_from_ = Clock::now();
    again = work();
  }
}

}  // namespace dentate::store
