#include "succinct/epoch.h"

#include <atomic>

namespace dentate::succinct {
namespace {

constexpr std::uint64_t kIdle = 0;  // epochs start at 1

struct alignas(64) Slot {
  std::atomic<std::uint64_t> epoch{kIdle};
  std::atomic<bool> taken{true};
  Slot* next = nullptr;
};

std::atomic<std::uint64_t> current_epoch{1};
std::atomic<Slot*> slots{nullptr};  // only ever pushed to

Slot* TakeSlot() {
  for (Slot* slot = slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    bool expected = false;
    if (!slot->taken.load(std::memory_order_relaxed) &&
        slot->taken.compare_exchange_strong(expected, true, std::memory_order_acquire)) {
      return slot;
    }
  }
  auto* slot = new Slot();
  slot->next = slots.load(std::memory_order_relaxed);
  // seq_cst: a scan that comes after the owner's first announcement must find the slot.
  while (!slots.compare_exchange_weak(slot->next, slot)) {
  }
  return slot;
}

struct ThreadSlot {
  Slot* slot = TakeSlot();
  unsigned depth = 0;

  ThreadSlot() = default;
  ThreadSlot(const ThreadSlot&) = delete;
  ThreadSlot& operator=(const ThreadSlot&) = delete;
  ~ThreadSlot() { slot->taken.store(false, std::memory_order_release); }
};

ThreadSlot& ThisThread() {
  thread_local ThreadSlot slot;
  return slot;
}

}  // namespace

EpochGuard::EpochGuard() {
  ThreadSlot& thread = ThisThread();
  if (thread.depth++ > 0) return;
  std::uint64_t epoch = current_epoch.load();
  for (;;) {
    thread.slot->epoch.store(epoch);
    const std::uint64_t again = current_epoch.load();
    if (again == epoch) return;
    epoch = again;
  }
}

EpochGuard::~EpochGuard() {
  ThreadSlot& thread = ThisThread();
  if (--thread.depth == 0) thread.slot->epoch.store(kIdle, std::memory_order_release);
}

std::uint64_t AdvanceEpoch() noexcept { return current_epoch.fetch_add(1) + 1; }

bool AllReadersPast(std::uint64_t stamp) noexcept {
  for (const Slot* slot = slots.load(); slot != nullptr; slot = slot->next) {
    const std::uint64_t epoch = slot->epoch.load();
    if (epoch != kIdle && epoch < stamp) return false;
  }
  return true;
}

}  // namespace dentate::succinct
