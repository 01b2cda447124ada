#include "succinct/wavelet_matrix.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "succinct/wavelet_format.h"

namespace dentate::succinct {
namespace {

using Text = std::vector<std::uint32_t>;

// Every operation that has an answer for each position or symbol, against the text itself.
void CheckAgainst(const WaveletMatrix& matrix, const Text& text,
                  const std::set<std::uint32_t>& asked) {
  const auto n = static_cast<std::uint32_t>(text.size());
  REQUIRE(matrix.size() == n);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < n; ++i) wrong += matrix.Access(i) != text[i];
  CHECK(wrong == 0);

  Text out(n);
  matrix.AccessRange(0, n, out.data());
  CHECK(out == text);
  Text positions(n);
  for (std::uint32_t i = 0; i < n; ++i) positions[i] = n - 1 - i;
  matrix.AccessMany(positions, out.data());
  CHECK(std::equal(out.begin(), out.end(), text.rbegin()));

  const std::uint32_t step = n < 3000 ? 1 : 97;
  for (const std::uint32_t symbol : asked) {
    Text occurrences;
    Text ranks;
    Text rank_positions;
    for (std::uint32_t i = 0; i <= n; ++i) {
      if (i % step == 0 || i == n) {
        wrong += matrix.Rank(symbol, i) != occurrences.size();
        ranks.push_back(static_cast<std::uint32_t>(occurrences.size()));
        rank_positions.push_back(i);
      }
      if (i < n && text[i] == symbol) occurrences.push_back(i);
    }
    const auto count = static_cast<std::uint32_t>(occurrences.size());
    wrong += matrix.Count(symbol) != count;
    for (std::uint32_t k = 0; k < count; k += step)
      wrong += matrix.Select(symbol, k) != occurrences[k];
    wrong += matrix.Select(symbol, count) != WaveletMatrix::kNotFound;
    CHECK(wrong == 0);

    Text many(rank_positions.size());
    matrix.RankMany(Text(many.size(), symbol), rank_positions, many.data());
    CHECK(many == ranks);
    Text ks(count + 2);
    for (std::uint32_t k = 0; k < ks.size(); ++k) ks[k] = k;
    Text selected(ks.size());
    matrix.SelectMany(Text(ks.size(), symbol), ks, selected.data());
    CHECK(std::equal(occurrences.begin(), occurrences.end(), selected.begin()));
    CHECK(selected[count] == WaveletMatrix::kNotFound);
    CHECK(selected[count + 1] == WaveletMatrix::kNotFound);

    const std::uint32_t from = count / 3;
    Text room(count + 5);
    REQUIRE(matrix.Occurrences(symbol, from, room) == count - from);
    CHECK(std::equal(occurrences.begin() + from, occurrences.end(), room.begin()));
    CHECK(matrix.Occurrences(symbol, count, room) == 0);
    CHECK(matrix.Occurrences(symbol, 0, std::span(room).first(0)) == 0);
  }
}

void CheckRanges(const WaveletMatrix& matrix, const Text& text, std::uint32_t start,
                 std::uint32_t end) {
  Text sorted(text.begin() + start, text.begin() + end);
  std::sort(sorted.begin(), sorted.end());
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const std::uint32_t symbol : sorted) ++counts[symbol];

  Text out(end - start);
  matrix.AccessRange(start, end, out.data());
  CHECK(std::equal(out.begin(), out.end(), text.begin() + start));
  for (std::uint32_t k = 0; k < sorted.size();
       k += 1 + static_cast<std::uint32_t>(sorted.size() / 50)) {
    CHECK(matrix.RangeQuantile(start, end, k) == sorted[k]);
  }
  CHECK(!matrix.RangeQuantile(start, end, end - start));

  std::vector<SymbolCount> distinct;
  for (const auto& [symbol, count] : counts) distinct.push_back({symbol, count});
  CHECK(matrix.RangeDistinct(start, end) == distinct);
  std::stable_sort(distinct.begin(), distinct.end(),
                   [](const SymbolCount& a, const SymbolCount& b) { return a.count > b.count; });
  for (const std::size_t k : {0U, 1U, 3U, 1000000U}) {
    std::vector<SymbolCount> top = distinct;
    top.resize(std::min(k, top.size()));
    CHECK(matrix.RangeTopK(start, end, k) == top);
  }

  const std::uint64_t largest = sorted.empty() ? 0 : sorted.back();
  for (const std::uint64_t low : {std::uint64_t{0}, largest / 3, largest}) {
    for (const std::uint64_t high :
         {std::uint64_t{0}, largest / 2, largest, largest + 1, std::uint64_t{1} << 32}) {
      const auto expected = std::count_if(sorted.begin(), sorted.end(), [&](std::uint32_t symbol) {
        return symbol >= low && symbol < high;
      });
      CHECK(matrix.RangeCount(start, end, low, high) == static_cast<std::uint32_t>(expected));
    }
  }
}

