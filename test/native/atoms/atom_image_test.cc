#include "atoms/atom_image.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>

#include "atoms/atom_index.h"

namespace dentate::atoms {
namespace {

constexpr std::size_t kDimensions = 10;

std::vector<float> Random(std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(kDimensions);
  for (float& value : vector) value = normal(random);
  vector[random() % 3] += 4;
  return vector;
}

// Some members, some of them removed, the last atom among them.
void Fill(AtomIndex& index, std::mt19937& random) {
  for (int i = 0; i < 80; ++i) {
    Added added;
    REQUIRE(index.Add(Random(random), added));
    if (i % 3 == 0) REQUIRE(index.Remove(added.member));
  }
}

std::vector<Options> AllOptions() {
  std::vector<Options> all;
  for (const Storage storage : {Storage::kFloat32, Storage::kInt8}) {
    all.push_back({kDimensions, storage, {PolicyKind::kMaxMember, Gate::kMean, false, 0, 0.8, 0}});
    all.push_back(
        {kDimensions, storage, {PolicyKind::kOnlineKMeans, Gate::kBoth, true, 5, 0, 77}, 3});
  }
  return all;
}

ErrorCode CodeOf(const std::vector<std::uint8_t>& bytes) {
  std::shared_ptr<AtomIndex> index;
  const Status status = AtomIndex::Deserialize(bytes, index);
  CHECK(status.ok() == (index != nullptr));
  return status.code();
}

}  // namespace

TEST_CASE("an index read back clusters on as the one that was written") {
  for (const Options& options : AllOptions()) {
    std::mt19937 random(5);
    AtomIndex index(options);
    Fill(index, random);
    const auto bytes = index.Serialize();
    std::shared_ptr<AtomIndex> copy;
    REQUIRE(AtomIndex::Deserialize(bytes, copy).ok());
    CHECK(copy->Serialize() == bytes);
    CHECK(copy->options().policy.seed == options.policy.seed);
    CHECK(copy->options().rank == options.rank);
    for (int i = 0; i < 40; ++i) {
      const auto vector = Random(random);
      Added left;
      Added right;
      REQUIRE(index.Add(vector, left));
      REQUIRE(copy->Add(vector, right));
      CHECK(left.member == right.member);
      CHECK(left.atom == right.atom);
      CHECK(left.similarity == right.similarity);
    }
    CHECK(copy->Serialize() == index.Serialize());
    std::vector<Scored> left;
    std::vector<Scored> right;
    const auto query = Random(random);
    REQUIRE(index.Nearest(query, 5, By::kCentroid, left));
    REQUIRE(copy->Nearest(query, 5, By::kCentroid, right));
    for (std::size_t i = 0; i < left.size(); ++i) CHECK(left[i].number == right[i].number);
  }
}

TEST_CASE("an empty index is written and read") {
  AtomIndex index(AllOptions()[0]);
  CHECK(index.Serialize().size() == sizeof(ImageHeader));
  CHECK(CodeOf(index.Serialize()) == ErrorCode::kOk);
}

TEST_CASE("bytes that are no index are refused") {
  std::mt19937 random(6);
  for (const Options& options : AllOptions()) {
    AtomIndex index(options);
    Fill(index, random);
    const auto good = index.Serialize();
    for (std::size_t length = 0; length < good.size(); length += 7) {
      CHECK(CodeOf({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)}) ==
            ErrorCode::kCorruption);
    }
    const auto with = [&](std::size_t offset, auto value) {
      auto bytes = good;
      std::memcpy(bytes.data() + offset, &value, sizeof(value));
      return CodeOf(bytes);
    };
    CHECK(with(offsetof(ImageHeader, magic), 'X') == ErrorCode::kCorruption);
    CHECK(with(offsetof(ImageHeader, version), std::uint32_t{2}) == ErrorCode::kVersion);
    for (const std::size_t offset :
         {offsetof(ImageHeader, dimensions), offsetof(ImageHeader, rank)}) {
      CHECK(with(offset, std::uint32_t{0}) == ErrorCode::kCorruption);
      CHECK(with(offset, std::uint32_t{5000}) == ErrorCode::kCorruption);
    }
    for (const std::size_t offset : {offsetof(ImageHeader, storage), offsetof(ImageHeader, policy),
                                     offsetof(ImageHeader, gate), offsetof(ImageHeader, seeded)}) {
      CHECK(with(offset, std::uint8_t{9}) == ErrorCode::kCorruption);
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(with(offsetof(ImageHeader, threshold), nan) == ErrorCode::kCorruption);
    CHECK(with(offsetof(ImageHeader, threshold), 1.5) == ErrorCode::kCorruption);
    CHECK(with(offsetof(ImageHeader, next_member), std::uint32_t{3}) == ErrorCode::kCorruption);
    CHECK(with(offsetof(ImageHeader, next_atom), std::uint32_t{0}) == ErrorCode::kCorruption);
    CHECK(with(offsetof(ImageHeader, members), ~std::uint64_t{0}) == ErrorCode::kCorruption);
    CHECK(with(offsetof(ImageHeader, members), index.size() + 1) == ErrorCode::kCorruption);
    // The second member's number is that of the first; a row is no unit vector.
    CHECK(with(sizeof(ImageHeader) + sizeof(ImageMember), std::uint32_t{0}) ==
          ErrorCode::kCorruption);
    const std::size_t rows = sizeof(ImageHeader) + index.size() * sizeof(ImageMember);
    if (options.storage == Storage::kFloat32) {
      CHECK(with(rows, 2.0F) == ErrorCode::kCorruption);
      CHECK(with(rows, std::numeric_limits<float>::quiet_NaN()) == ErrorCode::kCorruption);
    } else {
      CHECK(with(rows, std::int8_t{-128}) == ErrorCode::kCorruption);
      CHECK(with(rows, std::array<std::int8_t, kDimensions>{}) == ErrorCode::kCorruption);
    }
  }
}

}  // namespace dentate::atoms
