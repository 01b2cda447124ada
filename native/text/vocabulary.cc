#include "text/vocabulary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "text/utf8.h"

namespace dentate::text {
namespace {

constexpr std::size_t kShortLength = 8;  // bytes that are a key themselves

constexpr std::array<std::int8_t, 256> kBase64Values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

// Appends what the base64 text stands for; false where it is not base64.
bool AppendBase64(std::string_view text, std::string& out) {
  if (text.empty() || text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool padded = i >= text.size() - padding;
    const int value = padded ? 0 : kBase64Values[static_cast<unsigned char>(text[i])];
    if (value < 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (i % 4 != 3) continue;
    out.push_back(static_cast<char>(bits >> 16));
    out.push_back(static_cast<char>(bits >> 8));
    out.push_back(static_cast<char>(bits));
    bits = 0;
  }
  out.resize(out.size() - padding);
  return true;
}

// The decimal number the text is; kNone where it is none or too large.
std::uint32_t ParseRank(std::string_view text) noexcept {
  std::uint32_t rank = 0;
  if (text.empty()) return Vocabulary::kNone;
  for (const char digit : text) {
    if (digit < '0' || digit > '9' || rank >= Vocabulary::kMaxTokens) return Vocabulary::kNone;
    rank = rank * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return rank < Vocabulary::kMaxTokens ? rank : Vocabulary::kNone;
}

template <typename Word>
std::uint64_t Load(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// Multiplication by an odd constant, folded: each input bit reaches the high bits.
std::uint64_t Mix(std::uint64_t value) noexcept {
  value *= 0x9e3779b97f4a7c15;
  return value ^ value >> 32;
}

Status BadLine(std::size_t line, const char* what) {
  return {ErrorCode::kCorruption, "line " + std::to_string(line) + " of the rank file " + what};
}

}  // namespace

Status Vocabulary::Parse(std::string_view file, std::shared_ptr<const Vocabulary>* vocabulary) {
  struct Line {
    std::uint32_t rank;
    std::uint32_t offset;
    std::uint32_t length;
  };
  std::string bytes;
  std::vector<Line> lines;
  bytes.reserve(file.size() / 2);
  lines.reserve(file.size() / 16);
  std::size_t number = 0;
  for (std::size_t at = 0; at < file.size();) {
    ++number;
    const std::size_t newline = std::min(file.find('\n', at), file.size());
    const std::string_view line = file.substr(at, newline - at);
    at = newline + 1;
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return BadLine(number, "has no rank");
    const std::size_t offset = bytes.size();
    if (!AppendBase64(line.substr(0, space), bytes)) return BadLine(number, "is not base64");
    const std::size_t length = bytes.size() - offset;
    if (length > kMaxTokenLength) return BadLine(number, "is longer than a token may be");
    const std::uint32_t rank = ParseRank(line.substr(space + 1));
    if (rank == kNone) return BadLine(number, "has a bad rank");
    lines.push_back({rank, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(length)});
  }

  std::vector<const Line*> by_rank(lines.size());
  for (const Line& line : lines) {
    if (line.rank >= lines.size() || by_rank[line.rank] != nullptr) {
      return {ErrorCode::kCorruption, "the rank file repeats a rank or leaves one out"};
    }
    by_rank[line.rank] = &line;
  }

  auto parsed = std::make_shared<Vocabulary>();
  parsed->bytes_.reserve(bytes.size() + kPadding);
  parsed->offsets_.reserve(lines.size() + 1);
  parsed->offsets_.push_back(0);
  for (const Line* line : by_rank) {
    parsed->bytes_.append(bytes, line->offset, line->length);
    parsed->offsets_.push_back(static_cast<std::uint32_t>(parsed->bytes_.size()));
  }
  parsed->bytes_.append(kPadding, '\0');
  if (Status status = parsed->Index(); !status.ok()) return status;
  *vocabulary = std::move(parsed);
  return Status::Ok();
}

Status Vocabulary::Index() {
  if (size() < 256) return {ErrorCode::kCorruption, "the rank file lacks some single bytes"};
  // At most half full (o200k_base: 0.38, where a look-up of what is not there ends after 1.8
  // slots).
  slot_bits_ = static_cast<unsigned>(std::bit_width(static_cast<std::size_t>(size()) * 2));
  slots_.resize(std::size_t{1} << slot_bits_);
  pairs_.assign(1 << 16, kNone);
  units_begun_.resize(size());
  for (std::uint32_t id = 0; id < size(); ++id) {
    const std::string_view token = Bytes(id);
    max_token_length_ = std::max(max_token_length_, token.size());
    units_begun_[id] = static_cast<std::uint8_t>(text::Utf16UnitsBegun(token));
    if (Find(token) != kNone) {
      return {ErrorCode::kCorruption, "the rank file has token " + std::to_string(id) + " twice"};
    }
    const std::uint64_t key = KeyOf(token);
    std::size_t slot = FirstSlot(key, token.size());
    while (slots_[slot].length != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = {key, id, static_cast<std::uint32_t>(token.size())};
    if (token.size() == 2) pairs_[PairIndex(token[0], token[1])] = id;
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char single = static_cast<char>(byte);
    singles_[static_cast<std::size_t>(byte)] = Find({&single, 1});
    if (FindByte(single) == kNone) {
      return {ErrorCode::kCorruption, "the rank file lacks some single bytes"};
    }
  }
  return Status::Ok();
}

inline std::uint64_t Vocabulary::KeyOf(std::string_view bytes) noexcept {
  const char* at = bytes.data();
  const std::size_t length = bytes.size();
  if (length >= kShortLength) {
    if (length == kShortLength) return Load<std::uint64_t>(at);
    std::uint64_t hash = length;
    for (std::size_t i = 0; i + kShortLength < length; i += kShortLength) {
      hash = Mix(hash ^ Load<std::uint64_t>(at + i));
    }
    return Mix(hash ^ Load<std::uint64_t>(at + length - kShortLength));
  }
  // Two overlapping loads: the bytes both have are equal, so OR leaves them as they are.
  if (length >= 4) {
    return Load<std::uint32_t>(at) | Load<std::uint32_t>(at + length - 4) << (length - 4) * 8;
  }
  if (length >= 2) {
    return Load<std::uint16_t>(at) | Load<std::uint16_t>(at + length - 2) << (length - 2) * 8;
  }
  return length == 1 ? Load<std::uint8_t>(at) : 0;
}

inline std::size_t Vocabulary::FirstSlot(std::uint64_t key, std::size_t length) const noexcept {
  return static_cast<std::size_t>(Mix(key ^ length << 56) * 0xd6e8feb86659fd93 >>
                                  (64 - slot_bits_));
}

void Vocabulary::Prefetch(std::string_view bytes) const noexcept {
  __builtin_prefetch(&slots_[FirstSlot(KeyOf(bytes), bytes.size())]);
}

std::uint32_t Vocabulary::Find(std::string_view bytes) const noexcept {
  const std::uint64_t key = KeyOf(bytes);
  for (std::size_t slot = FirstSlot(key, bytes.size());; slot = (slot + 1) & (slots_.size() - 1)) {
    const Slot& candidate = slots_[slot];
    if (candidate.length == 0) return kNone;
    if (candidate.key != key || candidate.length != bytes.size()) continue;
    if (bytes.size() <= kShortLength || Bytes(candidate.id) == bytes) return candidate.id;
  }
}

std::uint64_t Vocabulary::Fingerprint() const noexcept {
  std::uint64_t hash = size();
  for (std::uint32_t id = 0; id < size(); ++id) {
    hash = Mix(hash ^ KeyOf(Bytes(id)));
    hash = Mix(hash ^ Bytes(id).size());
  }
  return hash;
}

std::size_t Vocabulary::SizeInBytes() const noexcept {
  return sizeof(*this) + bytes_.capacity() + units_begun_.capacity() +
         (offsets_.capacity() + pairs_.capacity()) * sizeof(std::uint32_t) +
         slots_.capacity() * sizeof(Slot);
}

}  // namespace dentate::text
