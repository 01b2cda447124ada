#include "text/token_decoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dentate::text {

std::size_t TokenDecoder::FirstUnknown(std::span<const std::uint32_t> ids) const noexcept {
  const std::uint32_t size = vocabulary_->size();
  const auto unknown =
      std::find_if(ids.begin(), ids.end(), [size](std::uint32_t id) { return id >= size; });
  return static_cast<std::size_t>(unknown - ids.begin());
}

std::string_view TokenDecoder::Decode(std::span<const std::uint32_t> ids) {
  std::size_t length = 0;
  for (const std::uint32_t id : ids) length += vocabulary_->Bytes(id).size();
  const std::size_t needed = length + Vocabulary::kPadding;
  if (needed > capacity_ || capacity_ > kKeptCapacity) {
    buffer_.reset();
    capacity_ = 0;
    const std::size_t room = std::bit_ceil(needed);
    buffer_ = std::make_unique_for_overwrite<char[]>(room);
    capacity_ = room;
  }
  // Sixteen bytes at once, whatever the token's length: a call of memcpy for 4 would cost more.
  char* out = buffer_.get();
  for (const std::uint32_t id : ids) {
    const std::string_view token = vocabulary_->Bytes(id);
    std::memcpy(out, token.data(), Vocabulary::kPadding);
    if (token.size() > Vocabulary::kPadding) std::memcpy(out, token.data(), token.size());
    out += token.size();
  }
  return {buffer_.get(), length};
}

void TokenDecoder::AppendUtf16Ends(std::span<const std::uint32_t> ids,
                                   std::vector<std::uint32_t>& ends) const {
  ends.reserve(ends.size() + ids.size());
  std::uint32_t units = 0;
  for (const std::uint32_t id : ids) {
    units += vocabulary_->Utf16UnitsBegun(id);
    ends.push_back(units);
  }
}

}  // namespace dentate::text
