#include "succinct/dynamic_parts.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <new>
#include <thread>
#include <utility>

#include "succinct/background.h"
#include "succinct/epoch.h"

namespace dentate::succinct {
namespace {

// How often, and how far apart, the sealing thread looks whether the last reader of what it
// replaced has left. What is still in use then is freed by the next job or with the whole matrix.
constexpr int kFreeAttempts = 1000;
constexpr std::chrono::milliseconds kFreeInterval{1};

// Symbols read between two looks at whether the matrix still exists.
constexpr std::uint32_t kReadStep = std::uint32_t{1} << 20;

}  // namespace

DynamicParts::DynamicParts(unsigned symbol_bits, const DynamicOptions& options,
                           std::vector<DynamicPart> sealed)
    : symbol_bits_(symbol_bits), options_(options) {
  auto view = std::make_unique<DynamicView>();
  view->parts = std::move(sealed);
  if (!view->parts.empty()) {
    live_.start = view->parts.back().start + view->parts.back().size();
  }
  live_.live = std::make_shared<LiveWaveletTree>(symbol_bits);
  view->parts.push_back(live_);
  view_.store(view.release(), std::memory_order_release);
}

DynamicParts::~DynamicParts() { delete view_.load(std::memory_order_acquire); }

void DynamicParts::Publish(std::unique_ptr<const DynamicView> view) {
  retired_.reserve(retired_.size() + 1);
  std::unique_ptr<const DynamicView> old(view_.load(std::memory_order_relaxed));
  view_.store(view.release(), std::memory_order_release);
  retired_.push_back({std::move(old), AdvanceEpoch()});
}

void DynamicParts::Roll() noexcept {
  if (live_.live->size() == 0) return;
  try {
    DynamicPart next;
    next.start = live_.start + live_.live->size();
    next.live = std::make_shared<LiveWaveletTree>(symbol_bits_);
    {
      const std::lock_guard lock(mutex_);
      auto view = std::make_unique<DynamicView>(*view_.load(std::memory_order_relaxed));
      view->parts.push_back(next);
      Publish(std::move(view));
      ++jobs_;
    }
    live_ = std::move(next);
  } catch (const std::bad_alloc&) {
    return;
  }
  try {
    RunInBackground(BackgroundQueue::kSealing, [self = shared_from_this()] { self->SealFrozen(); });
  } catch (const std::exception&) {
    const std::lock_guard lock(mutex_);
    --jobs_;
  }
}

void DynamicParts::WaitUntilSealed() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return jobs_ == 0; });
}

void DynamicParts::SealFrozen() {
  try {
    while (!abandoned_.load(std::memory_order_relaxed) && (SealNext() || MergeNext())) {
    }
  } catch (const std::bad_alloc&) {
    // The parts stay as they are, and are tried again with the next one.
  }
  {
    // Before the long wait for readers: what was asked for is done.
    const std::lock_guard lock(mutex_);
    --jobs_;
    idle_.notify_all();
  }
  FreeRetired();
}

// Seals the first frozen part. False when there is none.
bool DynamicParts::SealNext() {
  DynamicPart frozen;
  {
    const std::lock_guard lock(mutex_);
    const auto& parts = view_.load(std::memory_order_relaxed)->parts;
    const auto found = std::find_if(parts.begin(), parts.end() - 1,
                                    [](const DynamicPart& part) { return part.live != nullptr; });
    if (found == parts.end() - 1) return false;
    frozen = *found;
  }
  const std::uint32_t size = frozen.live->size();
  std::vector<std::uint32_t> symbols(size);
  // A frozen tree retires nothing, so that this needs no guard.
  for (std::uint32_t at = 0; at < size; at += std::min(kReadStep, size - at)) {
    if (abandoned_.load(std::memory_order_relaxed)) return false;
    frozen.live->AccessRange(at, at + std::min(kReadStep, size - at), symbols.data() + at);
  }
  Replace(frozen.start, 1,
          std::make_shared<const WaveletMatrix>(WaveletMatrix::Build(symbols, symbol_bits_)));
  return true;
}

// Merges the last two sealed neighbours of which the left is less than twice as long. False when
// there are none.
bool DynamicParts::MergeNext() {
  DynamicPart left;
  DynamicPart right;
  {
    const std::lock_guard lock(mutex_);
    const auto& parts = view_.load(std::memory_order_relaxed)->parts;
    for (std::size_t p = parts.size() - 1; p-- > 1;) {
      if (parts[p].sealed == nullptr || parts[p - 1].sealed == nullptr) continue;
      const std::uint64_t before = parts[p - 1].size();
      const std::uint64_t after = parts[p].size();
      if (before >= 2 * after || before + after > options_.largest_merge) continue;
      left = parts[p - 1];
      right = parts[p];
      break;
    }
  }
  if (left.sealed == nullptr) return false;
  std::vector<std::uint32_t> symbols(left.size() + right.size());
  left.sealed->AccessRange(0, left.size(), symbols.data());
  right.sealed->AccessRange(0, right.size(), symbols.data() + left.size());
  Replace(left.start, 2,
          std::make_shared<const WaveletMatrix>(WaveletMatrix::Build(symbols, symbol_bits_)));
  return true;
}

// Puts the matrix in the place of `count` parts, the first of which starts at `start`.
void DynamicParts::Replace(std::uint32_t start, std::size_t count,
                           std::shared_ptr<const WaveletMatrix> matrix) {
  const std::lock_guard lock(mutex_);
  auto view = std::make_unique<DynamicView>(*view_.load(std::memory_order_relaxed));
  const auto first = std::find_if(view->parts.begin(), view->parts.end(),
                                  [start](const DynamicPart& part) { return part.start == start; });
  first->live = nullptr;
  first->sealed = std::move(matrix);
  view->parts.erase(std::next(first), std::next(first, static_cast<std::ptrdiff_t>(count)));
  Publish(std::move(view));
}

void DynamicParts::FreeRetired() {
  for (int attempt = 0; attempt < kFreeAttempts; ++attempt) {
    std::vector<Retired> free;
    bool left = false;
    {
      const std::lock_guard lock(mutex_);
      for (auto& retired : retired_) {
        if (AllReadersPast(retired.stamp)) free.push_back(std::move(retired));
      }
      std::erase_if(retired_, [](const Retired& retired) { return retired.view == nullptr; });
      left = !retired_.empty();
    }
    if (!left || abandoned_.load(std::memory_order_relaxed)) return;
    std::this_thread::sleep_for(kFreeInterval);
  }
}

}  // namespace dentate::succinct
