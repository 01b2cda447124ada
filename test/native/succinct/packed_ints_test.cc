#include "succinct/packed_ints.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "succinct/aligned_bytes.h"
#include "succinct/blocked_ints.h"
#include "succinct/rank_bits.h"

namespace dentate::succinct {
namespace {

TEST_CASE("packed numbers of every width come back, and nothing lies behind them") {
  std::mt19937_64 random(1);
  for (unsigned width = 0; width <= 64; ++width) {
    for (const std::size_t count : {0, 1, 2, 64, 65}) {
      CAPTURE(width);
      CAPTURE(count);
      std::vector<std::uint64_t> values(count);
      for (std::uint64_t& value : values) value = width == 0 ? 0 : random() >> (64 - width);
      std::vector<std::uint64_t> words;
      PackedInts::Write(values, width, words);
      REQUIRE(words.size() == PackedInts::WordCount(count, width));
      const PackedInts packed(words.data(), width);
      for (std::size_t i = 0; i < count; ++i) CHECK(packed.Get(i) == values[i]);
      CHECK(packed.SlackIsZero(count));
      if (count * width % 64 != 0) {
        words.back() |= std::uint64_t{1} << 63;
        CHECK(!packed.SlackIsZero(count));
      }
    }
  }
}

TEST_CASE("blocked numbers come back, the least and the greatest among them") {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0, 1, 127, 128, 129, 1000}) {
    for (const int kind : {0, 1, 2, 3}) {
      CAPTURE(count);
      CAPTURE(kind);
      std::vector<std::int64_t> values(count);
      std::int64_t time = 1'700'000'000'000;
      for (std::int64_t& value : values) {
        time += static_cast<std::int64_t>(random() % 100) * 60'000;
        if (kind == 0) value = 7;
        if (kind == 1) value = time;
        if (kind == 2) value = -time;
        if (kind == 3) value = random() % 2 == 0 ? INT64_MIN : INT64_MAX;
      }
      std::vector<std::uint64_t> words;
      BlockedInts::Write(values, words);
      const BlockedInts blocked(words, count);
      CHECK(blocked.Validate().ok());
      for (std::size_t i = 0; i < count; ++i) CHECK(blocked.Get(i) == values[i]);
      // Whole minutes cost no milliseconds: at most 14 bits for 128 steps below 100.
      if (kind == 1)
        CHECK(words.size() <= 3 * (count / 128 + 1) + count * 14 / 64 + count / 64 + 2);
      if (count == 0) continue;
      CHECK(!BlockedInts(std::span(words).first(words.size() - 1), count).Validate().ok());
      words[2] += 1 << 8;
      CHECK(!blocked.Validate().ok());
    }
  }
}

TEST_CASE("rank bits count what is before") {
  std::mt19937_64 random(1);
  for (const std::uint32_t count : {0U, 1U, 447U, 448U, 449U, 5000U}) {
    CAPTURE(count);
    std::vector<std::uint32_t> ones;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (random() % 3 == 0) ones.push_back(i);
    }
    std::vector<std::uint64_t> words;
    RankBits::Write(ones, count, words);
    REQUIRE(words.size() == RankBits::WordCount(count));
    const AlignedBytes bytes(words.size() * 8);
    auto* const placed = reinterpret_cast<std::uint64_t*>(bytes.data());
    std::copy(words.begin(), words.end(), placed);
    const RankBits bits(placed);
    CHECK(bits.Validate(count).ok());
    std::size_t before = 0;
    for (std::uint32_t i = 0; i <= count; ++i) {
      while (before < ones.size() && ones[before] < i) ++before;
      CHECK(bits.Rank1(i) == before);
    }
    for (std::size_t bit = 0; bit < words.size() * 64; bit += 7) {
      // No count comes after the bits of the last line.
      const std::size_t in_line = bit % 512;
      const bool uncounted =
          bit / 512 == count / 448 && in_line >= 64 && in_line - 64 < count % 448;
      placed[bit / 64] ^= std::uint64_t{1} << bit % 64;
      CHECK(bits.Validate(count).ok() == uncounted);
      placed[bit / 64] ^= std::uint64_t{1} << bit % 64;
    }
  }
}

}  // namespace
}  // namespace dentate::succinct
