#include "storage/aes_gcm.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "storage/sha256.h"

namespace dentate::storage {
namespace {

std::vector<std::uint8_t> FromHexText(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

struct Sealed {
  std::vector<std::uint8_t> cipher_text;
  std::array<std::uint8_t, AesGcm::kTagBytes> tag{};
};

SecretKey Key(std::string_view hex) {
  const auto bytes = FromHexText(hex);
  return SecretKey(std::span<const std::uint8_t, SecretKey::kBytes>(bytes.data(), bytes.size()));
}

AesGcm::Nonce Nonce(std::string_view hex) {
  AesGcm::Nonce nonce{};
  const auto bytes = FromHexText(hex);
  std::copy(bytes.begin(), bytes.end(), nonce.begin());
  return nonce;
}

Sealed Seal(AesGcm& cipher, const AesGcm::Nonce& nonce, Bytes additional, Bytes text) {
  Sealed sealed{std::vector<std::uint8_t>(text.size()), {}};
  REQUIRE(cipher.Seal(nonce, additional, text, sealed.cipher_text, sealed.tag).ok());
  return sealed;
}

}  // namespace

// Test cases 13 to 16 of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)".
TEST_CASE("the examples of the mode's authors come out") {
  std::unique_ptr<AesGcm> cipher;
  REQUIRE(AesGcm::Create(Key(std::string(64, '0')), cipher).ok());
  const AesGcm::Nonce zero{};
  CHECK(ToHex(Seal(*cipher, zero, {}, {}).tag) == "530f8afbc74536b9a963b4f1c4cb738b");
  Sealed sealed = Seal(*cipher, zero, {}, std::vector<std::uint8_t>(16));
  CHECK(ToHex(sealed.cipher_text) == "cea7403d4d606b6e074ec5d3baf39d18");
  CHECK(ToHex(sealed.tag) == "d0d1c8a799996bf0265b98b5d48ab919");

  REQUIRE(AesGcm::Create(Key("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
                         cipher)
              .ok());
  const AesGcm::Nonce nonce = Nonce("cafebabefacedbaddecaf888");
  const auto text = FromHexText(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6"
      "b5"
      "25b16aedf5aa0de657ba637b39");
  const auto additional = FromHexText("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  sealed = Seal(*cipher, nonce, additional, text);
  CHECK(ToHex(sealed.cipher_text) ==
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056"
        "828838"
        "c5f61e6393ba7a0abcc9f662");
  CHECK(ToHex(sealed.tag) == "76fc6ece0f4e1768cddf8853bb2d551b");
}

TEST_CASE("what was sealed opens again, in place too, and nothing else does") {
  std::unique_ptr<AesGcm> cipher;
  const SecretKey key = Key(std::string(64, '7'));
  REQUIRE(AesGcm::Create(key, cipher).ok());
  for (const std::size_t size : {0, 1, 15, 16, 17, 1000}) {
    const std::vector<std::uint8_t> text(size, 0x5a);
    const std::vector<std::uint8_t> additional{1, 2, 3};
    AesGcm::Nonce nonce{9};
    Sealed sealed = Seal(*cipher, nonce, additional, text);
    std::vector<std::uint8_t> opened(size);
    CHECK(cipher->Open(nonce, additional, sealed.cipher_text, sealed.tag, opened));
    CHECK(opened == text);

    CHECK(!cipher->Open({8}, additional, sealed.cipher_text, sealed.tag, opened));
    CHECK(!cipher->Open(nonce, {}, sealed.cipher_text, sealed.tag, opened));
    sealed.tag[15] ^= 1;
    CHECK(!cipher->Open(nonce, additional, sealed.cipher_text, sealed.tag, opened));
    sealed.tag[15] ^= 1;
    if (size > 0) {
      sealed.cipher_text[size / 2] ^= 0x80;
      CHECK(!cipher->Open(nonce, additional, sealed.cipher_text, sealed.tag, opened));
      sealed.cipher_text[size / 2] ^= 0x80;
    }
    std::unique_ptr<AesGcm> other;
    REQUIRE(AesGcm::Create(Key(std::string(64, '8')), other).ok());
    CHECK(!other->Open(nonce, additional, sealed.cipher_text, sealed.tag, opened));
    CHECK(cipher->Open(nonce, additional, sealed.cipher_text, sealed.tag, sealed.cipher_text));
    CHECK(sealed.cipher_text == text);
  }
}

TEST_CASE("keys for different purposes differ, and follow from key, label and salt") {
  const SecretKey key = Key(std::string(64, '1'));
  const std::vector<std::uint8_t> salt{1, 2, 3};
  const auto hex = [](const SecretKey& derived) { return ToHex(derived.bytes()); };
  CHECK(hex(key.Derive("one", salt)) == hex(key.Derive("one", salt)));
  CHECK(hex(key.Derive("one", salt)) != hex(key.Derive("two", salt)));
  CHECK(hex(key.Derive("one", salt)) != hex(key.Derive("one", {})));
  CHECK(hex(key.Derive("one", salt)) != hex(Key(std::string(64, '2')).Derive("one", salt)));
}

}  // namespace dentate::storage
