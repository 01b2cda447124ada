#include "hamming/hamming_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace dentate::hamming {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // distance, id

Pairs AllByDistance(const std::vector<std::uint64_t>& rows, const std::uint64_t* query,
                    std::size_t words) {
  Pairs all;
  for (std::size_t i = 0; i < rows.size() / words; ++i) {
    std::uint32_t distance = 0;
    for (std::size_t w = 0; w < words; ++w) {
      distance += static_cast<std::uint32_t>(std::popcount(rows[i * words + w] ^ query[w]));
    }
    all.emplace_back(distance, static_cast<std::uint32_t>(i));
  }
  std::sort(all.begin(), all.end());
  return all;
}

Pairs ToPairs(const Matches& matches) {
  Pairs pairs;
  for (std::size_t i = 0; i < matches.ids.size(); ++i) {
    pairs.emplace_back(matches.distances[i], matches.ids[i]);
  }
  return pairs;
}

// Rows near a few centres, so that every radius finds some.
std::vector<std::uint64_t> Clustered(std::mt19937_64& random, std::size_t rows, std::size_t words) {
  std::vector<std::uint64_t> centres(8 * words);
  for (auto& word : centres) word = random();
  std::vector<std::uint64_t> result(rows * words);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t centre = random() % 8;
    for (std::size_t w = 0; w < words; ++w) {
      result[i * words + w] = centres[centre * words + w] ^ (random() & random() & random());
    }
  }
  return result;
}

}  // namespace

TEST_CASE("range and nearest agree with a sort of all distances, on one thread and on three") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::size_t words : {1, 2, 3, 4}) {
    // Enough rows for three queries to be worth three threads.
    const std::size_t rows = (std::size_t{5} << 20) / 8 / words;
    const auto data = Clustered(random, rows, words);
    HammingIndex index(words);
    index.Append(data);
    const std::vector<std::uint64_t> queries(data.begin(),
                                             data.begin() + static_cast<std::ptrdiff_t>(words * 3));
    std::vector<Pairs> all;
    for (std::size_t q = 0; q < 3; ++q) {
      all.push_back(AllByDistance(data, queries.data() + q * words, words));
    }
    for (const unsigned threads : {1U, 3U}) {
      SearchOptions options;
      options.threads = threads;
      std::vector<Matches> matches;
      for (const std::size_t radius : {std::size_t{0}, words * 8, words * 12, words * 16}) {
        REQUIRE(index.Within(queries, static_cast<std::uint32_t>(radius), options, matches).ok());
        REQUIRE(matches.size() == 3);
        for (std::size_t q = 0; q < 3; ++q) {
          REQUIRE(std::is_sorted(matches[q].ids.begin(), matches[q].ids.end()));
          Pairs found = ToPairs(matches[q]);
          std::sort(found.begin(), found.end());
          const auto end = std::partition_point(
              all[q].begin(), all[q].end(), [&](const auto& pair) { return pair.first <= radius; });
          REQUIRE(found == Pairs(all[q].begin(), end));
        }
      }
      for (const std::size_t k : {std::size_t{1}, std::size_t{10}, std::size_t{1000}, rows + 5}) {
        REQUIRE(index.Nearest(queries, k, options, matches).ok());
        for (std::size_t q = 0; q < 3; ++q) {
          const auto count = static_cast<std::ptrdiff_t>(std::min(k, rows));
          REQUIRE(ToPairs(matches[q]) == Pairs(all[q].begin(), all[q].begin() + count));
        }
      }
    }
  }
}

TEST_CASE("of equal distances the lower ids are the nearest, whatever the threads") {
  HammingIndex index(1);
  index.Append(std::vector<std::uint64_t>(2000000, 5));
  for (const unsigned threads : {1U, 2U}) {
    SearchOptions options;
    options.threads = threads;
    std::vector<Matches> matches;
    REQUIRE(index.Nearest(std::vector<std::uint64_t>{5}, 3, options, matches).ok());
    CHECK(matches[0].ids == std::vector<std::uint32_t>{0, 1, 2});
  }
}

TEST_CASE("an empty index finds nothing, and an empty batch is answered") {
  HammingIndex index(2);
  std::vector<Matches> matches;
  REQUIRE(index.Within(std::vector<std::uint64_t>{1, 2}, 128, {}, matches).ok());
  CHECK(matches[0].ids.empty());
  REQUIRE(index.Nearest(std::vector<std::uint64_t>{1, 2}, 3, {}, matches).ok());
  CHECK(matches[0].ids.empty());
  REQUIRE(index.Within({}, 1, {}, matches).ok());
  CHECK(matches.empty());
  REQUIRE(index.Hash({}).ok());
  CHECK(index.hashed_rows() == 0);
}

