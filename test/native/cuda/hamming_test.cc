#include <bit>

#include "cuda/fixture.h"

namespace dentate::cuda {
namespace {

struct Neighbour {
  std::uint32_t distance;
  std::uint32_t id;
  auto operator<=>(const Neighbour&) const = default;
};

std::vector<Neighbour> Ranked(const std::vector<std::uint64_t>& rows, const std::uint64_t* query,
                              std::uint32_t words) {
  std::vector<Neighbour> all(rows.size() / words);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    all[i].id = i;
    for (std::uint32_t w = 0; w < words; ++w) {
      all[i].distance += static_cast<std::uint32_t>(std::popcount(rows[i * words + w] ^ query[w]));
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

void CheckTopK(const Emulated& emulated, const std::vector<std::uint64_t>& data,
               const std::vector<std::uint64_t>& queries, std::uint32_t words, std::uint32_t k) {
  const auto rows = emulated.Rows(data, words);
  const std::size_t query_count = queries.size() / words;
  k = std::min(k, static_cast<std::uint32_t>(rows->count()));
  std::vector<std::uint32_t> ids(query_count * k, 0xABABABAB);
  std::vector<std::uint16_t> distances(query_count * k, 0xABAB);
  const Status status = HammingTopK(*rows, queries, k, nullptr, ids.data(), distances.data());
  REQUIRE_MESSAGE(status.ok(), status.message());
  for (std::size_t q = 0; q < query_count; ++q) {
    const auto expected = Ranked(data, queries.data() + q * words, words);
    for (std::size_t i = 0; i < k; ++i) {
      CAPTURE(q);
      CAPTURE(i);
      REQUIRE(ids[q * k + i] == expected[i].id);
      REQUIRE(distances[q * k + i] == expected[i].distance);
    }
  }
}

void CheckWithin(const Emulated& emulated, const std::vector<std::uint64_t>& data,
                 const std::vector<std::uint64_t>& queries, std::uint32_t words,
                 std::uint32_t radius) {
  const auto rows = emulated.Rows(data, words);
  BallMatches matches;
  const Status status = HammingWithin(*rows, queries, radius, nullptr, matches);
  REQUIRE_MESSAGE(status.ok(), status.message());
  REQUIRE(matches.offsets.size() == queries.size() / words + 1);
  for (std::size_t q = 0; q + 1 < matches.offsets.size(); ++q) {
    auto expected = Ranked(data, queries.data() + q * words, words);
    std::erase_if(expected, [&](const Neighbour& n) { return n.distance > radius; });
    std::sort(expected.begin(), expected.end(),
              [](const Neighbour& a, const Neighbour& b) { return a.id < b.id; });
    REQUIRE(matches.offsets[q + 1] - matches.offsets[q] == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(matches.ids[matches.offsets[q] + i] == expected[i].id);
      REQUIRE(matches.distances[matches.offsets[q] + i] == expected[i].distance);
    }
  }
}

TEST_CASE("the nearest signatures, at every number of words and around every edge") {
  const Emulated emulated;
  for (const std::uint32_t words : {1U, 2U, 3U, 4U, 16U}) {
    for (const std::uint32_t count : {1U, 127U, 128U, 129U, 1030U}) {
      const auto data = Words(std::size_t{count} * words, count + words);
      for (const std::uint32_t k : {1U, 10U, 3000U}) {
        CheckTopK(emulated, data, Words(std::size_t{3} * words, 9), words, k);
      }
    }
  }
}

TEST_CASE("the nearest of more signatures than a list holds, in rounds") {
  for (const std::uint32_t order : {0U, 1U, 7U}) {
    const Emulated emulated;
    emulated.settings->order = order;
    const auto data = Words(2 * 10000, 5);
    CheckTopK(emulated, data, Words(2 * 5, 6), 2, 10);
    CheckTopK(emulated, data, Words(2 * 2, 6), 2, 2048);
    CheckTopK(emulated, data, Words(2, 6), 2, 2049);
  }
}

TEST_CASE("signatures that come ever nearer overflow a list, and are found all the same") {
  // Distance 64 - i / 512: each row is better than all before, so that every one passes the limit.
  std::vector<std::uint64_t> data;
  for (std::uint32_t i = 0; i < 32768; ++i) {
    data.push_back(i / 512 == 0 ? ~std::uint64_t{0} : ~std::uint64_t{0} >> (i / 512));
  }
  CheckTopK(Emulated(), data, {0, 5}, 1, 100);
}

TEST_CASE("equal signatures are in the order of their ids") {
  std::vector<std::uint64_t> data(20000, 42);
  CheckTopK(Emulated(), data, {42, 41}, 1, 300);
}

TEST_CASE("balls, at every number of words and around every edge") {
  const Emulated emulated;
  for (const std::uint32_t words : {1U, 2U, 5U}) {
    for (const std::uint32_t count : {1U, 32U, 1023U, 1024U, 1025U, 5000U}) {
      const auto data = Words(std::size_t{count} * words, count);
      for (const std::uint32_t radius : {0U, 26U * words, 32U * words, 64U * words}) {
        CheckWithin(emulated, data, Words(std::size_t{4} * words, 2), words, radius);
      }
    }
  }
}

TEST_CASE("no signatures, and no queries") {
  const Emulated emulated;
  CheckTopK(emulated, {}, Words(4, 1), 2, 5);
  CheckTopK(emulated, Words(4, 1), {}, 2, 1);
  CheckWithin(emulated, {}, Words(4, 1), 2, 128);
  CheckWithin(emulated, Words(4, 1), {}, 2, 128);
}

TEST_CASE("more signatures than device memory holds are searched in tiles") {
  // 16 bytes a row; some rows stay on the host.
  const Emulated emulated(Precision::kFp16, 400'000);
  const auto data = Words(2 * 40000, 8);
  CheckTopK(emulated, data, Words(2 * 3, 1), 2, 20);
  CheckWithin(emulated, data, Words(2 * 2, 1), 2, 48);
  CHECK(emulated.engine->memory().held() == 0);
}

TEST_CASE("where an allocation fails, smaller ones are made") {
  const Emulated emulated;
  emulated.settings->memory_bytes = 700'000;
  CheckTopK(emulated, Words(2 * 30000, 8), Words(2 * 20, 1), 2, 20);
}

TEST_CASE("where nothing fits, it is out of memory, and nothing is kept") {
  const Emulated emulated;
  emulated.settings->memory_bytes = 1'000;
  const auto rows = emulated.Rows(Words(2 * 3000, 8), 2);
  std::vector<std::uint32_t> ids(10);
  std::vector<std::uint16_t> distances(10);
  const auto query = Words(2, 1);
  const Status status = HammingTopK(*rows, query, 10, nullptr, ids.data(), distances.data());
  CHECK(status.code() == ErrorCode::kOutOfMemory);
}

TEST_CASE("a lost device is unavailable from then on") {
  const Emulated emulated;
  const auto rows = emulated.Rows(Words(2 * 3000, 8), 2);
  emulated.settings->launches_until_lost = 1;
  std::vector<std::uint32_t> ids(10);
  std::vector<std::uint16_t> distances(10);
  const auto query = Words(2, 1);
  for (int i = 0; i < 2; ++i) {
    const Status status = HammingTopK(*rows, query, 10, nullptr, ids.data(), distances.data());
    CHECK(status.code() == ErrorCode::kUnavailable);
  }
  DeviceEngine::Lease lease;
  CHECK(emulated.engine->Borrow(lease).code() == ErrorCode::kUnavailable);
}

TEST_CASE("a search ends soon once its caller gives up") {
  const Emulated emulated;
  const auto rows = emulated.Rows(Words(2 * 3000, 8), 2);
  std::vector<std::uint32_t> ids(10);
  std::vector<std::uint16_t> distances(10);
  const std::int32_t cancel = 1;
  const auto query = Words(2, 1);
  CHECK(HammingTopK(*rows, query, 10, &cancel, ids.data(), distances.data()).code() ==
        ErrorCode::kAborted);
  BallMatches matches;
  CHECK(HammingWithin(*rows, query, 10, &cancel, matches).code() == ErrorCode::kAborted);
}

}  // namespace
}  // namespace dentate::cuda
