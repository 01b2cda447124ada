#include "cuda/plugin_api.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "cuda/device_engine.h"
#include "cuda/rows.h"
#include "cuda/searches.h"

struct DentateCudaEngine {
  std::shared_ptr<dentate::cuda::DeviceEngine> engine;
};

struct DentateCudaRows {
  dentate::cuda::DeviceRows rows;
};

namespace dentate::cuda {
namespace {

OpenDevice open_device_function = nullptr;

void Say(const char* text, DentateCudaMessage* message) {
  if (message == nullptr) return;
  const std::size_t length = std::min(std::strlen(text), sizeof message->text - 1);
  std::memcpy(message->text, text, length);
  message->text[length] = '\0';
}

std::int32_t CodeOf(const Status& status) {
  switch (status.code()) {
    case ErrorCode::kOk:
      return kDentateCudaOk;
    case ErrorCode::kUnavailable:
      return status.message().find("is lost") == std::string::npos ? kDentateCudaUnavailable
                                                                   : kDentateCudaDeviceLost;
    case ErrorCode::kOutOfMemory:
      return kDentateCudaOutOfMemory;
    case ErrorCode::kAborted:
      return kDentateCudaCancelled;
    default:
      return kDentateCudaInternal;
  }
}

// Runs what returns a Status; nothing is thrown across the C interface.
template <class Call>
std::int32_t Guarded(DentateCudaMessage* message, Call&& call) {
  try {
    const Status status = call();
    Say(status.message().c_str(), message);
    return CodeOf(status);
  } catch (const std::bad_alloc&) {
    Say("not enough memory", message);
    return kDentateCudaOutOfMemory;
  } catch (const std::exception& error) {
    Say(error.what(), message);
    return kDentateCudaInternal;
  }
}

std::int32_t Invalid(const char* text, DentateCudaMessage* message) {
  Say(text, message);
  return kDentateCudaInvalid;
}

std::int32_t Open(const DentateCudaOptions* options, DentateCudaEngine** engine,
                  DentateCudaMessage* message) {
  if (options->precision < kDentateCudaFp16 || options->precision > kDentateCudaInt8) {
    return Invalid("no such precision", message);
  }
  return Guarded(message, [&] {
    std::unique_ptr<Device> device;
    Status status = open_device_function(options->device, device);
    if (status.ok()) {
      *engine = new DentateCudaEngine{std::make_shared<DeviceEngine>(
          std::move(device), static_cast<Precision>(options->precision), options->memory_cap)};
    }
    return status;
  });
}

void Close(DentateCudaEngine* engine) { delete engine; }

void Describe(DentateCudaEngine* engine, DentateCudaMessage* message) {
  Say(engine->engine->limits().name.c_str(), message);
}

void Memory(DentateCudaEngine* engine, DentateCudaUse* use) {
  const MemoryPool& pool = engine->engine->memory();
  *use = {pool.held(), pool.cached(), pool.cap()};
}

std::int32_t CreateRows(DentateCudaEngine* engine, std::int32_t kind, std::uint64_t count,
                        std::uint32_t width, DentateCudaRows** rows, DentateCudaMessage* message) {
  const bool is_known = kind == kDentateCudaVectors || kind == kDentateCudaSignatures;
  if (!is_known || count > UINT32_MAX - 1 || width == 0 || width > (1U << 24)) {
    return Invalid("no such rows", message);
  }
  return Guarded(message, [&] {
    *rows = new DentateCudaRows{
        DeviceRows(engine->engine, static_cast<DentateCudaKind>(kind), count, width)};
    return Status::Ok();
  });
}

std::int32_t AppendRows(DentateCudaRows* rows, const void* data, std::uint64_t count,
                        DentateCudaMessage* message) {
  return Guarded(message, [&] { return rows->rows.Append(data, count); });
}

void FreeRows(DentateCudaRows* rows) { delete rows; }

// Whether an operation on such rows may begin.
bool IsReady(const DentateCudaRows* rows, DentateCudaKind kind) {
  return rows->rows.kind() == kind && rows->rows.is_whole();
}

std::int32_t CosineTopKCall(DentateCudaRows* rows, const float* queries, std::uint32_t query_count,
                            std::uint32_t k, const std::int32_t* cancel, std::uint32_t* ids,
                            float* scores, DentateCudaMessage* message) {
  if (!IsReady(rows, kDentateCudaVectors) || k > rows->rows.count()) {
    return Invalid("not all vectors are there", message);
  }
  return Guarded(message, [&] {
    return CosineTopK(rows->rows, {queries, std::size_t{query_count} * rows->rows.width()}, k,
                      cancel, ids, scores);
  });
}

std::int32_t HammingTopKCall(DentateCudaRows* rows, const std::uint64_t* queries,
                             std::uint32_t query_count, std::uint32_t k, const std::int32_t* cancel,
                             std::uint32_t* ids, std::uint16_t* distances,
                             DentateCudaMessage* message) {
  if (!IsReady(rows, kDentateCudaSignatures) || k > rows->rows.count()) {
    return Invalid("not all signatures are there", message);
  }
  return Guarded(message, [&] {
    return HammingTopK(rows->rows, {queries, std::size_t{query_count} * rows->rows.width()}, k,
                       cancel, ids, distances);
  });
}

std::int32_t HammingWithinCall(DentateCudaRows* rows, const std::uint64_t* queries,
                               std::uint32_t query_count, std::uint32_t radius,
                               const std::int32_t* cancel, DentateCudaMatches* matches,
                               DentateCudaMessage* message) {
  if (!IsReady(rows, kDentateCudaSignatures)) {
    return Invalid("not all signatures are there", message);
  }
  return Guarded(message, [&] {
    auto found = std::make_unique<BallMatches>();
    Status status =
        HammingWithin(rows->rows, {queries, std::size_t{query_count} * rows->rows.width()}, radius,
                      cancel, *found);
    if (status.ok()) {
      matches->offsets = found->offsets.data();
      matches->ids = found->ids.data();
      matches->distances = found->distances.data();
      matches->owner = found.release();
    }
    return status;
  });
}

void FreeMatches(DentateCudaMatches* matches) {
  delete static_cast<BallMatches*>(matches->owner);
  *matches = {};
}

std::int32_t SubspacesCall(DentateCudaEngine* engine, const float* rows, std::uint32_t dimensions,
                           const std::uint32_t* offsets, std::uint32_t group_count,
                           std::uint32_t rank, const std::int32_t* cancel, float* vectors,
                           float* values, DentateCudaMessage* message) {
  if (dimensions == 0 || rank == 0) return Invalid("no dimensions, or no rank", message);
  return Guarded(message, [&] {
    return Subspaces(*engine->engine, rows, dimensions, {offsets, std::size_t{group_count} + 1},
                     rank, cancel, vectors, values);
  });
}

std::int32_t EmbedCall(DentateCudaRows* table, const std::uint32_t* ids,
                       const std::uint32_t* offsets, std::uint32_t group_count,
                       const std::int32_t* cancel, float* embedded, DentateCudaMessage* message) {
  if (!IsReady(table, kDentateCudaVectors)) return Invalid("not all vectors are there", message);
  return Guarded(message, [&] {
    return Embed(table->rows, {ids, offsets[group_count]}, {offsets, std::size_t{group_count} + 1},
                 cancel, embedded);
  });
}

constexpr DentateCudaApi kApi = {
    DENTATE_CUDA_ABI_VERSION,
    sizeof(DentateCudaApi),
    Open,
    Close,
    Describe,
    Memory,
    CreateRows,
    AppendRows,
    FreeRows,
    CosineTopKCall,
    HammingTopKCall,
    HammingWithinCall,
    FreeMatches,
    SubspacesCall,
    EmbedCall,
};

}  // namespace

const DentateCudaApi* PluginApi(OpenDevice open_device) {
  open_device_function = open_device;
  return &kApi;
}

}  // namespace dentate::cuda
