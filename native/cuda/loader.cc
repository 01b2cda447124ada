#include "cuda/loader.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/library.h"

namespace dentate::cuda {
namespace {

Status Open(const std::string& path, const DentateCudaApi*& api) {
  std::string error;
  const Library library = Library::Open(path, error);
  if (!library.valid()) {
    return {ErrorCode::kUnavailable, "the CUDA plugin could not be loaded: " + error};
  }
  const Library::Function symbol = library.Find(DENTATE_CUDA_SYMBOL);
  if (symbol == nullptr) {
    return {ErrorCode::kUnavailable,
            "'" + path + "' is no CUDA plugin: it has no '" + DENTATE_CUDA_SYMBOL + "'"};
  }
  const DentateCudaApi* const found = reinterpret_cast<DentateCudaApiFunction>(symbol)();
  if (found->abi_version != DENTATE_CUDA_ABI_VERSION ||
      found->struct_bytes != sizeof(DentateCudaApi)) {
    return {ErrorCode::kUnavailable, "the CUDA plugin '" + path +
                                         "' is of another build: its interface is version " +
                                         std::to_string(found->abi_version) + ", this addon's is " +
                                         std::to_string(DENTATE_CUDA_ABI_VERSION)};
  }
  api = found;
  return Status::Ok();
}

std::uint32_t Groups(std::span<const std::uint32_t> offsets) {
  return static_cast<std::uint32_t>(offsets.size() - 1);
}

}  // namespace

Status LoadPlugin(const std::string& path, const DentateCudaApi*& api) {
  // Never destroyed: a thread may still ask while the process ends.
  static auto* const mutex = new std::mutex();
  static auto* const opened = new std::map<std::string, const DentateCudaApi*>();
  const std::lock_guard lock(*mutex);
  const auto found = opened->find(path);
  if (found != opened->end()) {
    api = found->second;
    return Status::Ok();
  }
  Status status = Open(path, api);
  if (status.ok()) opened->emplace(path, api);
  return status;
}

Status ToStatus(std::int32_t code, const DentateCudaMessage& message) {
  const char* const end = std::find(std::begin(message.text), std::end(message.text), '\0');
  std::string text(static_cast<const char*>(message.text), end);
  switch (code) {
    case kDentateCudaOk:
      return Status::Ok();
    case kDentateCudaUnavailable:
    case kDentateCudaDeviceLost:
      return {ErrorCode::kUnavailable, std::move(text)};
    case kDentateCudaOutOfMemory:
      return {ErrorCode::kOutOfMemory, std::move(text)};
    case kDentateCudaCancelled:
      return {ErrorCode::kAborted, std::move(text)};
    default:
      return {ErrorCode::kInternal, std::move(text)};
  }
}

Status Engine::Open(const DentateCudaApi* api, const DentateCudaOptions& options,
                    std::shared_ptr<Engine>& engine) {
  DentateCudaMessage message = {};
  DentateCudaEngine* opened = nullptr;
  Status status = ToStatus(api->open(&options, &opened, &message), message);
  if (status.ok()) engine = std::shared_ptr<Engine>(new Engine(api, opened));
  return status;
}

std::string Engine::Describe() const {
  DentateCudaMessage message = {};
  api_->describe(engine_, &message);
  return static_cast<const char*>(message.text);
}

DentateCudaUse Engine::Memory() const {
  DentateCudaUse use = {};
  api_->memory(engine_, &use);
  return use;
}

Status Engine::Subspaces(std::span<const float> rows, std::uint32_t dimensions,
                         std::span<const std::uint32_t> offsets, std::uint32_t rank,
                         const std::int32_t* cancel, std::span<float> vectors,
                         std::span<float> values) const {
  DentateCudaMessage message = {};
  return ToStatus(api_->subspaces(engine_, rows.data(), dimensions, offsets.data(), Groups(offsets),
                                  rank, cancel, vectors.data(), values.data(), &message),
                  message);
}

Status Rows::Create(std::shared_ptr<const Engine> engine, DentateCudaKind kind, std::uint64_t count,
                    std::uint32_t width, std::shared_ptr<Rows>& rows) {
  DentateCudaMessage message = {};
  DentateCudaRows* created = nullptr;
  Status status = ToStatus(
      engine->api()->create_rows(engine->get(), kind, count, width, &created, &message), message);
  if (status.ok()) {
    rows = std::shared_ptr<Rows>(new Rows(std::move(engine), created, kind, count, width));
  }
  return status;
}

Status Rows::Append(const void* data, std::uint64_t rows) {
  DentateCudaMessage message = {};
  return ToStatus(engine_->api()->append_rows(rows_, data, rows, &message), message);
}

Status Rows::CosineTopK(std::span<const float> queries, std::uint32_t k, const std::int32_t* cancel,
                        std::vector<std::uint32_t>& ids, std::vector<float>& scores) const {
  const auto query_count = static_cast<std::uint32_t>(queries.size() / width_);
  ids.resize(std::size_t{query_count} * k);
  scores.resize(ids.size());
  DentateCudaMessage message = {};
  return ToStatus(engine_->api()->cosine_top_k(rows_, queries.data(), query_count, k, cancel,
                                               ids.data(), scores.data(), &message),
                  message);
}

Status Rows::HammingTopK(std::span<const std::uint64_t> queries, std::uint32_t k,
                         const std::int32_t* cancel, std::vector<std::uint32_t>& ids,
                         std::vector<std::uint16_t>& distances) const {
  const auto query_count = static_cast<std::uint32_t>(queries.size() / width_);
  ids.resize(std::size_t{query_count} * k);
  distances.resize(ids.size());
  DentateCudaMessage message = {};
  return ToStatus(engine_->api()->hamming_top_k(rows_, queries.data(), query_count, k, cancel,
                                                ids.data(), distances.data(), &message),
                  message);
}

Status Rows::HammingWithin(std::span<const std::uint64_t> queries, std::uint32_t radius,
                           const std::int32_t* cancel, Matches& matches) const {
  const auto query_count = static_cast<std::uint32_t>(queries.size() / width_);
  DentateCudaMessage message = {};
  return ToStatus(engine_->api()->hamming_within(rows_, queries.data(), query_count, radius, cancel,
                                                 &matches.found, &message),
                  message);
}

Status Rows::Embed(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets,
                   const std::int32_t* cancel, std::vector<float>& embedded) const {
  embedded.resize(std::size_t{Groups(offsets)} * width_);
  DentateCudaMessage message = {};
  return ToStatus(engine_->api()->embed(rows_, ids.data(), offsets.data(), Groups(offsets), cancel,
                                        embedded.data(), &message),
                  message);
}

}  // namespace dentate::cuda
