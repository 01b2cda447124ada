#include "succinct/background.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "succinct/epoch.h"

namespace dentate::succinct {
namespace {

constexpr std::chrono::seconds kIdle{2};

class Worker {
 public:
  void Submit(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (running_) {
      wake_.notify_one();
      return;
    }
    try {
      std::thread([this] { Run(); }).detach();
      running_ = true;
    } catch (...) {
      jobs_.pop_back();
      throw;
    }
  }

 private:
  void Run() {
    { const EpochGuard takes_a_slot; }
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto deadline = std::chrono::system_clock::now() + kIdle;
      if (!wake_.wait_until(lock, deadline, [this] { return !jobs_.empty(); })) break;
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;  // what it owns is freed here, without the lock
      lock.lock();
    }
    running_ = false;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool running_ = false;
};

}  // namespace

void RunInBackground(BackgroundQueue queue, std::function<void()> job) {
  static auto& workers = *new std::array<Worker, 2>();
  workers[static_cast<std::size_t>(queue)].Submit(std::move(job));
}

}  // namespace dentate::succinct
