#include "signatures/distilled_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "signatures/hash.h"
#include "signatures/sign_projection.h"
#include "vectors/dot.h"

namespace dentate::signatures {
namespace {

constexpr std::string_view kMagic = "DNTWORD1";
constexpr std::string_view kContinues = "##";
constexpr std::uint32_t kMaxRows = 1U << 24;
constexpr std::uint32_t kMaxScale = kUnit * 256 / 128;  // int8 reaches -128

std::uint32_t Load16(const std::uint8_t* at) {
  return at[0] | static_cast<std::uint32_t>(at[1]) << 8;
}
std::uint32_t Load32(const std::uint8_t* at) { return Load16(at) | Load16(at + 2) << 16; }

// A random byte deviates from 0 by sqrt((256 * 256 - 1) / 12) = 73.9.
constexpr std::uint32_t kByteDeviation = 74;

using DrawnRow = std::array<std::int8_t, DistilledTable::kMaxDimensions>;

void Draw(std::uint64_t stem, std::size_t dimensions, DrawnRow& row) {
  SplitMix64 random(stem);
  for (std::size_t k = 0; k < dimensions; k += 8) {
    std::uint64_t bytes = random.Next();
    for (std::size_t i = k; i < k + 8; ++i, bytes >>= 8) row[i] = static_cast<std::int8_t>(bytes);
  }
}
static_assert(DistilledTable::kMaxDimensions % 8 == 0, "a row is drawn by eights");

Status Damaged(const char* what) {
  return {ErrorCode::kCorruption, std::string("the table of word vectors is damaged: ") + what};
}

}  // namespace

Status DistilledTable::FromBytes(std::span<const std::uint8_t> bytes,
                                 std::shared_ptr<const DistilledTable>& table) {
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return Damaged("no header");
  }
  const std::uint64_t rows = Load32(bytes.data() + 8);
  const std::uint64_t dimensions = Load32(bytes.data() + 12);
  const std::uint64_t text_bytes = Load32(bytes.data() + 16);
  if (rows == 0 || rows > kMaxRows || dimensions == 0 || dimensions > kMaxDimensions) {
    return Damaged("impossible size");
  }
  const std::uint64_t texts = kHeaderBytes + rows * 5;
  const std::uint64_t vectors = (texts + text_bytes + 63) / 64 * 64;
  if (vectors + rows * dimensions != bytes.size()) return Damaged("wrong length");

  std::shared_ptr<DistilledTable> made(new DistilledTable());
  made->bytes_.assign(bytes.begin(), bytes.end());
  made->rows_ = rows;
  made->dimensions_ = dimensions;
  const auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(dimensions)));
  made->drawn_scale_ = std::min(kMaxScale, kUnit * 256 / (kByteDeviation * root));
  const std::uint8_t* base = made->bytes_.data();
  made->scales_ = base + kHeaderBytes;
  made->weights_ = made->scales_ + 2 * rows;
  const std::uint8_t* lengths = made->weights_ + 2 * rows;
  made->vectors_ = reinterpret_cast<const std::int8_t*>(base + vectors);

  made->text_offsets_.reserve(rows + 1);
  std::uint64_t at = texts;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (Load16(made->weights_ + 2 * row) > kMaxWeight) return Damaged("impossible weight");
    if (Load16(made->scales_ + 2 * row) > kMaxScale) return Damaged("impossible scale");
    made->text_offsets_.push_back(static_cast<std::uint32_t>(at));
    at += lengths[row];
  }
  if (at != texts + text_bytes) return Damaged("texts do not add up");
  made->text_offsets_.push_back(static_cast<std::uint32_t>(at));

  made->slots_.assign(std::bit_ceil(2 * rows), kNone);
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::string_view text = made->TextOf(row);
    const bool continues = text.starts_with(kContinues);
    if (continues) text.remove_prefix(kContinues.size());
    if (text.empty() || text.size() > kMaxPieceBytes) return Damaged("impossible piece");
    made->longest_ = std::max(made->longest_, text.size());
    std::uint32_t& slot = made->slots_[made->SlotOf(text, continues)];
    if (slot != kNone) return Damaged("a piece occurs twice");
    slot = row;
  }
  table = std::move(made);
  return Status::Ok();
}

std::string_view DistilledTable::TextOf(std::uint32_t row) const noexcept {
  return {reinterpret_cast<const char*>(bytes_.data()) + text_offsets_[row],
          text_offsets_[row + 1] - text_offsets_[row]};
}

