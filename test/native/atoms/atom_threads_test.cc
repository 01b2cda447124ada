// For ThreadSanitizer: everything that AtomIndex allows on several threads, at once.

#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "atoms/atom_index.h"

namespace dentate::atoms {
namespace {

constexpr std::size_t kDimensions = 20;
constexpr int kVectors = 300;

std::vector<float> Random(std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(kDimensions);
  for (float& value : vector) value = normal(random);
  vector[random() % 5] += 4;
  return vector;
}

}  // namespace

TEST_CASE("writers and readers work side by side") {
  for (const Storage storage : {Storage::kFloat32, Storage::kInt8}) {
    Options options;
    options.dimensions = kDimensions;
    options.storage = storage;
    options.policy.threshold = 0.7;
    AtomIndex index(options);
    std::atomic<int> writers{2};
    std::atomic<std::size_t> removed{0};
    const auto write = [&](unsigned seed) {
      std::mt19937 random(seed);
      for (int i = 0; i < kVectors; ++i) {
        Added added;
        if (!index.Add(Random(random), added)) std::abort();
        if (i % 3 == 0 && index.Remove(added.member)) ++removed;
      }
      --writers;
    };
    const auto read = [&](unsigned seed) {
      std::mt19937 random(seed);
      while (writers > 0) {
        for (const By by :
             {By::kFirstSingularVector, By::kCentroid, By::kSubspace, By::kBestMember}) {
          std::vector<Scored> nearest;
          if (!index.Nearest(Random(random), 3, by, nearest)) std::abort();
          for (const Scored& scored : nearest) {
            const auto members = index.MembersOf(scored.number);
            std::vector<float> cosines(members.size());
            if (!index.Cosines(Random(random), members, cosines)) std::abort();
          }
        }
        std::shared_ptr<AtomIndex> copy;
        if (!AtomIndex::Deserialize(index.Serialize(), copy).ok()) std::abort();
        static_cast<void>(index.SizeInBytes() + index.Largest() + index.count());
      }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 2; ++i) threads.emplace_back(write, i);
    for (unsigned i = 2; i < 4; ++i) threads.emplace_back(read, i);
    for (std::thread& thread : threads) thread.join();
    CHECK(index.size() == 2 * kVectors - removed);
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint32_t> sizes;
    index.Atoms(numbers, sizes);
    std::size_t members = 0;
    for (const std::uint32_t size : sizes) members += size;
    CHECK(members == index.size());
  }
}

}  // namespace dentate::atoms
