// Makes the image of a sealed part from parts of any kind: sealing, merging and erasing are all
// this.
//
//   live part ─┐                                                      ┌─► erased: an empty row
//   sealed     ├─► entries in order ─► keep? ─► renumber what is used ─┤
//   sealed ────┘                                                      └─► kept: tokens, codes,
//   names, ...
//
// The entries are read again through Part's own queries and written anew, so that nothing of an
// erased one is left anywhere: symbols, codes, sessions, speakers and extras that no kept entry
// uses have no number. Erased stretches at both ends are cut off, and the first entry's number
// moves.
//
// Equal entries make equal bytes, whatever parts they came from.
//
// Cost. About 0.1 µs a token of one thread's time, a little less from a live part than from sealed
// ones; in memory some 20 bytes a token beside the image, while it runs.

#ifndef DENTATE_BANK_PART_BUILDER_H_
#define DENTATE_BANK_PART_BUILDER_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bank/part.h"
#include "bank/part_contents.h"
#include "bank/query.h"
#include "core/status.h"

namespace dentate::bank {

// A part and the bank's number of its first entry. `size`: how many of its entries count.
struct PartSource {
  const Part* part = nullptr;
  std::uint32_t first_entry = 0;
  std::uint32_t size = 0;
};

// Whether the entry with this number in the bank is kept. Asked of entries that have a row.
using KeepEntry = std::function<bool(std::uint32_t entry)>;

struct BuiltPart {
  std::uint32_t first_entry = 0;
  std::uint32_t entry_count = 0;  // 0: facts only
  std::uint64_t token_count = 0;
  std::vector<std::uint8_t> image;  // belongs at a multiple of 64 (part_image.h)
};

// Builds one part of all that `sources` have, in ascending order, and `facts`, those of all of them
// as one (facts.h). Between two sources there may be numbers that none has: they count as erased.
//
// Of the facts those stay that somebody still needs: about entries before the sources, about kept
// entries, and as deleted also the erased rows within the part. facts.next_entry is raised to the
// end of the sources.
//
// kAborted where `cancelled` (asked at least every few milliseconds; may be empty) says so.
Status BuildPart(std::span<const PartSource> sources, const KeepEntry& keep, const PartFacts& facts,
                 std::size_t signature_words, const Cancelled& cancelled, BuiltPart& built);

// The first half: what the image will say.
Status CollectPart(std::span<const PartSource> sources, const KeepEntry& keep,
                   const PartFacts& facts, std::size_t signature_words, const Cancelled& cancelled,
                   PartContents& contents);
// The second: its bytes. `contents` is used up.
Status WritePart(PartContents& contents, const Cancelled& cancelled,
                 std::vector<std::uint8_t>& image);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PART_BUILDER_H_
