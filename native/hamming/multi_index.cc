#include "hamming/multi_index.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "hamming/range_search.h"

namespace dentate::hamming {
namespace {

constexpr double kReconnaissance = 16;  // looking up buckets may cost this part of a scan
constexpr double kMargin = 0.4;         // and all of it, as estimated, this part at most
// Nanoseconds. Tables leave the caches between queries, and the rows of a large bucket, which lie
// together, are cheaper than those of small ones: a measured rate can be too good.
constexpr double kLeastProbe = 20;
constexpr unsigned kMaxBits = 26;   // of a substring: 256 MiB of starts
constexpr std::size_t kAhead = 16;  // independent cache misses in flight
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// `bits` bits of a signature from `first`, at most 32, of words `stride` apart.
std::uint32_t Substring(const std::uint64_t* words, std::size_t stride, unsigned first,
                        unsigned bits) noexcept {
  const std::size_t word = first / 64;
  const unsigned shift = first % 64;
  std::uint64_t value = words[word * stride] >> shift;
  if (shift + bits > 64) value |= words[(word + 1) * stride] << (64 - shift);
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << bits) - 1));
}

// The next greater number with as many ones (Gosper's hack). REQUIRES: mask != 0.
std::uint64_t NextMask(std::uint64_t mask) noexcept {
  const std::uint64_t lowest = mask & (~mask + 1);
  const std::uint64_t ripple = mask + lowest;
  return ripple | (((mask ^ ripple) >> 2) / lowest);
}

double NanosecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// The buckets to verify, table after table.
struct MultiIndex::Plan {
  std::vector<Bucket> buckets;
  std::vector<std::size_t> table_ends;  // buckets of the tables up to and with each
  std::size_t rows = 0;                 // in all buckets
};

std::unique_ptr<const MultiIndex> MultiIndex::Build(const SignatureColumns& columns,
                                                    std::size_t rows, const Cancelled& cancelled) {
  std::unique_ptr<MultiIndex> index(new MultiIndex(columns, rows));
  const auto dimensions = static_cast<unsigned>(columns.words() * 64);
  const auto wanted = std::clamp(static_cast<unsigned>(std::bit_width(rows)) - 1, 4U, kMaxBits);
  const unsigned count = (dimensions + wanted - 1) / wanted;
  for (unsigned j = 0; j < count; ++j) {
    const unsigned first = dimensions * j / count;
    Table table{first, dimensions * (j + 1) / count - first, nullptr, nullptr};
    if (!index->Fill(table, cancelled)) return nullptr;
    index->tables_.push_back(std::move(table));
  }
  index->Measure();
  return index;
}

// A counting sort of the rows by their substring.
bool MultiIndex::Fill(Table& table, const Cancelled& cancelled) const {
  constexpr std::size_t kRowsBetweenChecks = 1 << 14;
  const std::size_t values = std::size_t{1} << table.bits;
  table.starts = MakeHugeArray<std::uint32_t>(values + 1);
  table.rows = MakeHugeArray<std::uint32_t>(rows_);
  std::uint32_t* starts = table.starts.get();
  std::memset(starts, 0, (values + 1) * sizeof(std::uint32_t));
  const auto for_each_row = [&](const auto& visit) {
    for (std::size_t row = 0; row < rows_;) {
      if (cancelled && cancelled()) return false;
      const auto run = columns_.RunAt(row, std::min(rows_, row + kRowsBetweenChecks));
      for (std::size_t i = 0; i < run.rows; ++i) {
        visit(Substring(run.columns + i, run.stride, table.first_bit, table.bits), row + i);
      }
      row += run.rows;
    }
    return true;
  };
  // Counts lie one place to the right. Summed, starts[v + 1] is where bucket v begins; filling the
  // bucket moves it to where it ends, which is where bucket v + 1 begins.
  if (!for_each_row([&](std::uint32_t value, std::size_t) { ++starts[value + 1]; })) return false;
  std::uint32_t sum = 0;
  for (std::size_t value = 0; value < values; ++value) {
    const std::uint32_t size = starts[value + 1];
    starts[value + 1] = sum;
    sum += size;
  }
  return for_each_row([&](std::uint32_t value, std::size_t row) {
    table.rows[starts[value + 1]++] = static_cast<std::uint32_t>(row);
  });
}

