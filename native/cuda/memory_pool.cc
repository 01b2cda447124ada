#include "cuda/memory_pool.h"

#include <algorithm>
#include <string>

namespace dentate::cuda {
namespace {

// Sizes that come again: steps of an eighth of the power of two below, 512 bytes at least.
std::size_t Rounded(std::size_t bytes) {
  std::size_t step = 512;
  while (step * 16 < bytes) step *= 2;
  return (std::max<std::size_t>(bytes, 1) + step - 1) / step * step;
}

}  // namespace

Status MemoryPool::Allocate(std::size_t bytes, Block& block) {
  block.Reset();
  const std::size_t rounded = Rounded(bytes);
  const std::lock_guard lock(mutex_);
  const auto found = free_.lower_bound(rounded);
  if (found != free_.end() && found->first <= rounded + rounded / 2) {
    block = Block(this, found->second, found->first);
    held_ += found->first;
    cached_ -= found->first;
    free_.erase(found);
    return Status::Ok();
  }
  if (held_ + rounded > cap_) {
    return {ErrorCode::kOutOfMemory,
            "the device's memory cap of " + std::to_string(cap_) + " bytes is reached: " +
                std::to_string(held_) + " are in use, " + std::to_string(rounded) + " more wanted"};
  }
  MakeRoom(rounded);
  void* memory = nullptr;
  Status status = device_.Allocate(rounded, &memory);
  if (status.code() == ErrorCode::kOutOfMemory && !free_.empty()) {
    MakeRoom(cap_);
    status = device_.Allocate(rounded, &memory);
  }
  if (!status.ok()) return status;
  held_ += rounded;
  block = Block(this, memory, rounded);
  return status;
}

void MemoryPool::MakeRoom(std::uint64_t bytes) {
  while (!free_.empty() && held_ + cached_ + bytes > cap_) {
    const auto largest = std::prev(free_.end());
    device_.Free(largest->second);
    cached_ -= largest->first;
    free_.erase(largest);
  }
}

void MemoryPool::Release(void* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  held_ -= bytes;
  cached_ += bytes;
  free_.emplace(bytes, memory);
}

void MemoryPool::Trim() {
  const std::lock_guard lock(mutex_);
  for (const auto& [bytes, memory] : free_) device_.Free(memory);
  free_.clear();
  cached_ = 0;
}

std::uint64_t MemoryPool::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::uint64_t MemoryPool::cached() const {
  const std::lock_guard lock(mutex_);
  return cached_;
}

}  // namespace dentate::cuda
