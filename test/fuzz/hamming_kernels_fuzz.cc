// Every Hamming kernel this CPU can run against the plain one, on any block, prefix and radius.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "hamming/kernels.h"

namespace dentate::hamming {
namespace {

struct Result {
  std::size_t verified;
  std::vector<std::uint32_t> ids;
  std::vector<std::uint16_t> distances;

  bool operator==(const Result&) const = default;
};

Result Run(const Kernels& kernels, const Block& block, const Probe& probe) {
  Result result{0, std::vector<std::uint32_t>(block.rows + kOutputSlack),
                std::vector<std::uint16_t>(block.rows + kOutputSlack)};
  const Found found = kernels.range(block, probe, result.ids.data(), result.distances.data());
  result.verified = found.verified;
  result.ids.resize(found.matches);
  result.distances.resize(found.matches);
  return result;
}

// Byte 0: words; byte 1: prefix; bytes 2 and 3: radius; then the query, then the columns.
void Compare(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHeaderBytes = 4;
  if (size < kHeaderBytes) return;
  const std::size_t words = 1 + data[0] % 40;
  const std::size_t prefix = 1 + data[1] % words;
  const std::uint32_t radius = (data[2] | std::uint32_t{data[3]} << 8) % (words * 64 + 1);
  std::vector<std::uint64_t> values((size - kHeaderBytes) / sizeof(std::uint64_t));
  if (values.size() < words) return;
  std::memcpy(values.data(), data + kHeaderBytes, values.size() * sizeof(std::uint64_t));
  // Of their own, so that the sanitizer sees a read past either.
  const std::vector<std::uint64_t> query(values.begin(),
                                         values.begin() + static_cast<std::ptrdiff_t>(words));
  const std::vector<std::uint64_t> columns(values.begin() + static_cast<std::ptrdiff_t>(words),
                                           values.end());
  const std::size_t rows = columns.size() / words;
  const Block block{columns.data(), rows, rows, 7};
  const Probe probe{query.data(), words, prefix, radius};
  const Result expected = Run(kSwarKernels, block, probe);
  const std::uint64_t sum = kSwarKernels.sum(columns.data(), columns.size());
  for (std::size_t k = 0; RunnableKernels(k) != nullptr; ++k) {
    if (Run(*RunnableKernels(k), block, probe) != expected) std::abort();
    if (RunnableKernels(k)->sum(columns.data(), columns.size()) != sum) std::abort();
  }
}

}  // namespace
}  // namespace dentate::hamming

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dentate::hamming::Compare(data, size);
  return 0;
}
