#include "bank/scratch.h"

#include <algorithm>

namespace dentate::bank {
namespace {

template <typename T>
std::size_t BytesOf(const std::vector<T>& vector) noexcept {
  return vector.capacity() * sizeof(T);
}

}  // namespace

std::uint32_t Scratch::NextGeneration(std::size_t size) {
  if (seen.size() < size) seen.resize(size, 0);
  if (++generation == 0) {
    std::fill(seen.begin(), seen.end(), 0U);
    generation = 1;
  }
  return generation;
}

std::size_t Scratch::SizeInBytes() const noexcept {
  std::size_t bytes = sizeof(*this) + slots.SizeInBytes() + finder.SizeInBytes() +
                      spread.SizeInBytes() + dense.SizeInBytes() + pieces.SizeInBytes() +
                      repeats.SizeInBytes() + BytesOf(seen) + BytesOf(candidates) + BytesOf(keys) +
                      BytesOf(signature_scores) + BytesOf(dense_scores) + BytesOf(place_scores) +
                      BytesOf(scores);
  for (const auto& slots_of_speaker : said) bytes += BytesOf(slots_of_speaker);
  for (const Ball& ball : balls) bytes += BytesOf(ball.codes) + BytesOf(ball.distances);
  return bytes;
}

}  // namespace dentate::bank
