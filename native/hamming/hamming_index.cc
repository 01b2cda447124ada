#include "hamming/hamming_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>
#include <string>

#include "hamming/kernels.h"
#include "hamming/nearest_search.h"
#include "hamming/parallel.h"
#include "hamming/range_search.h"

namespace dentate::hamming {
namespace {

static_assert(std::endian::native == std::endian::little, "the serialized form is copied as it is");

constexpr std::array<char, 4> kMagic = {'D', 'H', 'A', 'M'};
constexpr std::uint32_t kVersion = 1;

struct Header {
  std::array<char, 4> magic;
  std::uint32_t version;
  std::uint32_t words;
  std::uint32_t zero;
  std::uint64_t rows;
};
static_assert(sizeof(Header) == HammingIndex::kHeaderBytes, "the drawing in the header says 24");

Status Aborted() { return {ErrorCode::kAborted, "the operation was aborted"}; }

// Queries to scan for, and where their matches go.
struct Batch {
  std::vector<const std::uint64_t*> queries;
  std::vector<Matches*> matches;
};

}  // namespace

std::shared_ptr<const MultiIndex> HammingIndex::hashes() const {
  const std::lock_guard lock(hashes_mutex_);
  return hashes_;
}

Status HammingIndex::Within(std::span<const std::uint64_t> queries, std::uint32_t radius,
                            const SearchOptions& options, std::vector<Matches>& matches) const {
  const std::size_t words = columns_.words();
  const std::size_t rows = columns_.size();
  const std::shared_ptr<const MultiIndex> hashed = hashes();
  matches.assign(queries.size() / words, {});
  Batch whole;  // scanned from the first row
  Batch tail;   // scanned from the first row that isn't hashed
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (options.cancelled && options.cancelled()) return Aborted();
    const std::uint64_t* query = queries.data() + i * words;
    const bool found = hashed != nullptr && hashed->Search(query, radius, matches[i]);
    Batch& batch = found ? tail : whole;
    batch.queries.push_back(query);
    batch.matches.push_back(&matches[i]);
  }
  const ColumnsView view = columns_.View(rows);
  const auto scan = [&](const Batch& batch, std::size_t begin) {
    return batch.queries.empty() || begin == rows ||
           RangeSearchMany(view, batch.queries, radius, begin, rows, options, batch.matches);
  };
  if (!scan(whole, 0)) return Aborted();
  if (hashed != nullptr && !scan(tail, hashed->rows())) return Aborted();
  return Status::Ok();
}

Status HammingIndex::Nearest(std::span<const std::uint64_t> queries, std::size_t k,
                             const SearchOptions& options, std::vector<Matches>& matches) const {
  const std::size_t words = columns_.words();
  matches.assign(queries.size() / words, {});
  Batch batch;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    batch.queries.push_back(queries.data() + i * words);
    batch.matches.push_back(&matches[i]);
  }
  if (batch.queries.empty()) return Status::Ok();
  const ColumnsView view = columns_.View(columns_.size());
  const bool complete =
      NearestSearchMany(view, batch.queries, k, view.size(), options, batch.matches);
  return complete ? Status::Ok() : Aborted();
}

Status HammingIndex::Hash(const Cancelled& cancelled) {
  const std::size_t rows = columns_.size();
  std::shared_ptr<const MultiIndex> built;
  if (rows > 0) {
    built = MultiIndex::Build(columns_, rows, cancelled);
    if (built == nullptr) return Aborted();
  }
  const std::lock_guard lock(hashes_mutex_);
  hashes_ = std::move(built);
  return Status::Ok();
}

std::size_t HammingIndex::hashed_rows() const {
  const auto hashed = hashes();
  return hashed == nullptr ? 0 : hashed->rows();
}

std::size_t HammingIndex::SizeInBytes() const {
  const auto hashed = hashes();
  return sizeof(*this) - sizeof(columns_) + columns_.SizeInBytes() +
         (hashed == nullptr ? 0 : hashed->SizeInBytes());
}

std::uint64_t HammingIndex::Sum(unsigned threads) const {
  const std::size_t words = columns_.words();
  const std::size_t rows = columns_.size();
  std::atomic<std::uint64_t> total{0};
  const std::size_t parts = PartCount(rows * words * sizeof(std::uint64_t), threads);
  ForEachPart(0, rows, parts, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end;) {
      const auto run = columns_.RunAt(row, end);
      for (std::size_t w = 0; w < words; ++w) {
        total += ActiveKernels().sum(run.columns + w * run.stride, run.rows);
      }
      row += run.rows;
    }
  });
  return total;
}

void HammingIndex::SerializeTo(std::size_t rows, std::span<std::uint8_t> out) const {
  const std::size_t words = columns_.words();
  assert(out.size() == SerializedBytes(rows));
  const Header header{kMagic, kVersion, static_cast<std::uint32_t>(words), 0, rows};
  std::memcpy(out.data(), &header, sizeof(header));
  std::uint8_t* to = out.data() + sizeof(header);
  for (std::size_t row = 0; row < rows;) {
    const auto run = columns_.RunAt(row, rows);
    for (std::size_t i = 0; i < run.rows; ++i) {
      for (std::size_t w = 0; w < words; ++w, to += sizeof(std::uint64_t)) {
        std::memcpy(to, run.columns + w * run.stride + i, sizeof(std::uint64_t));
      }
    }
    row += run.rows;
  }
}

Status HammingIndex::Deserialize(std::span<const std::uint8_t> bytes,
                                 std::shared_ptr<HammingIndex>& index) {
  const auto corrupt = [](const char* what) {
    return Status(ErrorCode::kCorruption, std::string("not a serialized HammingIndex: ") + what);
  };
  Header header;
  if (bytes.size() < sizeof(header)) return corrupt("too short");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kMagic) return corrupt("no \"DHAM\" at the start");
  if (header.version != kVersion) {
    return {ErrorCode::kVersion, "the HammingIndex is of version " +
                                     std::to_string(header.version) +
                                     ", this build reads version " + std::to_string(kVersion)};
  }
  if (header.words == 0 || header.words > kMaxWords || header.zero != 0) {
    return corrupt("a bad header");
  }
  const std::size_t row_bytes = header.words * sizeof(std::uint64_t);
  const std::size_t body = bytes.size() - sizeof(header);
  if (header.rows > SignatureColumns::kMaxRows || header.rows * row_bytes != body) {
    return corrupt("its length is not that of its rows");
  }
  index = std::make_shared<HammingIndex>(header.words);
  // In pieces, through aligned memory: the bytes may start anywhere.
  constexpr std::size_t kPieceRows = 4096;
  std::vector<std::uint64_t> piece(kPieceRows * header.words);
  for (std::size_t row = 0; row < header.rows; row += kPieceRows) {
    const std::size_t rows = std::min<std::size_t>(kPieceRows, header.rows - row);
    std::memcpy(piece.data(), bytes.data() + sizeof(header) + row * row_bytes, rows * row_bytes);
    index->Append(std::span(piece).first(rows * header.words));
  }
  return Status::Ok();
}

}  // namespace dentate::hamming
