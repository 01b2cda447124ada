// Multi-index hashing: range search that looks only where a near signature can be.
//
// A signature of d bits is cut into m substrings of about log2(rows) bits, and each substring has a
// table from its value to the rows that have it. Two signatures within radius r = m a + b, b < m,
// differ by at most a bits in one of the substrings 0 .. b, or by at most a - 1 bits in one of the
// others; else their distance would be at least (b + 1)(a + 1) + (m - b - 1) a = r + 1. So it is
// enough to look up, in each table, the values within that many bits of the query's substring, and
// to verify the rows found there.
//
//   table j    starts   | 0 | 0 | 3 | 4 | ...     2^bits + 1 entries: value v has
//              rows     | 7 12 90 | 3 | ...       rows[starts[v]] up to rows[starts[v + 1]]
//
// A match found in several tables is reported by the first of them only: one whose substring is
// within the bits looked up in an earlier table has been found there.
//
// Real signatures are skewed: some buckets hold thousands of rows. Search therefore reads the sizes
// of all its buckets first, and declines where verifying them would cost more than a scan, at the
// rates that Build measured on this machine and these rows. What it spends before it declines is at
// most 1/kReconnaissance of the scan.
//
// Space: 4 bytes for each row and table, and at most as much again for the starts: about 29
// bytes for a row of 128 bits at ten million. Build: about 0.1 us for each row and table.
// Threads: immutable once built.
//
// Source: M. Norouzi, A. Punjani, D. Fleet, "Fast Search in Hamming Space with Multi-Index
// Hashing", CVPR 2012.

#ifndef DENTATE_HAMMING_MULTI_INDEX_H_
#define DENTATE_HAMMING_MULTI_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hamming/huge_array.h"
#include "hamming/matches.h"
#include "hamming/signature_columns.h"

namespace dentate::hamming {

class MultiIndex {
 public:
  // Hashes rows [0, rows). Returns null where `cancelled` said so. REQUIRES: rows > 0, and <= a
  // columns.size() this thread has seen; the columns outlive the index.
  static std::unique_ptr<const MultiIndex> Build(const SignatureColumns& columns, std::size_t rows,
                                                 const Cancelled& cancelled);

  // Appends the rows within `radius` of the query to `matches`, in ascending order of id, and
  // returns true; returns false, having changed nothing, where a scan is the faster way.
  bool Search(const std::uint64_t* query, std::uint32_t radius, Matches& matches) const;

  // The same, however long it takes: what the tests compare with a scan.
  void SearchAlways(const std::uint64_t* query, std::uint32_t radius, Matches& matches) const;

  std::size_t rows() const noexcept { return rows_; }
  std::size_t SizeInBytes() const noexcept;

 private:
  struct Table {
    unsigned first_bit;  // of the signature
    unsigned bits;
    HugeArray<std::uint32_t> starts;
    HugeArray<std::uint32_t> rows;
  };
  struct Bucket {
    std::uint32_t begin;
    std::uint32_t end;
  };
  struct Plan;

  MultiIndex(const SignatureColumns& columns, std::size_t rows) noexcept
      : columns_(columns), rows_(rows) {}

  bool Fill(Table& table, const Cancelled& cancelled) const;
  void Measure();
  // Bits looked up in table j; -1 where it is left out.
  int TableRadius(std::size_t table, std::uint32_t radius) const noexcept;
  double Lookups(std::uint32_t radius) const noexcept;
  bool FindBuckets(const std::uint64_t* query, std::uint32_t radius, double most_rows,
                   Plan& plan) const;
  void Verify(const std::uint64_t* query, std::uint32_t radius, const Plan& plan,
              Matches& matches) const;
  bool FoundEarlier(const std::uint64_t* query, std::uint32_t radius, std::size_t table,
                    std::uint32_t row) const noexcept;
  double ScanNanoseconds(std::uint32_t radius) const noexcept;

  const SignatureColumns& columns_;
  const std::size_t rows_;
  std::vector<Table> tables_;
  double probe_nanoseconds_ = 0;      // one bucket looked up, or one row verified
  double scan_word_nanoseconds_ = 0;  // one word of one row
};

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_MULTI_INDEX_H_
