#include "storage/sha256.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "storage/sha256_kernels.h"

namespace dentate::storage {
namespace {

std::string Hash(std::string_view text) {
  Sha256 hash;
  hash.Update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return ToHex(hash.Finish());
}

}  // namespace

// Examples of the standard; the lengths below are by Python's hashlib.
TEST_CASE("the digests of the standard come out") {
  CHECK(Hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Hash(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the padding fits at each length around a block") {
  CHECK(Hash(std::string(55, 'x')) ==
        "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  CHECK(Hash(std::string(56, 'x')) ==
        "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  CHECK(Hash(std::string(57, 'x')) ==
        "ae14a2563ccf969d99aca69ce6bb74981f734bbf9f655f73b8f06db68cab5217");
  CHECK(Hash(std::string(63, 'x')) ==
        "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  CHECK(Hash(std::string(64, 'x')) ==
        "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  CHECK(Hash(std::string(65, 'x')) ==
        "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9");
  CHECK(Hash(std::string(119, 'x')) ==
        "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c");
  CHECK(Hash(std::string(120, 'x')) ==
        "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98");
  CHECK(Hash(std::string(128, 'x')) ==
        "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464");
}

TEST_CASE("pieces of any length give the digest of the whole") {
  std::string text;
  for (int i = 0; i < 300; ++i) text.push_back(static_cast<char>(i * 7));
  const std::string whole = Hash(text);
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    Sha256 hash;
    for (std::size_t start = 0; start < text.size(); start += piece) {
      const std::string_view part = std::string_view(text).substr(start, piece);
      hash.Update({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
      hash.Update({});
    }
    REQUIRE(ToHex(hash.Finish()) == whole);
  }
}

TEST_CASE("every kernel makes the same of any state and any blocks") {
  std::mt19937 random(7);
  std::vector<std::uint8_t> bytes(5 * sha256::kBlockBytes + 15);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  sha256::State start;
  for (auto& word : start) word = static_cast<std::uint32_t>(random());
  for (const auto& kernel : sha256::SupportedKernels()) {
    CAPTURE(kernel.name);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      for (std::size_t count = 0; count <= 5; ++count) {
        sha256::State state = start, expected = start;
        kernel.compress(state, bytes.data() + offset, count);
        sha256::CompressPortable(expected, bytes.data() + offset, count);
        REQUIRE(state == expected);
      }
    }
  }
}

TEST_CASE("the codes of RFC 4231 come out") {
  const auto code = [](const std::vector<std::uint8_t>& key, std::string_view text) {
    return ToHex(
        HmacSha256(key, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  };
  CHECK(code(std::vector<std::uint8_t>(20, 0x0b), "Hi There") ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(code({'J', 'e', 'f', 'e'}, "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(code(std::vector<std::uint8_t>(131, 0xaa),
             "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace dentate::storage
