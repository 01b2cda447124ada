// The queries of one search, in the forms that its kernels want.
//
//   rows     as a table has them (vector_table.h): what exact cosines are made of
//   units    at unit length, rounded to float: what a kernel for one query multiplies with
//   panels   up to kPanelQueries units side by side (cosine_kernels.h)
//
// A query of zeros has cosine 0 with every row; no kernel need ask.
//
// Memory: three times that of the queries. Threads: any, once it is made.

#ifndef DENTATE_ACCELERATE_QUERY_SET_H_
#define DENTATE_ACCELERATE_QUERY_SET_H_

#include <cstddef>
#include <span>
#include <vector>

#include "accelerate/cosine_kernels.h"
#include "accelerate/exact_cosine.h"
#include "accelerate/vector_table.h"
#include "hamming/huge_array.h"

namespace dentate::accelerate {

// Queries [first, first + count).
struct Panel {
  std::size_t first;
  std::size_t count;
  std::size_t width;  // of which columns past `count` are zeros
  hamming::HugeArray<float> values;
};

class QuerySet {
 public:
  // REQUIRES: whole queries of finite values.
  QuerySet(std::span<const float> queries, std::size_t dimensions);

  std::size_t size() const noexcept { return table_.size(); }
  bool IsZero(std::size_t query) const noexcept { return squares_[query] == 0; }
  const float* Unit(std::size_t query) const noexcept {
    return units_.data() + query * table_.stride();
  }
  // None of a single query.
  std::span<const Panel> panels() const noexcept { return panels_; }

  // With a row of a table of the same dimensions.
  float CosineWith(std::size_t query, const float* row) const noexcept {
    return ExactCosine(table_.Row(query), squares_[query], row, table_.stride());
  }

 private:
  Panel MakePanel(std::size_t first) const;

  VectorTable table_;
  std::vector<double> squares_;
  std::vector<float> units_;
  std::vector<Panel> panels_;
};

}  // namespace dentate::accelerate

#endif  // DENTATE_ACCELERATE_QUERY_SET_H_
