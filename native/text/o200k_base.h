// The vocabulary of o200k_base, one for the whole process.
//
// Its rank file is the gpt-tokenizer package's; TypeScript reads it. What is stored is token ids,
// so a file that is not byte for byte the same vocabulary is refused: with it, stored text would
// come back as other text.
//
// Threads. Any. Worker threads share what the first of them loaded (11 MB).

#ifndef DENTATE_TEXT_O200K_BASE_H_
#define DENTATE_TEXT_O200K_BASE_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "text/vocabulary.h"

namespace dentate::text {

inline constexpr std::uint32_t kO200kBaseSize = 199998;  // without special tokens
inline constexpr std::uint64_t kO200kBaseFingerprint = 0x394980a4cf357619;

// The vocabulary, or null where it has not been loaded.
std::shared_ptr<const Vocabulary> O200kBase();

// Loads it from the rank file's bytes, if it is not loaded. kCorruption where they are not it.
Status LoadO200kBase(std::string_view file);

}  // namespace dentate::text

#endif  // DENTATE_TEXT_O200K_BASE_H_
