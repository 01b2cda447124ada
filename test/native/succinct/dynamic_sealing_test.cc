#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "succinct/check_matrix.h"
#include "succinct/dynamic_wavelet_matrix.h"
#include "succinct/sequences.h"

namespace dentate::succinct {
namespace {

using test::CheckAll;
using test::MakeSequence;
using test::Sequence;

TEST_CASE("a matrix that seals all the time answers like the sequence") {
  for (const unsigned bits : {1U, 7U, 18U, 32U}) {
    for (const Sequence kind : {Sequence::kUniform, Sequence::kSkewed, Sequence::kRuns}) {
      CAPTURE(bits);
      CAPTURE(static_cast<int>(kind));
      const auto text = MakeSequence(kind, bits, 20000, bits);
      DynamicWaveletMatrix matrix(bits, {.seal_after = 1000, .largest_merge = 6000});
      std::mt19937 random(bits);
      for (std::size_t done = 0; done < text.size();) {
        const auto count = std::min<std::size_t>(1 + random() % 600, text.size() - done);
        matrix.Append(std::span(text).subspan(done, count));
        done += count;
        // Half sealed, parts of every age: whatever the background thread has done so far.
        for (int i = 0; i < 50; ++i) {
          const auto at = static_cast<std::uint32_t>(random() % done);
          REQUIRE(matrix.Access(at) == text[at]);
          REQUIRE(matrix.Select(text[at], matrix.Rank(text[at], at)) == at);
        }
      }
      CheckAll(matrix, text);
      matrix.SealAndWait();
      CheckAll(matrix, text);
    }
  }
}

TEST_CASE("sealing what is sealed changes nothing") {
  DynamicWaveletMatrix matrix(9);
  matrix.SealAndWait();
  CHECK(matrix.size() == 0);
  const auto text = MakeSequence(Sequence::kSkewed, 9, 3000, 3);
  matrix.Append(text);
  matrix.SealAndWait();
  matrix.SealAndWait();
  CheckAll(matrix, text);
}

TEST_CASE("sealing makes a large text smaller") {
  const auto text = MakeSequence(Sequence::kSkewed, 18, 1000000, 5);
  DynamicWaveletMatrix matrix(18);
  matrix.Append(text);
  const std::size_t live = matrix.SizeInBytes();
  matrix.SealAndWait();
  CHECK(matrix.SizeInBytes() < live);
}

TEST_CASE("a matrix may go while its parts are being sealed") {
  const auto text = MakeSequence(Sequence::kUniform, 18, 30000, 6);
  for (int i = 0; i < 50; ++i) {
    DynamicWaveletMatrix matrix(18, {.seal_after = 5000, .largest_merge = 20000});
    for (std::size_t done = 0; done < text.size(); done += 1000) {
      matrix.Append(std::span(text).subspan(done, 1000));
    }
  }
}

TEST_CASE("a frozen matrix holds the whole sequence") {
  const auto text = MakeSequence(Sequence::kSkewed, 18, 30000, 7);
  DynamicWaveletMatrix matrix(18, {.seal_after = 7000});
  for (std::size_t done = 0; done < text.size(); done += 3000) {
    matrix.Append(std::span(text).subspan(done, 3000));
  }
  const WaveletMatrix frozen = matrix.Freeze();
  REQUIRE(frozen.size() == text.size());
  std::vector<std::uint32_t> out(text.size());
  frozen.AccessRange(0, frozen.size(), out.data());
  CHECK(out == text);
}

TEST_CASE("saved and loaded, a matrix answers the same and goes on growing") {
  for (const std::uint32_t length : {0U, 1U, 1000U, 20000U}) {
    const auto text = MakeSequence(Sequence::kSkewed, 18, length, length);
    DynamicWaveletMatrix matrix(18, {.seal_after = 3000, .largest_merge = 8000});
    for (std::size_t done = 0; done < text.size();) {
      const std::size_t count = std::min<std::size_t>(700, text.size() - done);
      matrix.Append(std::span(text).subspan(done, count));
      done += count;
    }
    const std::vector<std::byte> bytes = matrix.Serialize();
    std::unique_ptr<DynamicWaveletMatrix> loaded;
    REQUIRE(DynamicWaveletMatrix::Deserialize(bytes, {}, loaded).ok());
    if (length > 0) CheckAll(*loaded, text);
    auto longer = text;
    longer.insert(longer.end(), {5, 200000, 5});
    CHECK(loaded->Append(std::span(longer).subspan(length)) == longer.size());
    CheckAll(*loaded, longer);
    if (length <= 1) continue;
    CHECK(loaded->Serialize().size() > bytes.size());
  }
}

TEST_CASE("damaged bytes are refused, cut anywhere or with any byte changed") {
  const auto text = MakeSequence(Sequence::kSkewed, 5, 400, 8);
  DynamicWaveletMatrix matrix(5, {.seal_after = 150, .largest_merge = 0});
  for (std::size_t done = 0; done < text.size(); done += 50) {
    matrix.Append(std::span(text).subspan(done, 50));
  }
  const std::vector<std::byte> bytes = matrix.Serialize();
  std::unique_ptr<DynamicWaveletMatrix> loaded;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CHECK(!DynamicWaveletMatrix::Deserialize(std::span(bytes).first(length), {}, loaded).ok());
    CHECK(loaded == nullptr);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{0x41};
    const Status status = DynamicWaveletMatrix::Deserialize(damaged, {}, loaded);
    // A byte in a gap changes nothing; wherever it is accepted, queries must not crash.
    if (!status.ok()) continue;
    for (std::uint32_t at = 0; at < loaded->size(); ++at) {
      REQUIRE(loaded->Rank(loaded->Access(at), at) <= at);
    }
  }
}

}  // namespace
}  // namespace dentate::succinct
