#include "signatures/random_indexing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "signatures/hash.h"

namespace dentate::signatures {
namespace {

TEST_CASE("the literal rule takes the largest components in descending order") {
  // Twelve components matter of 64; worked by hand:
  //   |e| descending, ties by index:  2(-5) 9(4) 0(3) 7(-3) 1(2) 3(-1) 5(1) 8(1) ..., zeros last.
  std::vector<std::int32_t> e(64);
  e[0] = 3;
  e[1] = 2;
  e[2] = -5;
  e[3] = -1;
  e[5] = 1;
  e[7] = -3;
  e[8] = 1;
  e[9] = 4;
  std::vector<std::uint32_t> order;
  std::uint64_t signature = 0;
  LiteralSignature(e, 64, order, &signature);
  const std::vector<std::uint32_t> first(order.begin(), order.begin() + 10);
  CHECK(first == std::vector<std::uint32_t>{2, 9, 0, 7, 1, 3, 5, 8, 4, 6});
  CHECK(signature == 0b11010110);
}

TEST_CASE("an index vector has half its non-zeros up and half down, and is the word's own") {
  RandomIndexingOptions options;
  options.non_zeros = 10;
  const RandomIndexingEncoder encoder(options);
  for (std::uint64_t stem = 1; stem < 200; ++stem) {
    std::vector<std::int32_t> e(options.index_dimensions);
    encoder.AddIndexVector(stem, 1, e);
    CHECK(std::count(e.begin(), e.end(), 1) == 5);
    CHECK(std::count(e.begin(), e.end(), -1) == 5);
    encoder.AddIndexVector(stem, -1, e);
    CHECK(std::count(e.begin(), e.end(), 0) == 1024);
  }
}

TEST_CASE("no words are encoded as nothing") {
  for (const bool literal : {false, true}) {
    RandomIndexingOptions options;
    options.literal = literal;
    options.window = 2;
    RandomIndexingEncoder encoder(options);
    EncodedText encoded;
    encoder.Encode({}, encoded);
    CHECK(encoded.stems.empty());
    CHECK(encoded.signatures.empty());
  }
}

TEST_CASE("the literal encoder is the literal rule over the window's sum") {
  RandomIndexingOptions options;
  options.bits = 64;
  options.index_dimensions = 256;
  options.window = 1;
  options.literal = true;
  RandomIndexingEncoder encoder(options);
  const std::vector<ListedWord> words = {
      {"red", "red", 0}, {"garden", "garden", 1}, {"gate", "gate", 2}, {"red", "red", 3}};
  EncodedText encoded;
  encoder.Encode(words, encoded);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::vector<std::int32_t> e(256);
    for (std::size_t j = i == 0 ? 0 : i - 1; j < std::min(words.size(), i + 2); ++j) {
      encoder.AddIndexVector(HashText(words[j].stem), 1, e);
    }
    std::vector<std::uint32_t> order;
    std::uint64_t expected = 0;
    LiteralSignature(e, 64, order, &expected);
    CHECK(encoded.signatures[i] == expected);
    CHECK(encoded.stems[i] == HashText(words[i].stem));
  }
}

TEST_CASE("the sliding sum equals the sum of each window") {
  RandomIndexingOptions options;
  options.window = 3;
  RandomIndexingEncoder encoder(options);
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_back(std::to_string(i * i % 11));
  std::vector<ListedWord> words;
  for (const auto& text : texts) words.push_back({text, text, 0});
  EncodedText encoded;
  encoder.Encode(words, encoded);
  const SignProjection projection(options.index_dimensions, options.bits);
  std::vector<std::int32_t> scratch;
  std::vector<std::int32_t> turned(options.bits);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::vector<std::int32_t> e(options.index_dimensions);
    for (std::size_t j = i < 3 ? 0 : i - 3; j < std::min(words.size(), i + 4); ++j) {
      encoder.AddIndexVector(HashText(words[j].stem), 1, e);
    }
    projection.Turn(e, scratch, turned.data());
    std::uint64_t expected[2];
    SignProjection::Signs(turned, expected);
    CHECK(encoded.signatures[2 * i] == expected[0]);
    CHECK(encoded.signatures[2 * i + 1] == expected[1]);
  }
}

}  // namespace
}  // namespace dentate::signatures