// Where the piece is, or the empty slot where it would be.
std::size_t DistilledTable::SlotOf(std::string_view text, bool continues) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (HashText(text) + (continues ? 1 : 0)) & mask;
  for (; slots_[slot] != kNone; slot = (slot + 1) & mask) {
    std::string_view other = TextOf(slots_[slot]);
    const bool other_continues = other.starts_with(kContinues);
    if (other_continues) other.remove_prefix(kContinues.size());
    if (other_continues == continues && other == text) break;
  }
  return slot;
}

std::uint32_t DistilledTable::RowOf(std::string_view text, bool continues) const {
  return slots_[SlotOf(text, continues)];
}

std::uint32_t DistilledTable::ScaleOf(std::uint32_t row) const noexcept {
  return Load16(scales_ + 2 * std::size_t{row});
}

std::uint32_t DistilledTable::WeightOf(std::uint32_t row) const noexcept {
  return Load16(weights_ + 2 * std::size_t{row});
}

void DistilledTable::Cut(std::string_view word, std::vector<std::uint32_t>& pieces) const {
  pieces.clear();
  if (word.size() < 2 || word.size() > kMaxWordBytes) return;
  if (!std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; })) return;
  std::size_t longest = 0;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t length = std::min(longest_, word.size() - at);
    std::uint32_t row = kNone;
    for (; length > 0; --length) {
      row = RowOf(word.substr(at, length), at > 0);
      if (row != kNone) break;
    }
    if (length == 0) break;
    pieces.push_back(row);
    longest = std::max(longest, length);
    at += length;
    if (at == word.size() && longest >= 2) return;
  }
  pieces.clear();
}

void DistilledTable::Vector(std::span<const std::uint32_t> pieces, std::uint64_t stem,
                            std::span<std::int32_t> vector) const {
  std::fill(vector.begin(), vector.end(), 0);
  const auto add = [&](const std::int8_t* row, std::uint32_t scale) {
    const auto factor = static_cast<std::int32_t>(scale);
    for (std::size_t k = 0; k < dimensions_; ++k) vector[k] += (row[k] * factor + 128) >> 8;
  };
  if (pieces.empty()) {
    DrawnRow row;
    Draw(stem, dimensions_, row);
    add(row.data(), drawn_scale_);
    return;
  }
  for (const std::uint32_t piece : pieces) {
    if (piece < rows_) add(vectors_ + std::size_t{piece} * dimensions_, ScaleOf(piece));
  }
  if (pieces.size() == 1) return;
  for (auto& component : vector) component /= static_cast<std::int32_t>(pieces.size());
}

void DistilledTable::AddWeighted(std::span<const std::uint32_t> pieces, std::uint64_t stem,
                                 std::span<std::int32_t> sum) const {
  // scale * weight is below 2^24: an int8 row times what is left of it is below kMaxComponent.
  static_assert(128 * (std::uint64_t{kMaxScale} * kMaxWeight >> kFactorBits) <= kMaxComponent);
  static_assert((std::uint64_t{kMaxScale} * kMaxWeight >> kFactorBits) <= INT16_MAX);
  static_assert(std::int64_t{kMaxComponent} * kWordsPerSum <= INT32_MAX);
  const auto add = vectors::ActiveKernels().add_scaled;
  if (pieces.empty()) {
    DrawnRow row;
    Draw(stem, dimensions_, row);
    add(row.data(), static_cast<std::int16_t>(drawn_scale_ * kMaxWeight >> kFactorBits),
        dimensions_, sum.data());
    return;
  }
  std::uint32_t weight = 0;
  for (const std::uint32_t piece : pieces) {
    if (piece < rows_) weight = std::max(weight, WeightOf(piece));
  }
  const auto count = static_cast<std::uint32_t>(pieces.size());
  for (const std::uint32_t piece : pieces) {
    if (piece >= rows_) continue;
    const std::uint32_t factor = ScaleOf(piece) * weight / count >> kFactorBits;
    add(vectors_ + std::size_t{piece} * dimensions_, static_cast<std::int16_t>(factor), dimensions_,
        sum.data());
  }
}

void DistilledTable::Prefetch(std::span<const std::uint32_t> pieces) const noexcept {
  for (const std::uint32_t piece : pieces) {
    if (piece >= rows_) continue;
    __builtin_prefetch(scales_ + 2 * std::size_t{piece});
    __builtin_prefetch(weights_ + 2 * std::size_t{piece});
    const std::int8_t* const row = vectors_ + std::size_t{piece} * dimensions_;
    for (std::size_t at = 0; at < dimensions_; at += 64) __builtin_prefetch(row + at);
  }
}

}  // namespace dentate::signatures
