#include "cuda/emulator/emulated_block.h"

#include <numeric>
#include <random>
#include <stdexcept>

namespace dentate::cuda {

EmulatedBlock::EmulatedBlock(const Shape& shape, std::uint32_t order)
    : shape_(shape),
      shared_((shape.shared_bytes + sizeof(Vector16) - 1) / sizeof(Vector16)),
      order_(shape.threads),
      fibers_(shape.threads),
      warps_(shape.threads / kWarp),
      given_(std::size_t{shape.threads} * 2),
      exchanges_(shape.threads) {
  if (shape.threads % kWarp != 0 || shape.threads == 0 || shape.threads > 1024) {
    throw std::logic_error("a block has whole warps, at most 1024 threads");
  }
  std::iota(order_.begin(), order_.end(), 0U);
  if (order == 1) std::reverse(order_.begin(), order_.end());
  if (order > 1) std::shuffle(order_.begin(), order_.end(), std::mt19937(order));
}

void EmulatedBlock::Run(std::uint32_t block, const std::function<void(EmulatedThread&)>& kernel) {
  block_ = block;
  // Whatever the last block left: nothing may depend on it.
  std::fill(shared_.begin(), shared_.end(),
            Vector16{{0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5}});
  std::vector<std::unique_ptr<EmulatedThread>> threads;
  for (std::uint32_t i = 0; i < shape_.threads; ++i) {
    threads.push_back(std::make_unique<EmulatedThread>(*this, i));
    fibers_[i].Start([&kernel, thread = threads[i].get()] { kernel(*thread); });
  }
  for (bool is_done = false; !is_done;) {
    is_done = true;
    const std::uint64_t before = arrivals_;
    std::uint32_t ended = 0;
    for (const std::uint32_t i : order_) {
      if (fibers_[i].is_done()) continue;
      fibers_[i].Resume();
      if (fibers_[i].is_done()) ++ended;
      is_done = is_done && fibers_[i].is_done();
    }
    if (!is_done && ended == 0 && arrivals_ == before) {
      throw std::logic_error("threads wait at a barrier that others never reach");
    }
  }
}

void EmulatedBlock::Wait(Barrier& barrier, std::uint32_t all, std::uint32_t index) {
  const std::uint64_t generation = barrier.generation;
  ++arrivals_;
  if (++barrier.come == all) {
    barrier.come = 0;
    ++barrier.generation;
    return;
  }
  while (barrier.generation == generation) fibers_[index].Yield();
  ++arrivals_;
}

void EmulatedThread::Sync() { of_.Wait(of_.whole_, of_.shape_.threads, index_); }

const EmulatedThread::Given* EmulatedThread::ExchangeBytes(const void* value, std::size_t bytes) {
  const std::uint32_t warp = index_ / kWarp;
  const std::uint64_t turn = of_.exchanges_[index_]++ % 2;
  Given* const all = of_.given_.data() + (std::size_t{warp} * 2 + turn) * kWarp;
  std::memcpy(all[index_ % kWarp].bytes, value, bytes);
  of_.Wait(of_.warps_[warp], kWarp, index_);
  return all;
}

void EmulatedThread::LoadMatrices(std::uint32_t* out, const void* row) {
  if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0) {
    throw std::logic_error("ldmatrix of a row that is not aligned");
  }
  // Lanes 8 i to 8 i + 7 point at the rows of matrix i; lane l gets two elements of row l / 4 of
  // each.
  const Given* const all = Exchange(row);
  const std::uint32_t lane = index_ % kWarp;
  for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
    const auto* const from =
        static_cast<const std::uint8_t*>(ValueOf<const void*>(all, matrix * 8 + lane / 4));
    std::memcpy(&out[matrix], from + lane % 4 * 4, 4);
  }
}

namespace {

float ElementOf(Precision precision, const std::uint8_t* bytes, std::uint32_t at) {
  if (precision == Precision::kInt8) {
    return static_cast<float>(static_cast<std::int8_t>(bytes[at]));
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes + 2 * at, 2);
  return precision == Precision::kFp16 ? FromFp16(bits) : FromBf16(bits);
}

}  // namespace

// A is 16 rows of 32 bytes, B 8 columns of 32. In registers of 4 bytes:
//   A: register r of lane l: row l / 4 + 8 (r % 2), bytes 4 (l % 4) + 16 (r / 2)
//   B: register r of lane l: column l / 4, bytes 4 (l % 4) + 16 r
//   sums: number i of lane l: row l / 4 + 8 (i / 2), column 2 (l % 4) + i % 2
template <class Sum>
void EmulatedThread::MultiplyAddAs(Precision precision, Sum* sums, const std::uint32_t* a,
                                   const std::uint32_t* b) {
  struct Registers {
    std::uint32_t a[4];
    std::uint32_t b[2];
  };
  const Given* const all = Exchange(Registers{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}});
  const std::uint32_t lane = index_ % kWarp;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t row = lane / 4 + 8 * (i / 2);
    const std::uint32_t column = 2 * (lane % 4) + i % 2;
    std::uint8_t row_bytes[32];
    std::uint8_t column_bytes[32];
    for (std::uint32_t word = 0; word < 8; ++word) {
      const auto of_row = ValueOf<Registers>(all, row % 8 * 4 + word % 4);
      const auto of_column = ValueOf<Registers>(all, column * 4 + word % 4);
      std::memcpy(row_bytes + 4 * word, &of_row.a[row / 8 + 2 * (word / 4)], 4);
      std::memcpy(column_bytes + 4 * word, &of_column.b[word / 4], 4);
    }
    for (std::uint32_t k = 0; k < 32 / ElementBytes(precision); ++k) {
      sums[i] += static_cast<Sum>(ElementOf(precision, row_bytes, k) *
                                  ElementOf(precision, column_bytes, k));
    }
  }
}

template void EmulatedThread::MultiplyAddAs(Precision, float*, const std::uint32_t*,
                                            const std::uint32_t*);
template void EmulatedThread::MultiplyAddAs(Precision, std::int32_t*, const std::uint32_t*,
                                            const std::uint32_t*);

}  // namespace dentate::cuda