TEST_CASE("a search that is given up says so") {
  HammingIndex index(2);
  index.Append(std::vector<std::uint64_t>(200000, 1));
  SearchOptions options;
  std::atomic<int> asked{0};
  options.cancelled = [&] { return ++asked > 3; };
  std::vector<Matches> matches;
  const std::vector<std::uint64_t> query{1, 1};
  CHECK(index.Within(query, 0, options, matches).code() == ErrorCode::kAborted);
  asked = 0;
  CHECK(index.Nearest(query, 1, options, matches).code() == ErrorCode::kAborted);
  asked = 0;
  CHECK(index.Hash(options.cancelled).code() == ErrorCode::kAborted);
  CHECK(index.hashed_rows() == 0);
}

TEST_CASE("a hashed index, with rows appended since, answers as an unhashed one") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::size_t words : {1, 2, 3}) {
    const auto data = Clustered(random, 60000, words);
    HammingIndex plain(words);
    HammingIndex hashed(words);
    plain.Append(data);
    const auto half = std::span(data).first(50000 * words);
    hashed.Append(half);
    REQUIRE(hashed.Hash({}).ok());
    CHECK(hashed.hashed_rows() == 50000);
    hashed.Append(std::span(data).subspan(half.size()));
    for (const std::uint32_t radius : {0U, 3U, 8U, 16U, 30U}) {
      std::vector<Matches> expected;
      std::vector<Matches> matches;
      const auto queries = std::span(data).first(words * 5);
      REQUIRE(plain.Within(queries, radius, {}, expected).ok());
      REQUIRE(hashed.Within(queries, radius, {}, matches).ok());
      for (std::size_t q = 0; q < 5; ++q) {
        CHECK(matches[q].ids == expected[q].ids);
        CHECK(matches[q].distances == expected[q].distances);
      }
    }
  }
}

TEST_CASE("searches on another thread run while rows are appended and hashed") {
  HammingIndex index(2);
  index.Append(std::vector<std::uint64_t>{7, 7});
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    std::size_t least = 1;
    while (!stop) {
      std::vector<Matches> matches;
      if (!index.Within(std::vector<std::uint64_t>{7, 7}, 3, {}, matches).ok()) break;
      const std::size_t count = matches[0].ids.size();
      if (count < least) CHECK(count >= least);  // rows never go away
      least = count;
    }
  });
  for (int i = 0; i < 300; ++i) {
    index.Append(std::vector<std::uint64_t>{7, 6, 1, 1, 5, 7});
    if (i % 20 == 0) REQUIRE(index.Hash({}).ok());
  }
  stop = true;
  reader.join();
}

TEST_CASE("an index comes back from its bytes, and no other bytes are taken") {
  std::mt19937_64 random(7);
  for (const std::size_t rows : {0, 1, 64, 65, 10000}) {
    HammingIndex index(2);
    const auto data = Clustered(random, rows, 2);
    index.Append(data);
    std::vector<std::uint8_t> bytes(index.SerializedBytes(rows));
    index.SerializeTo(rows, bytes);
    std::shared_ptr<HammingIndex> copy;
    REQUIRE(HammingIndex::Deserialize(bytes, copy).ok());
    REQUIRE(copy->columns().size() == rows);
    for (std::size_t i = 0; i < data.size(); ++i) {
      REQUIRE(*copy->columns().WordAt(i / 2, i % 2) == data[i]);
    }
    for (const std::size_t cut : {std::size_t{0}, std::size_t{23}, bytes.size() - 1}) {
      std::shared_ptr<HammingIndex> none;
      CHECK(HammingIndex::Deserialize(std::span(bytes).first(cut), none).code() ==
            ErrorCode::kCorruption);
    }
    bytes[4] = 2;
    CHECK(HammingIndex::Deserialize(bytes, copy).code() == ErrorCode::kVersion);
    bytes[4] = 1;
    bytes[23] = 0x80;  // 2^63 rows: their bytes don't fit in 64 bits
    CHECK(HammingIndex::Deserialize(bytes, copy).code() == ErrorCode::kCorruption);
  }
}

}  // namespace dentate::hamming
