#include "cuda/emulator/fiber.h"

#include <cstdint>
#include <utility>

#ifdef DENTATE_FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef DENTATE_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace dentate::cuda {

Fiber::Fiber() : stack_(new char[kStackBytes]) {
#ifdef DENTATE_FIBER_TSAN
  tsan_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef DENTATE_FIBER_TSAN
  __tsan_destroy_fiber(tsan_);
#endif
}

void Fiber::Start(std::function<void()> work) {
  work_ = std::move(work);
  is_done_ = false;
  is_entered_ = false;
  fake_stack_ = nullptr;
  ::getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  // makecontext passes ints: a pointer goes in two.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::Enter), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32));
}

void Fiber::Enter(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<Fiber*>((static_cast<std::uintptr_t>(high) << 32) | low);
#ifdef DENTATE_FIBER_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &self->scheduler_bottom_, &self->scheduler_bytes_);
#endif
  self->work_();
  self->is_done_ = true;
  self->SwitchOut(true);
}

void Fiber::Resume() { SwitchIn(); }

void Fiber::Yield() { SwitchOut(false); }

#if !defined(DENTATE_FIBER_ASAN) && !defined(DENTATE_FIBER_TSAN)

void Fiber::SwitchIn() {
  if (::_setjmp(scheduler_jump_) != 0) return;
  if (is_entered_) ::_longjmp(own_jump_, 1);
  is_entered_ = true;
  ::setcontext(&own_);
}

void Fiber::SwitchOut(bool) {
  if (::_setjmp(own_jump_) == 0) ::_longjmp(scheduler_jump_, 1);
}

#else

void Fiber::SwitchIn() {
#ifdef DENTATE_FIBER_TSAN
  tsan_scheduler_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_, 0);
#endif
#ifdef DENTATE_FIBER_ASAN
  __sanitizer_start_switch_fiber(&scheduler_fake_stack_, stack_.get(), kStackBytes);
#endif
  ::swapcontext(&scheduler_, &own_);
#ifdef DENTATE_FIBER_ASAN
  __sanitizer_finish_switch_fiber(scheduler_fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::SwitchOut(bool for_good) {
#ifdef DENTATE_FIBER_TSAN
  __tsan_switch_to_fiber(tsan_scheduler_, 0);
#endif
#ifdef DENTATE_FIBER_ASAN
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack_, scheduler_bottom_,
                                 scheduler_bytes_);
#endif
  ::swapcontext(&own_, &scheduler_);
#ifdef DENTATE_FIBER_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_, &scheduler_bottom_, &scheduler_bytes_);
#endif
  static_cast<void>(for_good);
}

#endif

}  // namespace dentate::cuda