// Asks about the symbols of the text, their neighbours, and some that can't occur.
std::set<std::uint32_t> Asked(const Text& text, std::size_t limit) {
  std::set<std::uint32_t> asked = {0, 1, 0xffffffff, 0x80000000, 1U << 18};
  for (std::size_t i = 0; i < text.size() && asked.size() < limit; i += 1 + text.size() / limit) {
    asked.insert(text[i]);
    asked.insert(text[i] + 1);
  }
  return asked;
}

Text RandomText(std::size_t size, unsigned bits, bool skewed, std::mt19937_64& random) {
  Text text(size);
  const std::uint64_t limit = std::uint64_t{1} << bits;
  for (auto& symbol : text) {
    // The minimum of several uniform draws is frequent near 0.
    std::uint64_t draw = random() % limit;
    for (int i = 0; i < 6 && skewed; ++i) draw = std::min(draw, random() % limit);
    symbol = static_cast<std::uint32_t>(draw);
  }
  return text;
}

}  // namespace

TEST_CASE("the empty text has nothing to find") {
  const WaveletMatrix matrix;
  CheckAgainst(matrix, {}, {0, 1, 5});
  CheckRanges(matrix, {}, 0, 0);
  CHECK(matrix.RangeIntersect({}).empty());
  CHECK(matrix.Validate().ok());
}

TEST_CASE("every text of at most 5 symbols over 5 symbols answers every query, by every table") {
  for (const Kernels* kernels : SupportedKernels()) {
    CAPTURE(kernels->name);
    for (std::uint32_t size = 0; size <= 5; ++size) {
      std::uint32_t texts = 1;
      for (std::uint32_t i = 0; i < size; ++i) texts *= 5;
      for (std::uint32_t number = 0; number < texts; ++number) {
        Text text;
        for (std::uint32_t i = 0, rest = number; i < size; ++i, rest /= 5) text.push_back(rest % 5);
        const WaveletMatrix matrix = WaveletMatrix::Build(text, 3).With(*kernels);
        CheckAgainst(matrix, text, {0, 1, 2, 3, 4, 5, 7, 16});
        if (number % 7 == 0) CheckRanges(matrix, text, size / 3, size);
        REQUIRE(matrix.Validate().ok());
      }
    }
  }
}

TEST_CASE("texts of every width and at the edges of lines and blocks answer every query") {
  constexpr std::uint64_t kSeed = 41;
  std::mt19937_64 random(kSeed);
  for (const unsigned bits : {1U, 2U, 3U, 7U, 8U, 13U, 18U, 31U, 32U}) {
    for (const std::size_t size :
         {1U, 223U, 224U, 225U, 1024U, 2048U, 2500U, 57343U, 57344U, 60000U}) {
      if (size > 3000 && bits % 3 == 1) continue;
      CAPTURE(bits);
      CAPTURE(size);
      const Text text = RandomText(size, bits, size % 2 == 0, random);
      const WaveletMatrix built = WaveletMatrix::Build(text, bits);
      REQUIRE(built.Validate().ok());
      for (const Kernels* kernels : SupportedKernels()) {
        CAPTURE(kernels->name);
        const WaveletMatrix matrix = built.With(*kernels);
        CheckAgainst(matrix, text, Asked(text, 40));
        const auto n = static_cast<std::uint32_t>(size);
        CheckRanges(matrix, text, n / 4, n - n / 4);
        CheckRanges(matrix, text, 0, std::min(n, 300U));
      }
    }
  }
}

TEST_CASE("texts whose digits do not mix answer select") {
  // Interpolation between samples is far off here: runs, a lone symbol at either end, one symbol
  // only.
  std::vector<Text> texts;
  texts.push_back(Text(150000, 5));
  texts.push_back(Text(150000, 5));
  texts.back().front() = 6;
  texts.push_back(Text(150000, 5));
  texts.back().back() = 7;
  Text runs;
  for (std::uint32_t run = 0; run < 60; ++run)
    runs.insert(runs.end(), 1 + run * 97 % 7919, run % 9);
  texts.push_back(runs);
  Text sorted(100000);
  for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i / 3;
  texts.push_back(sorted);
  std::reverse(sorted.begin(), sorted.end());
  texts.push_back(sorted);
  for (const Text& text : texts) {
    const WaveletMatrix matrix = WaveletMatrix::Build(text, 17);
    REQUIRE(matrix.Validate().ok());
    CheckAgainst(matrix, text, Asked(text, 30));
    CheckRanges(matrix, text, 1000, 20000);
  }
}

