#include "cuda/loader.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace dentate::cuda {
namespace {

const std::string plugins = DENTATE_CUDA_PLUGINS;

std::shared_ptr<Engine> OpenEmulated() {
  const DentateCudaApi* api = nullptr;
  const Status loaded = LoadPlugin(plugins + "/dentate_cuda_emulated.so", api);
  REQUIRE_MESSAGE(loaded.ok(), loaded.message());
  std::shared_ptr<Engine> engine;
  REQUIRE(Engine::Open(api, {0, kDentateCudaFp16, 0}, engine).ok());
  return engine;
}

TEST_CASE("no plugin, no library, and one of another version are unavailable") {
  const DentateCudaApi* api = nullptr;
  const Status absent = LoadPlugin(plugins + "/no_such_plugin.so", api);
  CHECK(absent.code() == ErrorCode::kUnavailable);
  CHECK(absent.message().find("no_such_plugin.so") != std::string::npos);
  const Status stale = LoadPlugin(plugins + "/dentate_cuda_stale.so", api);
  CHECK(stale.code() == ErrorCode::kUnavailable);
  CHECK(stale.message().find("its interface is version 2, this addon's is 1") != std::string::npos);
  CHECK(api == nullptr);
}

TEST_CASE("a device that is not there is unavailable") {
  const DentateCudaApi* api = nullptr;
  REQUIRE(LoadPlugin(plugins + "/dentate_cuda_emulated.so", api).ok());
  std::shared_ptr<Engine> engine;
  const Status status = Engine::Open(api, {7, kDentateCudaFp16, 0}, engine);
  CHECK(status.code() == ErrorCode::kUnavailable);
  CHECK(status.message().find("no CUDA device") == 0);
  CHECK(Engine::Open(api, {0, 9, 0}, engine).code() == ErrorCode::kInternal);
}

TEST_CASE("all operations, by the C interface, from several threads") {
  const auto engine = OpenEmulated();
  CHECK(engine->Describe() == "emulated device");
  std::shared_ptr<Rows> vectors;
  REQUIRE(Rows::Create(engine, kDentateCudaVectors, 3, 4, vectors).ok());
  const std::vector<float> rows = {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0};
  std::vector<std::uint32_t> early(1);
  std::vector<float> early_scores(1);
  CHECK(vectors->CosineTopK(rows, 1, nullptr, early, early_scores).code() == ErrorCode::kInternal);
  REQUIRE(vectors->Append(rows.data(), 2).ok());
  REQUIRE(vectors->Append(rows.data() + 8, 1).ok());
  CHECK(vectors->Append(rows.data(), 1).code() == ErrorCode::kInternal);
  CHECK(engine->Memory().held > 0);

  std::shared_ptr<Rows> signatures;
  REQUIRE(Rows::Create(engine, kDentateCudaSignatures, 3, 1, signatures).ok());
  const std::vector<std::uint64_t> words = {0, 1, 7};
  REQUIRE(signatures->Append(words.data(), 3).ok());

  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      std::vector<std::uint32_t> ids;
      std::vector<float> scores;
      const std::vector<float> query = {2, 1, 0, 0};
      CHECK(vectors->CosineTopK(query, 2, nullptr, ids, scores).ok());
      CHECK(ids == std::vector<std::uint32_t>{2, 0});

      std::vector<std::uint16_t> distances;
      const std::vector<std::uint64_t> signature = {3};
      CHECK(signatures->HammingTopK(signature, 2, nullptr, ids, distances).ok());
      CHECK(ids == std::vector<std::uint32_t>{1, 2});
      CHECK(distances == std::vector<std::uint16_t>{1, 1});
      Matches matches(engine->api());
      CHECK(signatures->HammingWithin(signature, 1, nullptr, matches).ok());
      CHECK(matches.found.offsets[1] == 2);
      CHECK(matches.found.ids[1] == 2);

      const std::vector<std::uint32_t> offsets = {0, 3};
      std::vector<float> first(4);
      std::vector<float> value(1);
      CHECK(engine->Subspaces(rows, 4, offsets, 1, nullptr, first, value).ok());
      CHECK(first[0] == doctest::Approx(0.70710678));
      CHECK(value[0] == doctest::Approx(1.7320508));
      std::vector<float> embedded;
      const std::vector<std::uint32_t> both = {0, 0, 1};
      CHECK(vectors->Embed(both, offsets, nullptr, embedded).ok());
      CHECK(embedded[0] == doctest::Approx(0.89442719));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("rows may outlive who opened their engine") {
  std::shared_ptr<Rows> rows;
  REQUIRE(Rows::Create(OpenEmulated(), kDentateCudaVectors, 1, 2, rows).ok());
  const std::vector<float> data = {3, 4};
  REQUIRE(rows->Append(data.data(), 1).ok());
  std::vector<std::uint32_t> ids;
  std::vector<float> scores;
  REQUIRE(rows->CosineTopK(data, 1, nullptr, ids, scores).ok());
  CHECK(scores[0] == 1);
  const std::int32_t cancel = 1;
  CHECK(rows->CosineTopK(data, 1, &cancel, ids, scores).code() == ErrorCode::kAborted);
}

}  // namespace
}  // namespace dentate::cuda
