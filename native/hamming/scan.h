// Passes rows through the kernel, block by block, for one query or several.
//
//   rows    |-- block --|-- block --|-- block --| ...
//   query 0      1           4           7
//   query 1      2           5           8          order of the kernel calls
//   query 2      3           6           9
//
// A block is kBlockBytes of signatures, so that it comes from memory for the first query and from
// the L2 cache for the others. What a query has found so far may lower its radius (top-k), and so
// the first blocks are small.
//
// Prefix. How many words are compared in every row follows from the radius: as few as leave about
// one random row in a thousand. Real signatures are less random; when a block leaves more than one
// row in kVerifiedShare, the query compares whole rows from there on.
//
// Threads: readers; any number of scans at a time.

#ifndef DENTATE_HAMMING_SCAN_H_
#define DENTATE_HAMMING_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "hamming/columns_view.h"
#include "hamming/kernels.h"

namespace dentate::hamming {

// Takes what a scan finds for one query.
class Collector {
 public:
  virtual ~Collector() = default;

  // The matches of one block, in ascending order of id, later blocks after earlier ones. Returns
  // the radius from here on, which never grows.
  virtual std::uint32_t Take(std::span<const std::uint32_t> ids,
                             std::span<const std::uint16_t> distances) = 0;
};

struct ScanQuery {
  const std::uint64_t* words;
  std::uint32_t radius;
  Collector* collector;
};

// Whether the caller has given up. Asked once a block, about every 20 microseconds for one query;
// an empty function is never asked.
using Cancelled = std::function<bool()>;

// Gives each query's collector the rows in [begin, end) within its radius. Returns false where
// `cancelled` said so, true when all is done. REQUIRES: end <= columns.size().
// Cost: O(rows * words) for each query; about 10 GB/s and more of signatures.
bool Scan(const ColumnsView& columns, std::size_t begin, std::size_t end,
          std::span<const ScanQuery> queries, const Cancelled& cancelled,
          const Kernels& kernels = ActiveKernels());

// Words to compare in every row at this radius: the fewest that leave about one random row in a
// thousand, `words` where no fewer do.
std::size_t PrefixWords(std::size_t words, std::uint32_t radius) noexcept;

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_SCAN_H_
