// Bytes as a mapped file, at an address like a mapping's; a copy, so that damage can be tried on
// it.

#ifndef DENTATE_TEST_STORAGE_MEMORY_FILE_H_
#define DENTATE_TEST_STORAGE_MEMORY_FILE_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "storage/env.h"

namespace dentate::storage {

class MemoryFile final : public MappedFile {
 public:
  explicit MemoryFile(std::span<const std::uint8_t> bytes)
      // Exactly as long as the file, so that a sanitizer sees a read past its end.
      : size_(bytes.size()), bytes_(static_cast<std::uint8_t*>(Allocate(size_))) {
    if (size_ != 0) std::memcpy(begin(), bytes.data(), size_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() override { ::operator delete(bytes_, kAlignment); }
  Bytes bytes() const noexcept override { return {begin(), size_}; }

 private:
  static constexpr std::align_val_t kAlignment{64};

  static void* Allocate(std::size_t size) { return ::operator new(size, kAlignment); }
  std::uint8_t* begin() const noexcept { return bytes_; }

  std::size_t size_;
  std::uint8_t* bytes_;
};

}  // namespace dentate::storage

#endif  // DENTATE_TEST_STORAGE_MEMORY_FILE_H_
