// The same random queries for every structure, each chained to the answer before it.

#ifndef DENTATE_BENCH_WAVELET_QUERIES_H_
#define DENTATE_BENCH_WAVELET_QUERIES_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "wavelet/measure.h"
#include "wavelet/postings.h"

namespace dentate::bench {

struct Queries {
  std::vector<std::uint32_t> positions;  // uniform
  std::vector<std::uint32_t> symbols;    // drawn as the text draws them
  std::vector<std::uint32_t> ks;         // uniform below the symbol's count
  // Answers; spans start at positions[q].
  std::vector<std::uint32_t> accessed, ranks, selected;

  std::uint32_t size;  // of the text

  Queries(const Postings& text, std::uint32_t text_size, std::size_t count, std::uint64_t seed)
      : size(text_size) {
    std::mt19937_64 random(seed);
    for (std::size_t q = 0; q < count; ++q) {
      positions.push_back(static_cast<std::uint32_t>(random() % (size - 100)));
      symbols.push_back(text.Access(static_cast<std::uint32_t>(random() % size)));
      ks.push_back(static_cast<std::uint32_t>(random() % text.Count(symbols.back())));
      accessed.push_back(text.Access(positions[q]));
      ranks.push_back(text.Rank(symbols[q], positions[q]));
      selected.push_back(text.Select(symbols[q], ks[q]));
    }
  }
};

constexpr std::size_t kBatchSize = 64;
constexpr std::uint32_t kSpan = 100;
constexpr std::size_t kOccurrences = 256;

// ns a query of access, rank and select, one after the other.
template <typename Structure>
void MeasureSingles(const std::string& name, const Structure& structure, const Queries& queries,
                    Rounds& rounds) {
  const std::size_t count = queries.positions.size();
  // The structure measured before has filled the caches with itself. Other positions than those
  // asked for below, so that nothing is warm that would not be.
  std::uint32_t warm = 0;
  for (std::size_t q = 0; q < count; ++q) {
    const auto scattered = static_cast<std::uint32_t>(q * 2654435761);
    warm = structure.Access(scattered % queries.size + Zero(warm));
  }
  const auto chain = [&](const char* metric, auto query,
                         const std::vector<std::uint32_t>& answers) {
    std::uint32_t last = 0;
    std::uint64_t sum = 0;
    const double start = CpuNs();
    for (std::size_t q = 0; q < count; ++q) sum += last = query(q, Zero(last));
    rounds.Add(name, metric, (CpuNs() - start) / static_cast<double>(count));
    std::uint64_t expected = 0;
    for (const std::uint32_t answer : answers) expected += answer;
    Require(sum == expected, metric);
  };
  chain(
      "access",
      [&](std::size_t q, std::uint32_t zero) {
        return structure.Access(queries.positions[q] + zero);
      },
      queries.accessed);
  chain(
      "rank",
      [&](std::size_t q, std::uint32_t zero) {
        return structure.Rank(queries.symbols[q], queries.positions[q] + zero);
      },
      queries.ranks);
  chain(
      "select",
      [&](std::size_t q, std::uint32_t zero) {
        return structure.Select(queries.symbols[q], queries.ks[q] + zero);
      },
      queries.selected);
}

// Batches of 64 (ns a query), occurrences (ns an item), spans of 100 symbols (ns a symbol).
template <typename Structure>
void MeasureBatches(const std::string& name, const Structure& structure, const Queries& queries,
                    Rounds& rounds) {
  const std::size_t count = queries.positions.size() / kBatchSize * kBatchSize;
  const std::span<const std::uint32_t> positions(queries.positions);
  const std::span<const std::uint32_t> symbols(queries.symbols);
  const std::span<const std::uint32_t> ks(queries.ks);
  std::vector<std::uint32_t> out(count);
  const auto batches = [&](const char* metric, auto batch,
                           const std::vector<std::uint32_t>& answers) {
    const double start = CpuNs();
    for (std::size_t q = 0; q < count; q += kBatchSize) batch(q, out.data() + q);
    rounds.Add(name, metric, (CpuNs() - start) / static_cast<double>(count));
    Require(std::equal(out.begin(), out.end(), answers.begin()), metric);
  };
  batches(
      "access-batch-64",
      [&](std::size_t q, std::uint32_t* to) {
        structure.AccessMany(positions.subspan(q, kBatchSize), to);
      },
      queries.accessed);
  batches(
      "rank-batch-64",
      [&](std::size_t q, std::uint32_t* to) {
        structure.RankMany(symbols.subspan(q, kBatchSize), positions.subspan(q, kBatchSize), to);
      },
      queries.ranks);
  batches(
      "select-batch-64",
      [&](std::size_t q, std::uint32_t* to) {
        structure.SelectMany(symbols.subspan(q, kBatchSize), ks.subspan(q, kBatchSize), to);
      },
      queries.selected);
}

template <typename Structure>
void MeasureSpans(const std::string& name, const Structure& structure, const Queries& queries,
                  const Postings& text, Rounds& rounds) {
  const std::size_t count = queries.positions.size() / 16;
  std::vector<std::uint32_t> out(kOccurrences);
  std::vector<std::uint32_t> expected(kOccurrences);
  std::size_t items = 0;
  std::uint64_t sum = 0;
  std::uint32_t last = 0;
  double start = CpuNs();
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t found =
        structure.Occurrences(queries.symbols[q], queries.ks[q] + Zero(last), out);
    items += found;
    sum += last = out[found - 1];
  }
  rounds.Add(name, "occurrences", (CpuNs() - start) / static_cast<double>(items));
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t found = text.Occurrences(queries.symbols[q], queries.ks[q], expected);
    items -= found;
    sum -= expected[found - 1];
    if (q % 16 != 0) continue;
    structure.Occurrences(queries.symbols[q], queries.ks[q], out);
    Require(std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(found),
                       out.begin()),
            "occurrences");
  }
  Require(items == 0 && sum == 0, "occurrences");

  start = CpuNs();
  last = 0;
  for (std::size_t q = 0; q < count; ++q) {
    const std::uint32_t from = queries.positions[q] + Zero(last);
    structure.AccessRange(from, from + kSpan, out.data());
    sum += last = out[kSpan - 1];
  }
  rounds.Add(name, "extract-100", (CpuNs() - start) / static_cast<double>(count * kSpan));
  for (std::size_t q = 0; q < count; ++q) sum -= text.Access(queries.positions[q] + kSpan - 1);
  Require(sum == 0, "extract");
}

}  // namespace dentate::bench

#endif  // DENTATE_BENCH_WAVELET_QUERIES_H_
