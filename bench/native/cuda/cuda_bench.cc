// The kernels of the CUDA plugin against the limits of the device they run on, a line each:
//
//   cuda_bench            tens of seconds on an H200; 12 GB of its memory
//
//   what                          ms      GB/s   % copy   TFLOP/s   % bf16
//
// Kernels alone are timed as 20 launches one after the other, over data many times the L2's size;
// "search" is the whole operation, as a caller waits for it. Inputs are random; each figure is the
// median of five.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "cuda/cosine_queries.h"
#include "cuda/cuda_device.h"
#include "cuda/kernels/cosine_tile.h"
#include "cuda/kernels/hamming.h"
#include "cuda/plan.h"
#include "cuda/searches.h"
#include "cuda_limits.h"

namespace dentate::cuda {
namespace {

double copy_rate = 0;
double bf16_rate = 0;

// Ends the program where anything fails: there is nothing to measure then.
void Must(const Status& status) {
  if (status.ok()) return;
  std::printf("%s\n", status.message().c_str());
  std::exit(status.code() == ErrorCode::kUnavailable ? 0 : 1);
}

double MedianSeconds(const std::function<void()>& work) {
  work();  // modules load, memory is cached
  std::vector<double> seconds(5);
  for (double& each : seconds) {
    const auto began = std::chrono::steady_clock::now();
    work();
    each = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
  return seconds[2];
}

// `bytes` and `operations` that the work must move and do; 0: of no interest.
void Report(const char* what, double seconds, double bytes, double operations) {
  std::printf("%-44s %10.4f ms", what, seconds * 1e3);
  if (bytes > 0) {
    std::printf(" %8.0f GB/s", bytes / seconds / 1e9);
    if (copy_rate > 0) std::printf(" %5.1f%% of copy", 100 * bytes / seconds / copy_rate);
  }
  if (operations > 0) {
    std::printf(" %8.1f TFLOP/s", operations / seconds / 1e12);
    if (bf16_rate > 0) std::printf(" %5.1f%% of bf16", 100 * operations / seconds / bf16_rate);
  }
  std::printf("\n");
  std::fflush(stdout);
}

// Cheap, and no pattern that a kernel could profit from (Marsaglia's xorshift64).
class Random {
 public:
  std::uint64_t Word() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  float Float() { return static_cast<float>(static_cast<std::int32_t>(Word())) * 0x1p-31F; }

 private:
  std::uint64_t state_ = 88172645463325252;
};

std::shared_ptr<DeviceEngine> Open(Precision precision) {
  std::unique_ptr<Device> device;
  Must(OpenCudaDevice(0, device));
  return std::make_shared<DeviceEngine>(std::move(device), precision, 0);
}

template <class T, class Make>
std::unique_ptr<DeviceRows> Fill(const std::shared_ptr<DeviceEngine>& engine, DentateCudaKind kind,
                                 std::uint64_t count, std::uint32_t width, Make&& make) {
  auto rows = std::make_unique<DeviceRows>(engine, kind, count, width);
  const std::uint64_t piece = std::max<std::uint64_t>(1, (std::uint64_t{1} << 23) / width);
  std::vector<T> data;
  for (std::uint64_t at = 0; at < count; at += piece) {
    data.resize(std::min(piece, count - at) * width);
    for (T& value : data) value = make();
    Must(rows->Append(data.data(), data.size() / width));
  }
  return rows;
}

// Twenty launches of what `make` gives for the first tile, whose lists take nothing.
template <class Make>
double KernelSeconds(const DeviceRows& rows, Make&& make) {
  constexpr int kLaunches = 20;
  DeviceEngine& engine = rows.engine();
  DeviceEngine::Lease queue;
  Must(engine.Borrow(queue));
  MemoryPool::Block limits;
  Must(engine.memory().Allocate(kQueriesAtOnce * 16, limits));
  Must(queue->Fill(limits.As<void>(), 0, kQueriesAtOnce * 16));  // no key is below 0
  Sink sink = {};
  sink.limits = limits.As<std::uint64_t>();
  double seconds = 0;
  Must(rows.ForEachTile(*queue, nullptr, [&](const TileView& tile) {
    const auto [launch, shape] = make(tile, sink);
    seconds = MedianSeconds([&] {
      for (int i = 0; i < kLaunches; ++i) Must(queue->Run(launch, shape));
      Must(queue->Wait());
    });
    return Status::Ok();
  }));
  return seconds / kLaunches;
}

void BenchHamming() {
  constexpr std::uint64_t kCount = 100'000'000;
  constexpr std::uint32_t kWords = 2;
  const auto engine = Open(Precision::kFp16);
  Random random;
  const auto rows = Fill<std::uint64_t>(engine, kDentateCudaSignatures, kCount, kWords,
                                        [&] { return random.Word(); });
  std::vector<std::uint64_t> queries(kQueriesAtOnce * kWords);
  for (std::uint64_t& word : queries) word = random.Word();
  DeviceEngine::Lease queue;
  Must(engine->Borrow(queue));
  MemoryPool::Block uploaded;
  Must(engine->memory().Allocate(queries.size() * 8, uploaded));
  Must(queue->Upload(uploaded.As<void>(), queries.data(), queries.size() * 8));
  Must(queue->Wait());
  const double bytes = double{kCount} * kWords * 8;
  for (const std::uint32_t count : {1U, 3U, 8U, 64U}) {
    const double seconds = KernelSeconds(*rows, [&](const TileView& tile, const Sink& sink) {
      HammingScan scan = {
          tile.columns, uploaded.As<std::uint64_t>(), tile.stride, kWords, 0, tile.rows, 0, count,
          sink};
      return std::pair(Launch(scan), Shape{engine->Blocks(256), 256, count * kWords * 8});
    });
    Report(("hamming kernel, 1e8 x 128 bits, queries " + std::to_string(count)).c_str(), seconds,
           bytes, 0);
  }
  std::vector<std::uint32_t> ids(10);
  std::vector<std::uint16_t> distances(10);
  Report("hammingTopK search, k 10", MedianSeconds([&] {
           Must(HammingTopK(*rows, std::span(queries).first(kWords), 10, nullptr, ids.data(),
                            distances.data()));
         }),
         bytes, 0);
  BallMatches matches;
  Report("hammingWithin search, radius 36", MedianSeconds([&] {
           Must(HammingWithin(*rows, std::span(queries).first(kWords), 36, nullptr, matches));
         }),
         bytes, 0);
}

void BenchCosine(Precision precision, const char* name) {
  constexpr std::uint64_t kCount = 2'000'000;
  constexpr std::uint32_t kDimensions = 384;
  const auto engine = Open(precision);
  Random random;
  const auto rows =
      Fill<float>(engine, kDentateCudaVectors, kCount, kDimensions, [&] { return random.Float(); });
  std::vector<float> values(std::size_t{kQueriesAtOnce} * kDimensions);
  for (float& value : values) value = random.Float();
  const CosineQueries queries =
      PrepareQueries(values, kDimensions, rows->row_floats(), rows->row_bytes(), precision);
  DeviceEngine::Lease queue;
  Must(engine->Borrow(queue));
  MemoryPool::Block packed;
  MemoryPool::Block unit;
  MemoryPool::Block scales;
  Must(engine->memory().Allocate(queries.packed.size(), packed));
  Must(engine->memory().Allocate(queries.unit.size() * 4, unit));
  Must(engine->memory().Allocate(queries.scales.size() * 4, scales));
  Must(queue->Upload(packed.As<void>(), queries.packed.data(), queries.packed.size()));
  Must(queue->Upload(unit.As<void>(), queries.unit.data(), queries.unit.size() * 4));
  Must(queue->Upload(scales.As<void>(), queries.scales.data(), queries.scales.size() * 4));
  Must(queue->Wait());
  const double bytes = double{kCount} * rows->row_bytes();
  const std::uint32_t length = rows->row_bytes() / ElementBytes(precision);

  for (const std::uint32_t count : {1U, 4U}) {
    const double seconds = KernelSeconds(*rows, [&](const TileView& tile, const Sink& sink) {
      CosineScan scan = {tile.packed,
                         tile.scales,
                         unit.As<float>(),
                         rows->row_bytes(),
                         precision,
                         0,
                         tile.rows,
                         0,
                         count,
                         1,
                         sink};
      return std::pair(Launch(scan), Shape{engine->Blocks(256), 256, count * length * 4});
    });
    Report((std::string("cosine scan kernel, 2e6 x 384 ") + name + ", queries " +
            std::to_string(count))
               .c_str(),
           seconds, bytes, 0);
  }
  for (const auto& [tile_shape, count] : {std::pair(kNarrow, 16U), std::pair(kMiddle, 64U),
                                          std::pair(kWide, 128U), std::pair(kWide, 256U)}) {
    const double seconds = KernelSeconds(
        *rows, [&, shape = tile_shape, many = count](const TileView& tile, const Sink& sink) {
          const std::uint32_t query_tiles = many / kTileShapes[shape].queries();
          CosineTile launch = {tile.packed,
                               tile.scales,
                               packed.As<std::uint8_t>(),
                               scales.As<float>(),
                               rows->row_bytes(),
                               precision,
                               0,
                               tile.rows,
                               0,
                               many,
                               query_tiles,
                               shape,
                               sink};
          const std::uint32_t blocks = engine->limits().multiprocessors *
                                       (shape == kNarrow ? 2 : 1) / query_tiles * query_tiles;
          return std::pair(Launch(launch),
                           Shape{blocks, kTileThreads, TileSharedBytes(shape, rows->row_bytes())});
        });
    Report((std::string("cosine tile kernel, 2e6 x 384 ") + name + ", queries " +
            std::to_string(count))
               .c_str(),
           seconds, bytes, 2.0 * kCount * kDimensions * count);
  }
  for (const std::uint32_t count : {1U, 256U}) {
    std::vector<std::uint32_t> ids(std::size_t{count} * 10);
    std::vector<float> scores(ids.size());
    const double seconds = MedianSeconds([&] {
      Must(CosineTopK(*rows, std::span(values).first(std::size_t{count} * kDimensions), 10, nullptr,
                      ids.data(), scores.data()));
    });
    Report((std::string("cosineTopK search, ") + name + ", k 10, queries " + std::to_string(count))
               .c_str(),
           seconds, bytes, count == 1 ? 0 : 2.0 * kCount * kDimensions * count);
  }
}

void BenchSingular() {
  const auto engine = Open(Precision::kFp16);
  Random random;
  for (const auto& [groups, size] :
       {std::pair(1000U, 32U), std::pair(100U, 64U), std::pair(100U, 300U), std::pair(1U, 2000U)}) {
    std::vector<float> rows(std::size_t{groups} * size * 384);
    for (float& value : rows) value = random.Float() + 0.2F;
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t g = 0; g <= groups; ++g) offsets.push_back(g * size);
    for (const std::uint32_t rank : {1U, 8U}) {
      std::vector<float> vectors(std::size_t{groups} * rank * 384);
      const double seconds = MedianSeconds([&] {
        Must(Subspaces(*engine, rows.data(), 384, offsets, rank, nullptr, vectors.data(), nullptr));
      });
      Report(("subspaces, groups " + std::to_string(groups) + " of " + std::to_string(size) +
              " x 384, rank " + std::to_string(rank))
                 .c_str(),
             seconds, 0, 0);
    }
  }
}

}  // namespace
}  // namespace dentate::cuda

int main() {
  using namespace dentate::cuda;
  std::printf("%s\n", Open(Precision::kFp16)->limits().name.c_str());
  copy_rate = CopyBytesPerSecond();
  bf16_rate = Bf16OperationsPerSecond();
  std::printf("copy %.0f GB/s; bf16 product %.1f TFLOP/s%s\n", copy_rate / 1e9, bf16_rate / 1e12,
              bf16_rate > 0 ? "" : " (no cuBLAS found)");
  BenchHamming();
  BenchCosine(Precision::kFp16, "fp16");
  BenchCosine(Precision::kBf16, "bf16");
  BenchCosine(Precision::kInt8, "int8");
  BenchSingular();
  return 0;
}
