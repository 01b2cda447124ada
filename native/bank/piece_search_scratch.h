// The working memory of piece_search.h, for scratch.h, which that needs.

#ifndef DENTATE_BANK_PIECE_SEARCH_SCRATCH_H_
#define DENTATE_BANK_PIECE_SEARCH_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bank/part.h"

namespace dentate::bank {

struct PieceScratch {
  struct Member {  // a code of a ball
    std::uint32_t code, signature;
    float weight;
  };
  std::vector<Member> members;        // of the part at hand, by code
  std::vector<std::uint64_t> filter;  // bits by hash of a code: whether it may be a member
  std::vector<std::uint32_t> tokens, codes, starts, ends;
  std::vector<Interval32> code_spans;  // by piece: its codes in the part's stream
  std::vector<float> own;              // by signature that counts, then piece
  std::vector<float> words;            // by piece
  std::vector<std::uint32_t> order;    // pieces, best first

  std::size_t SizeInBytes() const noexcept;
};

// The same of repeats.h.
struct RepeatScratch {
  std::vector<std::uint32_t> codes;  // of one item
  std::vector<std::uint64_t> stems;  // of items, one's after another's
  std::vector<std::uint64_t> heard;  // a hash table

  std::size_t SizeInBytes() const noexcept {
    return codes.capacity() * sizeof(std::uint32_t) +
           (stems.capacity() + heard.capacity()) * sizeof(std::uint64_t);
  }
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PIECE_SEARCH_SCRATCH_H_
