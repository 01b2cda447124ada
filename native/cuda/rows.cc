#include "cuda/rows.h"

#include <algorithm>
#include <cstring>

#include "cuda/plan.h"

namespace dentate::cuda {
namespace {

// Below this a tile is not worth its launches: rather on the host.
constexpr std::uint32_t kLeastResidentRows = 4096;
// And below this a search gives up.
constexpr std::uint32_t kLeastStreamedRows = 128;
constexpr std::uint32_t kStrideRows = 128;
constexpr std::uint64_t kAlignment = 256;

constexpr std::uint32_t kPrepareThreads = 256;

}  // namespace

DeviceRows::DeviceRows(std::shared_ptr<DeviceEngine> engine, DentateCudaKind kind,
                       std::uint64_t count, std::uint32_t width)
    : engine_(std::move(engine)),
      kind_(kind),
      count_(count),
      width_(width),
      row_floats_(static_cast<std::uint32_t>(RoundUp(width, 4))),
      row_bytes_(static_cast<std::uint32_t>(
          RoundUp(std::uint64_t{width} * ElementBytes(engine_->precision()), kPackedAlignment))) {}

std::uint64_t DeviceRows::RowBytes() const noexcept {
  return std::uint64_t{width_} * (kind_ == kDentateCudaVectors ? 4 : 8);
}

std::uint64_t DeviceRows::TileBytes(std::uint32_t rows) const noexcept {
  if (kind_ == kDentateCudaSignatures) return RoundUp(rows, kStrideRows) * width_ * 8;
  return RoundUp(std::uint64_t{rows} * row_floats_ * 4, kAlignment) +
         RoundUp(std::uint64_t{rows} * row_bytes_, kAlignment) +
         RoundUp(std::uint64_t{rows} * 4, kAlignment) + kAlignment;
}

TileView DeviceRows::ViewOf(const MemoryPool::Block& memory, std::uint64_t first,
                            std::uint32_t rows) const {
  TileView view;
  view.first = first;
  if (kind_ == kDentateCudaSignatures) {
    view.columns = memory.As<std::uint64_t>();
    view.stride = RoundUp(rows, kStrideRows);
    return view;
  }
  const std::uint64_t packed = RoundUp(std::uint64_t{rows} * row_floats_ * 4, kAlignment);
  const std::uint64_t scales = packed + RoundUp(std::uint64_t{rows} * row_bytes_, kAlignment);
  view.exact = memory.As<float>();
  view.packed = memory.As<std::uint8_t>(packed);
  view.scales = memory.As<float>(scales);
  return view;
}

Status DeviceRows::AddTile() {
  auto tile = std::make_unique<Tile>();
  const std::uint64_t left = count_ - appended_;
  const std::uint64_t a_row = std::max<std::uint64_t>(1, TileBytes(1024) / 1024);
  const std::uint64_t resident = engine_->ResidentBytes();
  const std::uint64_t held = engine_->memory().held();
  std::uint32_t rows = RowsIn(resident > held ? resident - held : 0, a_row, left);
  // A tile for all that is left, or one of a size that pays.
  while (rows == left || rows >= kLeastResidentRows) {
    Status status = engine_->memory().Allocate(TileBytes(rows), tile->memory);
    if (status.ok()) break;
    if (status.code() != ErrorCode::kOutOfMemory) return status;
    if (rows < kLeastResidentRows) break;
    rows /= 2;
  }
  if (tile->memory.empty()) {
    rows = RowsIn(engine_->ScratchBytes() / 2, a_row, left);
    tile->host.reserve(rows * RowBytes());
    tile->view.first = appended_;
  } else {
    tile->view = ViewOf(tile->memory, appended_, rows);
  }
  tile->capacity = rows;
  tiles_.push_back(std::move(tile));
  return Status::Ok();
}

Status DeviceRows::Append(const void* data, std::uint64_t rows) {
  if (rows > count_ - appended_) {
    return {ErrorCode::kInternal, "more rows are appended than were announced"};
  }
  DeviceEngine::Lease queue;
  Status status = engine_->Borrow(queue);
  const auto* from = static_cast<const std::uint8_t*>(data);
  while (status.ok() && rows > 0) {
    if (tiles_.empty() || tiles_.back()->view.rows == tiles_.back()->capacity) {
      status = AddTile();
      if (!status.ok()) break;
    }
    Tile& tile = *tiles_.back();
    const auto part =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, tile.capacity - tile.view.rows));
    if (tile.memory.empty()) {
      tile.host.insert(tile.host.end(), from, from + part * RowBytes());
    } else {
      status = Fill(*queue, tile.view, tile.view.rows, from, part);
    }
    tile.view.rows += part;
    appended_ += part;
    from += part * RowBytes();
    rows -= part;
  }
  return engine_->Noted(std::move(status));
}

