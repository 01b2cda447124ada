// Vectors or signatures of a caller, in tiles: on the device as far as they fit, the rest on the
// host.
//
//   rows    | tile 0: resident | tile 1: resident | tile 2: host | tile 3: host |
//   device    float32, packed,   ...                 one piece at a time, while a search
//             scales                                has it
//
// A tile of vectors (one block of memory, parts aligned to 256 bytes):
//   float32 rows, padded to 16 bytes  │ packed rows (precision.h), padded to 128 │ a scale a row
// A tile of signatures: columns (kernels/hamming.h), a multiple of 128 rows apart.
//
// A resident tile is as large as the memory for rows allows; where its allocation fails, half of
// that, and so on. What finds no room stays in host memory, as it came, and is uploaded by every
// search: the bus is then the limit (some 25 to 50 GB/s), as it must be for what is larger than
// memory.

#ifndef DENTATE_CUDA_ROWS_H_
#define DENTATE_CUDA_ROWS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/status.h"
#include "cuda/device_engine.h"

namespace dentate::cuda {

// Rows of a tile on the device, however they came there.
struct TileView {
  std::uint64_t first = 0;  // the id of row 0
  std::uint32_t rows = 0;
  // Vectors:
  float* exact = nullptr;
  std::uint8_t* packed = nullptr;
  float* scales = nullptr;
  float worst_error = 0;
  // Signatures:
  std::uint64_t* columns = nullptr;
  std::uint64_t stride = 0;
};

class DeviceRows {
 public:
  // kInvalid arguments are the caller's: count < 2^32, width > 0.
  DeviceRows(std::shared_ptr<DeviceEngine> engine, DentateCudaKind kind, std::uint64_t count,
             std::uint32_t width);

  // `data` has whole rows, float or std::uint64_t.
  Status Append(const void* data, std::uint64_t rows);

  // Calls `use` with all rows, in order, a piece on the device at a time. Ends with the first
  // failure.
  Status ForEachTile(Queue& queue, const std::int32_t* cancel,
                     const std::function<Status(const TileView&)>& use) const;

  DentateCudaKind kind() const noexcept { return kind_; }
  std::uint64_t count() const noexcept { return count_; }
  bool is_whole() const noexcept { return appended_ == count_; }
  std::uint32_t width() const noexcept { return width_; }
  // float32 numbers from one exact row to the next; bytes from one packed one to the next.
  std::uint32_t row_floats() const noexcept { return row_floats_; }
  std::uint32_t row_bytes() const noexcept { return row_bytes_; }
  DeviceEngine& engine() const noexcept { return *engine_; }

 private:
  struct Tile {
    MemoryPool::Block memory;        // empty: on the host
    std::vector<std::uint8_t> host;  // rows as they came
    std::uint32_t capacity = 0;
    TileView view;
  };

  std::uint64_t RowBytes() const noexcept;
  std::uint64_t TileBytes(std::uint32_t rows) const noexcept;
  Status AddTile();
  TileView ViewOf(const MemoryPool::Block& memory, std::uint64_t first, std::uint32_t rows) const;
  // Puts `rows` rows behind the `at` rows that the view has.
  Status Fill(Queue& queue, TileView& view, std::uint32_t at, const std::uint8_t* data,
              std::uint32_t rows) const;
  Status FillVectors(Queue& queue, TileView& view, std::uint32_t at, const float* data,
                     std::uint32_t rows) const;
  Status FillSignatures(Queue& queue, TileView& view, std::uint32_t at, const std::uint64_t* data,
                        std::uint32_t rows) const;
  Status StreamTile(Queue& queue, const Tile& tile, const std::int32_t* cancel,
                    const std::function<Status(const TileView&)>& use) const;

  const std::shared_ptr<DeviceEngine> engine_;
  const DentateCudaKind kind_;
  const std::uint64_t count_;
  const std::uint32_t width_;
  const std::uint32_t row_floats_;
  const std::uint32_t row_bytes_;
  std::uint64_t appended_ = 0;
  std::vector<std::unique_ptr<Tile>> tiles_;
};

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_ROWS_H_
