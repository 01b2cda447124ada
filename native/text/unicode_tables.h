// The class of every code point, run-length coded: the generated data behind char_class.h.
//
// kClassRuns[i] is `first code point << 3 | CharClass`; a run lasts to the next one's first code
// point, the last to U+10FFFF. The data is committed rather than taken from the running V8 or ICU,
// so that the same text has the same tokens everywhere. They are those of Unicode 16.0, tiktoken's;
// a newer version would change how text with the characters it added is split, and so its tokens,
// never whether it comes back unchanged.

#ifndef DENTATE_TEXT_UNICODE_TABLES_H_
#define DENTATE_TEXT_UNICODE_TABLES_H_

#include <cstddef>
#include <cstdint>

namespace dentate::text {

inline constexpr std::size_t kClassRunCount = 3194;
extern const std::uint32_t kClassRuns[kClassRunCount];

}  // namespace dentate::text

#endif  // DENTATE_TEXT_UNICODE_TABLES_H_