Status DeviceRows::Fill(Queue& queue, TileView& view, std::uint32_t at, const std::uint8_t* data,
                        std::uint32_t rows) const {
  if (kind_ == kDentateCudaVectors) {
    return FillVectors(queue, view, at, reinterpret_cast<const float*>(data), rows);
  }
  return FillSignatures(queue, view, at, reinterpret_cast<const std::uint64_t*>(data), rows);
}

Status DeviceRows::FillVectors(Queue& queue, TileView& view, std::uint32_t at, const float* data,
                               std::uint32_t rows) const {
  std::vector<float> padded;
  if (row_floats_ != width_) {
    padded.resize(std::size_t{rows} * row_floats_);
    for (std::uint32_t i = 0; i < rows; ++i) {
      std::copy_n(data + std::size_t{i} * width_, width_,
                  padded.begin() + static_cast<std::ptrdiff_t>(std::size_t{i} * row_floats_));
    }
    data = padded.data();
  }
  MemoryPool::Block worst;
  Status status = engine_->memory().Allocate(sizeof(std::uint32_t), worst);
  if (status.ok()) status = queue.Fill(worst.As<void>(), 0, sizeof(std::uint32_t));
  if (status.ok()) {
    status = queue.Upload(view.exact + std::size_t{at} * row_floats_, data,
                          std::size_t{rows} * row_floats_ * sizeof(float));
  }
  if (status.ok()) {
    PrepareVectors prepare = {};
    prepare.rows = view.exact;
    prepare.row_floats = row_floats_;
    prepare.dimensions = width_;
    prepare.begin = at;
    prepare.end = at + rows;
    prepare.precision = engine_->precision();
    prepare.row_bytes = row_bytes_;
    prepare.packed = view.packed;
    prepare.scales = view.scales;
    prepare.worst_error = worst.As<std::uint32_t>();
    const std::uint32_t blocks =
        std::min(engine_->Blocks(kPrepareThreads), (rows + 7) / 8);  // a warp a row
    status = queue.Run(prepare, {blocks, kPrepareThreads, 0});
  }
  float lost = 0;  // its bits are a float's
  if (status.ok()) status = queue.Download(&lost, worst.As<void>(), sizeof lost);
  view.worst_error = std::max(view.worst_error, lost);
  return status;
}

Status DeviceRows::FillSignatures(Queue& queue, TileView& view, std::uint32_t at,
                                  const std::uint64_t* data, std::uint32_t rows) const {
  std::vector<std::uint64_t> column(rows);
  Status status;
  for (std::uint32_t word = 0; status.ok() && word < width_; ++word) {
    for (std::uint32_t i = 0; i < rows; ++i) column[i] = data[std::size_t{i} * width_ + word];
    status = queue.Upload(view.columns + word * view.stride + at, column.data(),
                          rows * sizeof(std::uint64_t));
  }
  return status.ok() ? queue.Wait() : status;
}

Status DeviceRows::ForEachTile(Queue& queue, const std::int32_t* cancel,
                               const std::function<Status(const TileView&)>& use) const {
  for (const auto& tile : tiles_) {
    if (IsCancelled(cancel)) return Cancelled();
    Status status = tile->memory.empty() ? StreamTile(queue, *tile, cancel, use) : use(tile->view);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status DeviceRows::StreamTile(Queue& queue, const Tile& tile, const std::int32_t* cancel,
                              const std::function<Status(const TileView&)>& use) const {
  std::uint32_t most = tile.view.rows;
  for (std::uint32_t at = 0; at < tile.view.rows;) {
    if (IsCancelled(cancel)) return Cancelled();
    const std::uint32_t rows = std::min(most, tile.view.rows - at);
    MemoryPool::Block memory;
    Status status = engine_->memory().Allocate(TileBytes(rows), memory);
    if (status.ok()) {
      TileView view = ViewOf(memory, tile.view.first + at, rows);
      status = Fill(queue, view, 0, tile.host.data() + at * RowBytes(), rows);
      view.rows = rows;
      if (status.ok()) status = use(view);
      // The memory goes to somebody else next, on another queue.
      const Status done = queue.Wait();
      if (status.ok()) status = done;
    }
    if (status.code() == ErrorCode::kOutOfMemory && rows > kLeastStreamedRows) {
      most = (rows + 1) / 2;
      continue;
    }
    if (!status.ok()) return status;
    at += rows;
  }
  return Status::Ok();
}

}  // namespace dentate::cuda
