// A coroutine with a stack of its own: one emulated thread.
//
// ucontext, and what the sanitizers must be told of a change of stacks
// (sanitizer/common_interface_defs.h, sanitizer/tsan_interface.h).

#ifndef DENTATE_TEST_CUDA_FIBER_H_
#define DENTATE_TEST_CUDA_FIBER_H_

#include <setjmp.h>  // the POSIX names
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DENTATE_FIBER_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define DENTATE_FIBER_TSAN
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define DENTATE_FIBER_ASAN
#endif
#ifdef __SANITIZE_THREAD__
#define DENTATE_FIBER_TSAN
#endif

namespace dentate::cuda {

class Fiber {
 public:
  static constexpr std::size_t kStackBytes = 256 * 1024;

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Gives it something to do. REQUIRES: it has nothing to do.
  void Start(std::function<void()> work);
  // Runs it until it yields or is done. Called by the scheduler's own stack.
  void Resume();
  // Back to the scheduler. Called by the fiber.
  void Yield();
  bool is_done() const noexcept { return is_done_; }

 private:
  static void Enter(unsigned low, unsigned high);
  void SwitchIn();
  void SwitchOut(bool for_good);

  ucontext_t own_ = {};
  std::unique_ptr<char[]> stack_;
  std::function<void()> work_;
  bool is_done_ = true;
  // Each way of changing stacks has some of these.
  [[maybe_unused]] ucontext_t scheduler_ = {};
  [[maybe_unused]] ::jmp_buf own_jump_ = {};
  [[maybe_unused]] ::jmp_buf scheduler_jump_ = {};
  [[maybe_unused]] bool is_entered_ = false;
  [[maybe_unused]] void* fake_stack_ = nullptr;  // AddressSanitizer's
  [[maybe_unused]] void* scheduler_fake_stack_ = nullptr;
  [[maybe_unused]] const void* scheduler_bottom_ = nullptr;
  [[maybe_unused]] std::size_t scheduler_bytes_ = 0;
  [[maybe_unused]] void* tsan_ = nullptr;  // ThreadSanitizer's
  [[maybe_unused]] void* tsan_scheduler_ = nullptr;
};

}  // namespace dentate::cuda

#endif  // DENTATE_TEST_CUDA_FIBER_H_
