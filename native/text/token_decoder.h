// Token ids to text: the concatenation of their bytes.

#ifndef DENTATE_TEXT_TOKEN_DECODER_H_
#define DENTATE_TEXT_TOKEN_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace dentate::text {

// One object per thread: it keeps the buffer that its results lie in.
class TokenDecoder {
 public:
  explicit TokenDecoder(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)) {}

  // The first id that is not in the vocabulary, or ids.size().
  std::size_t FirstUnknown(std::span<const std::uint32_t> ids) const noexcept;

  // The bytes, valid until the next call. Not UTF-8 where the ids are a slice cut inside a
  // character. About 3 ns a token. REQUIRES: FirstUnknown(ids) == ids.size().
  std::string_view Decode(std::span<const std::uint32_t> ids);

  // Appends, for each id, the UTF-16 units of all characters that begin in the tokens up to and
  // with it: the character at UTF-16 offset o begins in the first token whose end is above o.
  // REQUIRES: FirstUnknown(ids) == ids.size().
  void AppendUtf16Ends(std::span<const std::uint32_t> ids, std::vector<std::uint32_t>& ends) const;

 private:
  static constexpr std::size_t kKeptCapacity = 1 << 20;  // of the buffer between calls

  std::shared_ptr<const Vocabulary> vocabulary_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
};

}  // namespace dentate::text

#endif  // DENTATE_TEXT_TOKEN_DECODER_H_
