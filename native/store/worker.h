// The store's background thread: sealing and merging, behind everything else.
//
// It runs at a lower priority where the system has that for a thread (Linux), and whoever works on
// it gives way by calling Pause: at least as long as it has worked, unless somebody waits for the
// result.
//
// Threads. Start and Stop: one. The rest: any.

#ifndef DENTATE_STORE_WORKER_H_
#define DENTATE_STORE_WORKER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace dentate::store {

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { Stop(); }

  // `work` runs after each Wake, and returns whether it wants to run again after `retry`.
  void Start(std::function<bool()> work, std::chrono::milliseconds retry);
  void Wake();
  // Waits for what runs; stopping() says so to it.
  void Stop();

  bool started() const noexcept { return thread_.joinable(); }
  bool stopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }

  // --- on the thread itself
  // Gives way if it has worked for some milliseconds.
  void Pause();

  // As long as one lives, somebody waits for what the thread does, and it doesn't give way.
  class Hurry {
   public:
    explicit Hurry(Worker& worker) noexcept : worker_(worker) { ++worker_.hurries_; }
    Hurry(const Hurry&) = delete;
    Hurry& operator=(const Hurry&) = delete;
    ~Hurry() { --worker_.hurries_; }

   private:
    Worker& worker_;
  };

 private:
  void Run(const std::function<bool()>& work, std::chrono::milliseconds retry);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  std::atomic<bool> stopping_{false};
  std::atomic<int> hurries_{0};
  std::chrono::steady_clock::time_point worked_from_;  // the thread's own
  std::thread thread_;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_WORKER_H_