// Times a scan and a few searches for rows of the index, so that Search compares like with like.
void MultiIndex::Measure() {
  constexpr std::size_t kQueries = 32;
  constexpr int kRounds = 4;
  constexpr double kMostRows = 4096;  // to verify for a query, however skewed the rows are
  const std::size_t words = columns_.words();
  std::vector<std::uint64_t> queries(kQueries * words);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    queries[i] = *columns_.WordAt(rows_ * (i / words) / kQueries, i % words);
  }
  const auto query = [&](std::size_t i) { return queries.data() + i * words; };

  double scan = kUnlimited;
  for (int round = 0; round < kRounds; ++round) {
    Matches matches;
    Matches* const out = &matches;
    const std::uint64_t* const first = query(0);
    scan =
        std::min(scan, NanosecondsOf([&] {
                   RangeSearchMany(columns_.View(rows_), {&first, 1}, 0, 0, rows_, {}, {&out, 1});
                 }));
  }
  scan_word_nanoseconds_ = scan / static_cast<double>(rows_ * PrefixWords(words, 0));

  // The median, since a query may be interrupted.
  const auto radius = static_cast<std::uint32_t>(tables_.size());  // one bit in the first table
  std::vector<double> rates;
  for (std::size_t i = 0; i < kQueries; ++i) {
    Plan plan;
    Matches matches;
    bool verify = false;
    const double search = NanosecondsOf([&] {
      verify = FindBuckets(query(i), radius, kMostRows, plan);
      if (verify) Verify(query(i), radius, plan, matches);
    });
    const std::size_t probes = plan.buckets.size() + (verify ? plan.rows : 0);
    rates.push_back(search / static_cast<double>(std::max<std::size_t>(probes, 1)));
  }
  const auto median = rates.begin() + kQueries / 2;
  std::nth_element(rates.begin(), median, rates.end());
  probe_nanoseconds_ = std::max(*median, kLeastProbe);
}

int MultiIndex::TableRadius(std::size_t table, std::uint32_t radius) const noexcept {
  const auto count = static_cast<std::uint32_t>(tables_.size());
  const int whole = static_cast<int>(radius / count);
  return table <= radius % count ? whole : whole - 1;
}

double MultiIndex::Lookups(std::uint32_t radius) const noexcept {
  double lookups = 0;
  for (std::size_t j = 0; j < tables_.size(); ++j) {
    double combinations = 1;
    const unsigned bits = tables_[j].bits;
    const int most = std::min(TableRadius(j, radius), static_cast<int>(bits));
    for (int flips = 0; flips <= most; ++flips) {
      lookups += combinations;
      combinations *= static_cast<double>(bits - static_cast<unsigned>(flips)) / (flips + 1);
    }
  }
  return lookups;
}

double MultiIndex::ScanNanoseconds(std::uint32_t radius) const noexcept {
  return static_cast<double>(rows_ * PrefixWords(columns_.words(), radius)) *
         scan_word_nanoseconds_;
}

// Fills the plan with the non-empty buckets around the query; false, and an incomplete plan, once
// they hold more than `most_rows`.
bool MultiIndex::FindBuckets(const std::uint64_t* query, std::uint32_t radius, double most_rows,
                             Plan& plan) const {
  for (std::size_t j = 0; j < tables_.size(); ++j) {
    const Table& table = tables_[j];
    const std::uint32_t* starts = table.starts.get();
    const std::uint32_t value = Substring(query, 1, table.first_bit, table.bits);
    const int most_flips = std::min(TableRadius(j, radius), static_cast<int>(table.bits));
    std::uint32_t ahead[kAhead];
    std::size_t count = 0;
    const auto read = [&] {
      for (std::size_t i = 0; i < count; ++i) {
        const Bucket bucket{starts[ahead[i]], starts[ahead[i] + 1]};
        if (bucket.begin == bucket.end) continue;
        __builtin_prefetch(table.rows.get() + bucket.begin);
        plan.buckets.push_back(bucket);
        plan.rows += bucket.end - bucket.begin;
      }
      count = 0;
      return static_cast<double>(plan.rows) <= most_rows;
    };
    for (int flips = 0; flips <= most_flips; ++flips) {
      std::uint64_t mask = (std::uint64_t{1} << flips) - 1;
      do {
        ahead[count] = value ^ static_cast<std::uint32_t>(mask);
        __builtin_prefetch(starts + ahead[count]);
        if (++count == kAhead && !read()) return false;
        if (flips > 0) mask = NextMask(mask);
      } while (flips > 0 && mask >> table.bits == 0);
    }
    if (!read()) return false;
    plan.table_ends.push_back(plan.buckets.size());
  }
  return true;
}

