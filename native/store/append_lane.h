// Appends beside the thread that asks for them, in the order in which it does.
//
//   Add ─► given ─► (a thread prepares: text to tokens and signatures)
//             ─► ready ─► (a thread appends)
//             ─► finished ─► Take, once it is durable
//                 └─► settled(): there is something to take
//
// Two threads, so that the one that encodes has the words in its cache and the one that appends the
// bank; each takes about half of the time. The threads begin with the first Add.
//
// Rule 1. settled is called for what is durable when it is finished. What becomes durable later is
// told by the log's listener: it is finished by then, or finds itself durable.
// Rule 2. What was given before ~AppendLane is carried out.
//
// Threads. Add, Drain, Take: any.

#ifndef DENTATE_STORE_APPEND_LANE_H_
#define DENTATE_STORE_APPEND_LANE_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/status.h"

namespace dentate::store {

// What became of an append of several turns, and when it was done.
struct Appended {
  std::chrono::steady_clock::time_point finished;
  std::uint64_t sequence = 0;  // of its last group; 0: it wrote none
  std::vector<std::uint32_t> entries;
  std::vector<std::uint8_t> duplicates;
  std::vector<Status> failures;  // one a turn, or none at all where all is well
  bool out_of_memory = false;    // so much that nothing is known of it
};

// The two halves of an append. What `prepare` throws is as if `append` had.
struct LaneWork {
  std::function<void()> prepare;
  std::function<Appended()> append;
};

class AppendLane {
 public:
  // `durable`: up to which sequence the log is. `settled`: called on a thread of the lane's.
  AppendLane(std::function<std::uint64_t()> durable, std::function<void()> settled)
      : durable_(std::move(durable)), settled_(std::move(settled)) {}
  AppendLane(const AppendLane&) = delete;
  AppendLane& operator=(const AppendLane&) = delete;
  ~AppendLane();

  void Add(LaneWork work);
  // Returns when all that was added is finished.
  void Drain();
  // Gives what was added first and not taken yet, if it is finished and durable, or `broken` says
  // that it will never be.
  bool Take(bool broken, Appended& appended);

 private:
  using Lock = std::unique_lock<std::mutex>;

  // What the two threads do.
  void Prepare();
  void Append();

  const std::function<std::uint64_t()> durable_;
  const std::function<void()> settled_;

  std::mutex mutex_;  // of all that follows
  std::condition_variable given_, prepared_, appended_;
  std::deque<LaneWork> queue_, ready_;
  std::deque<Appended> finished_;
  std::uint64_t under_way_ = 0;
  bool stop_ = false, stop_appending_ = false;
  std::thread preparer_, appender_;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_APPEND_LANE_H_
