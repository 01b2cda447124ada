#include "succinct/packed_ints.h"

namespace dentate::succinct {
namespace {

template <typename T>
void WriteAll(std::span<const T> values, unsigned width, std::vector<std::uint64_t>& words) {
  const std::size_t first = words.size();
  words.resize(first + PackedInts::WordCount(values.size(), width));
  if (width == 0) return;
  std::uint64_t bit = 0;
  for (const std::uint64_t value : values) {
    assert(width == 64 || value >> width == 0);
    const std::size_t word = first + bit / 64;
    words[word] |= value << bit % 64;
    if (bit % 64 + width > 64) words[word + 1] |= value >> (64 - bit % 64);
    bit += width;
  }
}

}  // namespace

void PackedInts::Write(std::span<const std::uint32_t> values, unsigned width,
                       std::vector<std::uint64_t>& words) {
  WriteAll(values, width, words);
}

void PackedInts::Write(std::span<const std::uint64_t> values, unsigned width,
                       std::vector<std::uint64_t>& words) {
  WriteAll(values, width, words);
}

}  // namespace dentate::succinct
