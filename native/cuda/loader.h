// Opens the CUDA plugin (plugin.h), and calls it as C++ does: Status and owners.
//
// A plugin that was opened stays open until the process ends: the CUDA runtime inside registers
// what runs at exit, and a worker thread that ends must not take it from the others. So one path is
// opened once.
//
// Failures of the device become ErrorCode::kUnavailable, also where it was lost on the way: the
// caller's answer is the same, to run elsewhere.

#ifndef DENTATE_CUDA_LOADER_H_
#define DENTATE_CUDA_LOADER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "cuda/plugin.h"

namespace dentate::cuda {

// The table of the plugin at `path`. kUnavailable where there is none, or one of another build. Any
// thread.
Status LoadPlugin(const std::string& path, const DentateCudaApi*& api);

// The Status of a call's result.
Status ToStatus(std::int32_t code, const DentateCudaMessage& message);

// An engine of the plugin. All methods: any thread, and at once.
class Engine {
 public:
  static Status Open(const DentateCudaApi* api, const DentateCudaOptions& options,
                     std::shared_ptr<Engine>& engine);
  ~Engine() { api_->close(engine_); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  std::string Describe() const;
  DentateCudaUse Memory() const;

  // `offsets` has one element more than there are groups. `vectors` and `values` have the right
  // sizes.
  Status Subspaces(std::span<const float> rows, std::uint32_t dimensions,
                   std::span<const std::uint32_t> offsets, std::uint32_t rank,
                   const std::int32_t* cancel, std::span<float> vectors,
                   std::span<float> values) const;

  const DentateCudaApi* api() const noexcept { return api_; }
  DentateCudaEngine* get() const noexcept { return engine_; }

 private:
  Engine(const DentateCudaApi* api, DentateCudaEngine* engine) : api_(api), engine_(engine) {}

  const DentateCudaApi* const api_;
  DentateCudaEngine* const engine_;
};

// The matches of HammingWithin, in the plugin's memory.
class Matches {
 public:
  explicit Matches(const DentateCudaApi* api) : api_(api) {}
  ~Matches() {
    if (found.owner != nullptr) api_->free_matches(&found);
  }
  Matches(const Matches&) = delete;
  Matches& operator=(const Matches&) = delete;

  DentateCudaMatches found = {};

 private:
  const DentateCudaApi* const api_;
};

// Vectors or signatures on the device. Append: one thread at a time, before any search.
class Rows {
 public:
  static Status Create(std::shared_ptr<const Engine> engine, DentateCudaKind kind,
                       std::uint64_t count, std::uint32_t width, std::shared_ptr<Rows>& rows);
  ~Rows() { engine_->api()->free_rows(rows_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  DentateCudaKind kind() const noexcept { return kind_; }
  std::uint64_t count() const noexcept { return count_; }
  std::uint32_t width() const noexcept { return width_; }

  // REQUIRES: whole rows, of the kind's elements.
  Status Append(const void* data, std::uint64_t rows);

  Status CosineTopK(std::span<const float> queries, std::uint32_t k, const std::int32_t* cancel,
                    std::vector<std::uint32_t>& ids, std::vector<float>& scores) const;
  Status HammingTopK(std::span<const std::uint64_t> queries, std::uint32_t k,
                     const std::int32_t* cancel, std::vector<std::uint32_t>& ids,
                     std::vector<std::uint16_t>& distances) const;
  Status HammingWithin(std::span<const std::uint64_t> queries, std::uint32_t radius,
                       const std::int32_t* cancel, Matches& matches) const;
  Status Embed(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets,
               const std::int32_t* cancel, std::vector<float>& embedded) const;

  const std::shared_ptr<const Engine>& engine() const noexcept { return engine_; }

 private:
  Rows(std::shared_ptr<const Engine> engine, DentateCudaRows* rows, DentateCudaKind kind,
       std::uint64_t count, std::uint32_t width)
      : engine_(std::move(engine)), rows_(rows), kind_(kind), count_(count), width_(width) {}

  const std::shared_ptr<const Engine> engine_;
  DentateCudaRows* const rows_;
  const DentateCudaKind kind_;
  const std::uint64_t count_;
  const std::uint32_t width_;
};

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_LOADER_H_
