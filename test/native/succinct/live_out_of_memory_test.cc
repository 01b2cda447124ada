#include <doctest/doctest.h>

#include <algorithm>
#include <new>
#include <vector>

#include "succinct/epoch.h"
#include "succinct/live_wavelet_tree.h"
#include "succinct/sequences.h"

namespace dentate::succinct {
namespace {

using test::MakeSequence;
using test::Sequence;

// The only guard of the code that takes back a path half written.
TEST_CASE("an append that runs out of memory changes nothing, and the next one succeeds") {
  for (const unsigned bits : {2U, 9U, 18U, 32U}) {
    for (const Sequence kind : {Sequence::kUniform, Sequence::kSkewed, Sequence::kConstant}) {
      CAPTURE(bits);
      CAPTURE(static_cast<int>(kind));
      const auto text = MakeSequence(kind, bits, 60000, bits);
      LiveWaveletTree tree(bits);
      std::size_t failures = 0;
      for (std::size_t done = 0; done < text.size();) {
        const auto count = std::min<std::size_t>(997, text.size() - done);
        const auto symbols = std::span(text).subspan(done, count);
        tree.LimitBytes(tree.SizeInBytes() - sizeof tree);
        try {
          tree.Append(symbols);
        } catch (const std::bad_alloc&) {
          ++failures;
          REQUIRE(tree.size() == done);
          tree.LimitBytes(SIZE_MAX);
          tree.Append(symbols);
        }
        done += count;
        REQUIRE(tree.size() == done);
      }
      CHECK(failures > 3);
      const EpochGuard guard;
      std::vector<std::uint32_t> out(text.size());
      tree.AccessRange(0, tree.size(), out.data());
      CHECK(out == text);
      for (std::uint32_t i = 0; i < text.size(); i += 101) {
        const std::uint32_t rank = tree.Rank(text[i], i);
        REQUIRE(rank == std::count(text.begin(), text.begin() + i, text[i]));
        REQUIRE(tree.Select(text[i], rank) == i);
      }
    }
  }
}

}  // namespace
}  // namespace dentate::succinct