bool MultiIndex::FoundEarlier(const std::uint64_t* query, std::uint32_t radius, std::size_t table,
                              std::uint32_t row) const noexcept {
  const auto run = columns_.RunAt(row, row + std::size_t{1});
  for (std::size_t j = 0; j < table; ++j) {
    const Table& earlier = tables_[j];
    const std::uint32_t difference =
        Substring(run.columns, run.stride, earlier.first_bit, earlier.bits) ^
        Substring(query, 1, earlier.first_bit, earlier.bits);
    if (std::popcount(difference) <= TableRadius(j, radius)) return true;
  }
  return false;
}

void MultiIndex::Verify(const std::uint64_t* query, std::uint32_t radius, const Plan& plan,
                        Matches& matches) const {
  // A match is one number, id * 2^16 + distance. Those of one bucket ascend, and where many rows
  // are alike almost all come from one bucket: they are merged, since sorting them took longer than
  // a scan.
  std::vector<std::uint64_t> keys;
  std::size_t bucket = 0;
  for (std::size_t j = 0; j < plan.table_ends.size(); ++j) {
    const std::uint32_t* rows = tables_[j].rows.get();
    const std::size_t merged = keys.size();
    std::uint32_t ahead[kAhead];
    std::size_t count = 0;
    const auto verify = [&] {
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t distance = 0;
        for (std::size_t w = 0; w < columns_.words() && distance <= radius; ++w) {
          distance +=
              static_cast<std::uint32_t>(std::popcount(*columns_.WordAt(ahead[i], w) ^ query[w]));
        }
        if (distance > radius || FoundEarlier(query, radius, j, ahead[i])) continue;
        keys.push_back((std::uint64_t{ahead[i]} << 16) | distance);
      }
      count = 0;
    };
    for (; bucket < plan.table_ends[j]; ++bucket) {
      for (std::uint32_t i = plan.buckets[bucket].begin; i < plan.buckets[bucket].end; ++i) {
        ahead[count] = rows[i];
        __builtin_prefetch(columns_.WordAt(rows[i], 0));
        if (++count == kAhead) verify();
      }
    }
    verify();
    const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(merged);
    if (!std::is_sorted(middle, keys.end())) std::sort(middle, keys.end());
    std::inplace_merge(keys.begin(), middle, keys.end());
  }
  for (const std::uint64_t key : keys) {
    matches.ids.push_back(static_cast<std::uint32_t>(key >> 16));
    matches.distances.push_back(static_cast<std::uint16_t>(key & 0xffff));
  }
}

bool MultiIndex::Search(const std::uint64_t* query, std::uint32_t radius, Matches& matches) const {
  const double scan = ScanNanoseconds(radius);
  const double lookups = Lookups(radius);
  if (lookups * probe_nanoseconds_ > scan / kReconnaissance) return false;
  Plan plan;
  const double most_rows = scan * kMargin / probe_nanoseconds_ - lookups;
  if (!FindBuckets(query, radius, most_rows, plan)) return false;
  Verify(query, radius, plan, matches);
  return true;
}

void MultiIndex::SearchAlways(const std::uint64_t* query, std::uint32_t radius,
                              Matches& matches) const {
  Plan plan;
  FindBuckets(query, radius, kUnlimited, plan);
  Verify(query, radius, plan, matches);
}

std::size_t MultiIndex::SizeInBytes() const noexcept {
  std::size_t bytes = sizeof(*this) + tables_.capacity() * sizeof(Table);
  for (const Table& table : tables_) {
    bytes += ((std::size_t{1} << table.bits) + 1 + rows_) * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace dentate::hamming
