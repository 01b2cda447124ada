// Signatures that lie as columns somewhere: what a search reads, whoever holds them.
//
//   runs   |-- rows 0 .. a --|-- rows a .. b --| ...      word w of row i of a run is
//                                                         columns[w * stride + i]
//
// One run where the columns are one block, as in a mapped file; one a chunk where they have grown
// (signature_columns.h). A view is a few hundred bytes, made on the stack for one search.
//
// Threads: immutable; what it shows must outlive it, and its rows never change.

#ifndef DENTATE_HAMMING_COLUMNS_VIEW_H_
#define DENTATE_HAMMING_COLUMNS_VIEW_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace dentate::hamming {

// Consecutive rows whose columns are each contiguous.
struct Run {
  const std::uint64_t* columns;
  std::size_t stride;
  std::size_t rows;
};

class ColumnsView {
 public:
  static constexpr std::size_t kMaxRuns = 27;  // the chunks of a SignatureColumns

  // Nothing yet: Add gives it rows. REQUIRES: words > 0.
  explicit ColumnsView(std::size_t words) noexcept : words_(words) {}
  // One block: `words` columns of `rows` values, each `stride` after the one before.
  ColumnsView(const std::uint64_t* columns, std::size_t words, std::size_t stride,
              std::size_t rows) noexcept
      : words_(words) {
    Add({columns, stride, rows});
  }

  // REQUIRES: fewer than kMaxRuns so far.
  void Add(Run run) noexcept {
    runs_[count_] = run;
    begins_[count_++] = size_;
    size_ += run.rows;
  }

  std::size_t size() const noexcept { return size_; }
  std::size_t words() const noexcept { return words_; }

  // The longest run from `row`, cut at `end`. REQUIRES: row < end <= size().
  Run RunAt(std::size_t row, std::size_t end) const noexcept {
    const std::size_t at = IndexOf(row);
    const Run& run = runs_[at];
    const std::size_t skipped = row - begins_[at];
    return {run.columns + skipped, run.stride, std::min(run.rows - skipped, end - row)};
  }

 private:
  std::size_t IndexOf(std::size_t row) const noexcept {
    const auto* const first = begins_.data();
    return static_cast<std::size_t>(std::upper_bound(first, first + count_, row) - first) - 1;
  }

  std::size_t words_;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  std::array<std::size_t, kMaxRuns> begins_;  // first row of each run
  std::array<Run, kMaxRuns> runs_;
};

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_COLUMNS_VIEW_H_
