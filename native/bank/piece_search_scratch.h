// The working memory of piece_search.h, for scratch.h, which that needs.

#ifndef DENTATE_BANK_PIECE_SEARCH_SCRATCH_H_
#define DENTATE_BANK_PIECE_SEARCH_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dentate::bank {

struct PieceScratch {
  struct Member {  // a code of a ball
    std::uint32_t code, signature;
    float weight;
  };
  std::vector<Member> members;        // of the part at hand, by code
  std::vector<std::uint64_t> filter;  // bits by hash of a code: whether it may be a member
  std::vector<std::uint32_t> tokens, codes, starts, ends;
  std::vector<std::uint32_t> code_counts;  // by piece
  std::vector<float> own;                  // by signature that counts, then piece
  std::vector<float> words;                // by piece
  std::vector<std::uint32_t> order;        // pieces, best first

  std::size_t SizeInBytes() const noexcept;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PIECE_SEARCH_SCRATCH_H_
