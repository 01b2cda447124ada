// The bytes of a dynamic wavelet matrix: its parts, sealed, one after another.
//
// Little-endian; every section starts at a multiple of 64 bytes, the gaps are zero:
//
//   header   64 bytes
//              offset  size  field
//                   0     8  magic "DENTATED"
//                   8     4  version, 1
//                  12     4  symbol bits, 1..32
//                  16     4  number of symbols
//                  20     4  number of parts p
//                  24     8  bytes in all
//                  32    32  zero
//   lengths  p x u64: bytes of each part
//   parts    p wavelet matrices (wavelet_format.h), none empty, in the order of the text
//
// Valid if and only if the magic, version and lengths agree with the number of bytes given, each
// part is a valid matrix of the same symbol bits, and their sizes add up.

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "succinct/dynamic_wavelet_matrix.h"
#include "succinct/epoch.h"

namespace dentate::succinct {
namespace {

struct Header {
  static constexpr std::array<char, 8> kMagic = {'D', 'E', 'N', 'T', 'A', 'T', 'E', 'D'};
  static constexpr std::uint32_t kVersion = 1;

  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t symbol_bits = 0;
  std::uint32_t size = 0;
  std::uint32_t part_count = 0;
  std::uint64_t byte_count = 0;
  std::array<std::uint64_t, 4> zero{};
};
static_assert(sizeof(Header) == 64, "the table above");
static_assert(offsetof(Header, byte_count) == 24, "the table above");
static_assert(std::is_trivially_copyable_v<Header>);

std::uint64_t Align(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

}  // namespace

WaveletMatrix DynamicWaveletMatrix::Freeze() const {
  std::vector<std::uint32_t> symbols(size());
  AccessRange(0, static_cast<std::uint32_t>(symbols.size()), symbols.data());
  return WaveletMatrix::Build(symbols, symbol_bits_);
}

std::vector<std::byte> DynamicWaveletMatrix::Serialize() const {
  std::vector<WaveletMatrix> parts;
  Header header;
  {
    const EpochGuard guard;
    for (const DynamicPart& part : parts_->view().parts) {
      const std::uint32_t part_size = part.size();
      header.size += part_size;
      if (part.sealed != nullptr) {
        parts.push_back(*part.sealed);  // shares the bytes
      } else if (part_size > 0) {
        std::vector<std::uint32_t> symbols(part_size);
        part.live->AccessRange(0, part_size, symbols.data());
        parts.push_back(WaveletMatrix::Build(symbols, symbol_bits_));
      }
    }
  }
  header.symbol_bits = symbol_bits_;
  header.part_count = static_cast<std::uint32_t>(parts.size());
  header.byte_count = sizeof header + Align(parts.size() * sizeof(std::uint64_t));
  for (const WaveletMatrix& part : parts) header.byte_count += Align(part.bytes().size());

  std::vector<std::byte> bytes(header.byte_count);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::uint64_t at = sizeof header + Align(parts.size() * sizeof(std::uint64_t));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint64_t length = parts[p].bytes().size();
    std::memcpy(bytes.data() + sizeof header + p * sizeof length, &length, sizeof length);
    std::memcpy(bytes.data() + at, parts[p].bytes().data(), length);
    at += Align(length);
  }
  return bytes;
}

Status DynamicWaveletMatrix::Deserialize(std::span<const std::byte> bytes,
                                         const DynamicOptions& options,
                                         std::unique_ptr<DynamicWaveletMatrix>& out) {
  out = nullptr;
  Header header;
  if (bytes.size() < sizeof header) return Corruption("too few bytes for a wavelet matrix");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != Header::kMagic) return Corruption("not a dynamic wavelet matrix");
  if (header.version != Header::kVersion) {
    return {ErrorCode::kVersion, "dynamic wavelet matrix is of an unknown version"};
  }
  const std::uint64_t table = Align(std::uint64_t{header.part_count} * sizeof(std::uint64_t));
  if (header.symbol_bits < 1 || header.symbol_bits > 32 || header.size > kMaxSize ||
      header.byte_count != bytes.size() || header.zero != decltype(header.zero){} ||
      table > bytes.size() - sizeof header) {
    return Corruption("dynamic wavelet matrix header holds an impossible value");
  }
  std::vector<DynamicPart> parts;
  std::uint64_t at = sizeof header + table;
  std::uint64_t size = 0;
  for (std::uint32_t p = 0; p < header.part_count; ++p) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + sizeof header + p * sizeof length, sizeof length);
    if (length > bytes.size() - at || Align(length) > bytes.size() - at) {
      return Corruption("dynamic wavelet matrix is shorter than its parts");
    }
    auto matrix = std::make_shared<WaveletMatrix>();
    if (Status status = WaveletMatrix::Deserialize(bytes.subspan(at, length), *matrix);
        !status.ok()) {
      return status;
    }
    if (matrix->symbol_bits() != header.symbol_bits || matrix->size() == 0) {
      return Corruption("dynamic wavelet matrix has a part of another kind");
    }
    DynamicPart part;
    part.start = static_cast<std::uint32_t>(size);
    part.sealed = std::move(matrix);
    size += part.sealed->size();
    if (size > header.size) break;
    parts.push_back(std::move(part));
    at += Align(length);
  }
  if (size != header.size || at != bytes.size()) {
    return Corruption("dynamic wavelet matrix has more or less in it than its header says");
  }
  out.reset(new DynamicWaveletMatrix(header.symbol_bits, options, std::move(parts)));
  return Status::Ok();
}

}  // namespace dentate::succinct