TEST_CASE("a very frequent symbol among many rare ones has its run, and so do they") {
  // A small alphabet for the text's length, so that the starts are stored; the frequent symbol
  // leaves a long block there.
  std::mt19937_64 random(43);
  Text text(300000, 100);
  for (std::size_t i = 0; i < text.size(); i += 4)
    text[i] = static_cast<std::uint32_t>(random() % 65536);
  const WaveletMatrix matrix = WaveletMatrix::Build(text, 16);
  WaveletHeader header;
  std::memcpy(&header, matrix.bytes().data(), sizeof header);
  CHECK(WaveletLayout(header.size, header.levels, 0).has_starts);
  CHECK(header.long_start_blocks > 0);
  CHECK(matrix.Validate().ok());
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const std::uint32_t symbol : text) ++counts[symbol];
  std::size_t wrong = 0;
  for (std::uint32_t symbol = 0; symbol < 65536; ++symbol)
    wrong += matrix.Count(symbol) != counts[symbol];
  CHECK(wrong == 0);
  CheckAgainst(matrix, text, Asked(text, 12));
}

TEST_CASE("ranges intersect in the symbols all of them hold") {
  std::mt19937_64 random(44);
  const Text text = RandomText(5000, 9, false, random);
  const WaveletMatrix matrix = WaveletMatrix::Build(text, 9);
  const std::vector<Interval> ranges = {{0, 700}, {600, 1500}, {4000, 5000}};
  Text expected;
  for (std::uint32_t symbol = 0; symbol < 512; ++symbol) {
    const bool in_all = std::all_of(ranges.begin(), ranges.end(), [&](const Interval& range) {
      return std::find(text.begin() + range.start, text.begin() + range.end, symbol) !=
             text.begin() + range.end;
    });
    if (in_all) expected.push_back(symbol);
  }
  CHECK(!expected.empty());
  CHECK(matrix.RangeIntersect(ranges) == expected);
  CHECK(matrix.RangeIntersect(std::vector<Interval>{{0, 0}, {0, 5000}}).empty());
}

TEST_CASE("only the levels the largest symbol needs are stored") {
  const Text text = {3, 1, 2, 0, 3};
  const WaveletMatrix wide = WaveletMatrix::Build(text, 32);
  const WaveletMatrix narrow = WaveletMatrix::Build(text, 2);
  CHECK(wide.SizeInBytes() == narrow.SizeInBytes());
  CheckAgainst(wide, text, {0, 1, 2, 3, 4, 0xffffffff});
  CheckRanges(wide, text, 1, 5);
}

TEST_CASE("bytes come back as the same matrix, copied or in place") {
  std::mt19937_64 random(45);
  const Text text = RandomText(40000, 10, true, random);
  const WaveletMatrix matrix = WaveletMatrix::Build(text, 10);
  WaveletMatrix copy;
  REQUIRE(WaveletMatrix::Deserialize(matrix.bytes(), copy).ok());
  CheckAgainst(copy, text, Asked(text, 20));
  WaveletMatrix in_place;
  REQUIRE(WaveletMatrix::Open(copy.bytes(), in_place).ok());
  CHECK(in_place.bytes().data() == copy.bytes().data());
  CHECK(in_place.Validate().ok());
  CheckAgainst(in_place, text, Asked(text, 20));
  CHECK(std::equal(matrix.bytes().begin(), matrix.bytes().end(), copy.bytes().begin(),
                   copy.bytes().end()));
}

TEST_CASE("damaged bytes are refused: every length, and a flipped bit anywhere that counts") {
  std::mt19937_64 random(46);
  const Text text = RandomText(3000, 5, true, random);
  const WaveletMatrix matrix = WaveletMatrix::Build(text, 5);
  const std::vector<std::byte> bytes(matrix.bytes().begin(), matrix.bytes().end());
  WaveletMatrix out;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    REQUIRE(!WaveletMatrix::Deserialize(std::span(bytes).first(length), out).ok());
  }
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::vector<std::byte> damaged = bytes;
    damaged[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    const Status status = WaveletMatrix::Deserialize(damaged, out);
    if (!status.ok()) {
      REQUIRE((status.code() == ErrorCode::kCorruption || status.code() == ErrorCode::kVersion));
      continue;
    }
    ++accepted;
    // Only the declared width may differ: the same text fits in others.
    CHECK(out.Validate().ok());
    Text read(out.size());
    out.AccessRange(0, out.size(), read.data());
    CHECK(read == text);
  }
  CHECK(accepted <= 5);
  CHECK(out.Validate().ok());
}

TEST_CASE("a newer version is refused as such") {
  const WaveletMatrix matrix = WaveletMatrix::Build(Text{1, 2, 3}, 2);
  std::vector<std::byte> bytes(matrix.bytes().begin(), matrix.bytes().end());
  bytes[8] = std::byte{2};
  WaveletMatrix out;
  CHECK(WaveletMatrix::Deserialize(bytes, out).code() == ErrorCode::kVersion);
}

}  // namespace dentate::succinct
