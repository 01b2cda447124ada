// A block of threads on a CPU, for kernels as native/cuda/kernels/ has them (device_code.h).
//
// Each thread is a fiber. A barrier, of the block or of a warp, lets the others run until all have
// come; between two barriers the threads run one after the other, forwards, backwards or in a
// shuffled order, as the seed has it, so that a missing barrier shows as a difference between
// seeds. What hardware leaves undefined is an error here: a barrier that some threads never reach,
// or a copy that is read before it was waited for (its bytes arrive at WaitCopies, no earlier).
//
// Fragments of matrices are those of PTX (mma.m16n8k16, mma.m16n8k32, ldmatrix.x4), written down
// here a second time, element by element.

#ifndef DENTATE_TEST_CUDA_EMULATED_BLOCK_H_
#define DENTATE_TEST_CUDA_EMULATED_BLOCK_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "cuda/emulator/fiber.h"
#include "cuda/launches.h"

namespace dentate::cuda {

class EmulatedBlock;

class EmulatedThread {
 public:
  EmulatedThread(EmulatedBlock& of, std::uint32_t index) : of_(of), index_(index) {}

  std::uint32_t block() const noexcept;
  std::uint32_t blocks() const noexcept;
  std::uint32_t index() const noexcept { return index_; }
  std::uint32_t size() const noexcept;
  char* shared() const noexcept;

  void Sync();

  std::uint32_t Ballot(bool predicate) {
    std::uint32_t bits = 0;
    const auto* const all = Exchange(predicate ? 1U : 0U);
    for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
      bits |= ValueOf<std::uint32_t>(all, lane) << lane;
    }
    return bits;
  }
  template <class T>
  T Shuffle(T value, std::uint32_t lane) {
    return ValueOf<T>(Exchange(value), lane % kWarp);
  }
  template <class T>
  T ShuffleXor(T value, std::uint32_t mask) {
    return ValueOf<T>(Exchange(value), (index_ % kWarp) ^ mask);
  }
  template <class T>
  T ShuffleUp(T value, std::uint32_t by) {
    const std::uint32_t lane = index_ % kWarp;
    return ValueOf<T>(Exchange(value), lane >= by ? lane - by : lane);
  }

  std::uint32_t AtomicAdd(std::uint32_t* at, std::uint32_t value) {
    const std::uint32_t before = *at;
    *at += value;
    return before;
  }
  std::uint32_t AtomicMax(std::uint32_t* at, std::uint32_t value) {
    const std::uint32_t before = *at;
    *at = std::max(*at, value);
    return before;
  }

  void CopyAsync16(void* to, const void* from) { open_.push_back({to, from}); }
  void CommitCopies() {
    committed_.push_back(std::move(open_));
    open_.clear();
  }
  template <int kLeft>
  void WaitCopies() {
    while (committed_.size() > kLeft) {
      for (const Copy& copy : committed_.front()) std::memcpy(copy.to, copy.from, 16);
      committed_.pop_front();
    }
  }

  void LoadMatrices(std::uint32_t* out, const void* row);
  template <Precision kPrecision>
  void MultiplyAdd(float* sums, const std::uint32_t* a, const std::uint32_t* b) {
    MultiplyAddAs(kPrecision, sums, a, b);
  }
  template <Precision kPrecision>
  void MultiplyAdd(std::int32_t* sums, const std::uint32_t* a, const std::uint32_t* b) {
    MultiplyAddAs(kPrecision, sums, a, b);
  }

 private:
  struct Copy {
    void* to;
    const void* from;
  };
  // What a lane gives to its warp.
  struct Given {
    std::uint8_t bytes[32];
  };

  template <class T>
  const Given* Exchange(const T& value) {
    static_assert(sizeof(T) <= sizeof(Given));
    return ExchangeBytes(&value, sizeof value);
  }
  template <class T>
  static T ValueOf(const Given* all, std::uint32_t lane) {
    T value;
    std::memcpy(&value, all[lane].bytes, sizeof value);
    return value;
  }
  // All lanes' values, once all have given theirs. They stay until the exchange after the next.
  const Given* ExchangeBytes(const void* value, std::size_t bytes);
  template <class Sum>
  void MultiplyAddAs(Precision precision, Sum* sums, const std::uint32_t* a,
                     const std::uint32_t* b);

  EmulatedBlock& of_;
  const std::uint32_t index_;
  std::vector<Copy> open_;
  std::deque<std::vector<Copy>> committed_;

  friend class EmulatedBlock;
};

class EmulatedBlock {
 public:
  // `order` seeds the order of threads: 0 forwards, 1 backwards, else shuffled.
  EmulatedBlock(const Shape& shape, std::uint32_t order);

  // Runs one block. Throws std::logic_error where threads wait for one that ended.
  void Run(std::uint32_t block, const std::function<void(EmulatedThread&)>& kernel);

 private:
  friend class EmulatedThread;

  struct Barrier {
    std::uint32_t come = 0;
    std::uint64_t generation = 0;
  };
  // Waits until `all` threads have come.
  void Wait(Barrier& barrier, std::uint32_t all, std::uint32_t index);

  const Shape shape_;
  std::uint32_t block_ = 0;
  std::vector<Vector16> shared_;
  std::vector<std::uint32_t> order_;
  std::vector<Fiber> fibers_;
  Barrier whole_;
  std::vector<Barrier> warps_;
  // Two a warp: the values of one exchange, and of the one before.
  std::vector<EmulatedThread::Given> given_;
  std::vector<std::uint64_t> exchanges_;  // a thread
  std::uint64_t arrivals_ = 0;            // what has happened at all: no change is a deadlock
};

inline std::uint32_t EmulatedThread::block() const noexcept { return of_.block_; }
inline std::uint32_t EmulatedThread::blocks() const noexcept { return of_.shape_.blocks; }
inline std::uint32_t EmulatedThread::size() const noexcept { return of_.shape_.threads; }
inline char* EmulatedThread::shared() const noexcept {
  return reinterpret_cast<char*>(of_.shared_.data());
}

}  // namespace dentate::cuda

#endif  // DENTATE_TEST_CUDA_EMULATED_BLOCK_H_
