#include "succinct/elias_fano.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "core/cpu.h"
#include "succinct/word_bits.h"

namespace dentate::succinct {
namespace {

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

// The first of [first, last) that `is` says yes to, as it does to all after it; else `last`.
template <typename Predicate>
std::size_t FirstThat(std::size_t first, std::size_t last, const Predicate& is) {
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (is(middle)) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

// Calls f.template operator()<...>() with the bit operations that this processor has.
template <typename F>
decltype(auto) WithBits(const F& f) {
#if defined(__x86_64__)
  static const bool bmi2 = ActiveIsa() == Isa::kAvx2 || ActiveIsa() == Isa::kAvx512;
  if (bmi2) return f.template operator()<Bmi2Bits>();
#endif
  return f.template operator()<PortableBits>();
}

}  // namespace

EliasFano::Layout EliasFano::LayoutOf(std::uint64_t count, std::uint64_t last) noexcept {
  if (count == 0) return {};
  Layout layout{};
  const std::uint64_t mean = last / count;
  layout.low_bits = mean == 0 ? 0 : PackedInts::WidthOf(mean) - 1;
  layout.high = PackedInts::WordCount(count, layout.low_bits);
  layout.samples = layout.high + ((last >> layout.low_bits) + count + 63) / 64;
  layout.sample_count = (count - 1) / kOnesPerSample;
  layout.word_count = layout.samples + (layout.sample_count + 1) / 2;
  return layout;
}

EliasFano::EliasFano(const std::uint64_t* words, std::uint64_t count, std::uint64_t last) noexcept
    : words_(words), count_(static_cast<std::uint32_t>(count)) {
  const Layout layout = LayoutOf(count, last);
  high_ = static_cast<std::uint32_t>(layout.high);
  samples_ = static_cast<std::uint32_t>(layout.samples);
  low_bits_ = layout.low_bits;
}

std::uint64_t EliasFano::WordCount(std::uint64_t count, std::uint64_t last) noexcept {
  return LayoutOf(count, last).word_count;
}

void EliasFano::Write(std::span<const std::uint64_t> values, std::vector<std::uint64_t>& words) {
  if (values.empty()) return;
  assert(values.size() <= kMaxCount);
  const Layout layout = LayoutOf(values.size(), values.back());
  const std::size_t first = words.size();
  std::vector<std::uint64_t> low(layout.low_bits == 0 ? 0 : values.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = values[i] & ((std::uint64_t{1} << layout.low_bits) - 1);
  }
  PackedInts::Write(low, layout.low_bits, words);
  words.resize(first + layout.word_count);
  std::uint64_t* high = words.data() + first + layout.high;
  auto* samples = reinterpret_cast<std::uint32_t*>(words.data() + first + layout.samples);
  for (std::size_t i = 0; i < values.size(); ++i) {
    assert(i == 0 || values[i - 1] <= values[i]);
    const std::uint64_t position = (values[i] >> layout.low_bits) + i;
    high[position / 64] |= std::uint64_t{1} << position % 64;
    if (i > 0 && i % kOnesPerSample == 0) {
      samples[i / kOnesPerSample - 1] = static_cast<std::uint32_t>(position);
    }
  }
}

template <typename Bits>
std::uint64_t EliasFano::FindPosition(std::size_t i) const noexcept {
  const std::size_t sample = i / kOnesPerSample;
  const std::uint64_t from = sample == 0 ? 0 : samples()[sample - 1];
  auto rest = static_cast<unsigned>(i % kOnesPerSample);
  const std::uint64_t* word_at = high() + from / 64;
  std::uint64_t word = *word_at & ~std::uint64_t{0} << from % 64;
  for (;;) {
    const unsigned ones = Bits::Count(word);
    if (rest < ones) {
      return static_cast<std::uint64_t>(word_at - high()) * 64 + Bits::Select(word, rest);
    }
    rest -= ones;
    word = *++word_at;
  }
}

std::uint64_t EliasFano::PositionOf(std::size_t i) const noexcept {
  return WithBits([&]<typename Bits>() { return FindPosition<Bits>(i); });
}

std::uint64_t EliasFano::NextOne(std::uint64_t position) const noexcept {
  std::uint64_t index = position / 64;
  std::uint64_t word = high()[index] & ~std::uint64_t{0} << position % 64;
  while (word == 0) word = high()[++index];
  return index * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
}

EliasFano::Range EliasFano::RangeOf(std::size_t i) const noexcept {
  if (i == 0) return {0, Get(0)};
  const std::uint64_t position = PositionOf(i - 1);
  return {ValueAt(i - 1, position), ValueAt(i, NextOne(position + 1))};
}

std::size_t EliasFano::SamplesBelow(std::uint64_t high_bits) const noexcept {
  const std::size_t count = count_ == 0 ? 0 : (count_ - 1) / kOnesPerSample;
  if (count == 0) return 0;
  const auto is_below = [&](std::size_t sample) {
    return samples()[sample] - std::uint64_t{kOnesPerSample} * (sample + 1) < high_bits;
  };
  if (is_below(count - 1)) return count;
  // Hashes are spread evenly: where it would be, if all were, then in leaps away from there.
  const std::uint64_t most = samples()[count - 1] - std::uint64_t{kOnesPerSample} * count;
  std::size_t low = 0;
  std::size_t high = most == 0 ? 0 : static_cast<std::size_t>(high_bits * count / (most + 1));
  high = std::min(high, count - 1);
  for (std::size_t leap = 1; is_below(high); leap *= 2) {
    low = high + 1;
    high = std::min(high + leap, count - 1);
  }
  for (std::size_t leap = 1; high - low > leap; leap *= 2) {
    if (is_below(high - leap)) {
      low = high - leap + 1;
    } else {
      high -= leap;
    }
  }
  return FirstThat(low, high, [&](std::size_t sample) { return !is_below(sample); });
}

template <typename Bits>
std::size_t EliasFano::FindAbove(std::uint64_t value) const noexcept {
  // The zeros before a number's one are its high bits: the numbers of the same high bits as `value`
  // lie between two zeros.
  const std::uint64_t high_bits = value >> low_bits_;
  const std::uint64_t words = samples_ - high_;
  const std::size_t sample = SamplesBelow(high_bits);
  const std::uint64_t from = sample == 0 ? 0 : samples()[sample - 1];
  std::uint64_t zeros = high_bits - (from - kOnesPerSample * sample);  // to be passed
  std::uint64_t index = from / 64;
  std::uint64_t begin = from;  // after them
  for (std::uint64_t keep = ~std::uint64_t{0} << from % 64; zeros > 0; keep = ~std::uint64_t{0}) {
    if (index == words) return count_;
    const std::uint64_t rest = ~high()[index] & keep;
    const unsigned here = Bits::Count(rest);
    if (zeros <= here) {
      begin = index * 64 + Bits::Select(rest, static_cast<unsigned>(zeros - 1)) + 1;
      break;
    }
    zeros -= here;
    ++index;
  }
  const auto first = static_cast<std::size_t>(begin - high_bits);
  if (first >= count_) return count_;
  const std::uint64_t low_bits = value & ((std::uint64_t{1} << low_bits_) - 1);
  return FirstThat(first, first + OnesFrom(begin),
                   [&](std::size_t i) { return low().Get(i) > low_bits; });
}

std::size_t EliasFano::FirstAbove(std::uint64_t value) const noexcept {
  return WithBits([&]<typename Bits>() { return FindAbove<Bits>(value); });
}

std::size_t EliasFano::OnesFrom(std::uint64_t position) const noexcept {
  const std::uint64_t words = samples_ - high_;
  std::uint64_t index = position / 64;
  if (index == words) return 0;
  std::uint64_t zeros = ~high()[index] & ~std::uint64_t{0} << position % 64;
  while (zeros == 0 && ++index < words) zeros = ~high()[index];
  const std::uint64_t end =
      index * 64 + (zeros == 0 ? 0 : static_cast<std::uint64_t>(std::countr_zero(zeros)));
  return static_cast<std::size_t>(end - position);
}

std::size_t EliasFano::NextAbove(std::uint64_t value, std::size_t begin) const noexcept {
  std::size_t i = begin;
  std::uint64_t position = PositionOf(i);
  while (ValueAt(i, position) <= value) {
    position = NextOne(position + 1);
    ++i;
  }
  return i;
}

Status EliasFano::Validate(std::uint64_t last) const {
  if (count_ == 0) return Status::Ok();
  const Layout layout = LayoutOf(count_, last);
  const std::uint64_t bits = (last >> layout.low_bits) + count_;
  std::uint64_t i = 0;
  std::uint64_t before = 0;
  for (std::uint64_t index = 0; index < (bits + 63) / 64; ++index) {
    for (std::uint64_t word = high()[index]; word != 0; word &= word - 1) {
      const std::uint64_t position =
          index * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
      if (i == count_ || position >= bits) return Corruption("ascending numbers are too many");
      if (i > 0 && i % kOnesPerSample == 0 && samples()[i / kOnesPerSample - 1] != position) {
        return Corruption("ascending numbers have a wrong sample");
      }
      const std::uint64_t value = ValueAt(i, position);
      if (value < before) return Corruption("ascending numbers descend");
      before = value;
      ++i;
    }
  }
  if (i != count_) return Corruption("ascending numbers are too few");
  if (!low().SlackIsZero(count_) ||
      (layout.sample_count % 2 != 0 && samples()[layout.sample_count] != 0)) {
    return Corruption("ascending numbers have something between them");
  }
  if (before != last) return Corruption("ascending numbers end elsewhere than their header says");
  return Status::Ok();
}

}  // namespace dentate::succinct
