// The queries of a sealed wavelet matrix, written once and compiled into each kernel file.
//
// Included by kernel_<name>.cc only, inside its anonymous namespace, so that every instruction set
// has its own copy and the linker can't share one. Longer than files here are: its
// parts use each other's functions, and would have to be included together and in this order.
// Before it the file defines
//
//   DENTATE_KERNEL              the target attribute of the file's functions
//   Popcount, SelectInWord      of a 64-bit word
//   LowMask(n)                  the lowest n bits, n < 256; all from 64 on
//   BatchLineRank               as LineRank below, for batches: throughput rather than latency
//
// quad_view.h draws the levels and lines and defines next().

constexpr std::uint32_t kLineDigits = 224;
constexpr std::uint32_t kLineWords = 8;
constexpr std::uint32_t kSuperLines = 256;
constexpr std::uint32_t kSampleShift = 9;
// Queries in flight in a batch: enough misses to fill the line buffers (24 to 48 on current cores),
// few enough that their lines and arrays stay in L1.
constexpr std::size_t kBatch = 64;

#define DENTATE_INLINE DENTATE_KERNEL static inline __attribute__((always_inline))
#define DENTATE_STATIC DENTATE_KERNEL static

DENTATE_INLINE const std::uint64_t* Line(const QuadView& view, std::uint32_t level,
                                         std::uint32_t line) {
  return view.lines + (std::uint64_t{level} * view.line_count + line) * kLineWords;
}

DENTATE_INLINE const std::uint32_t* Super(const QuadView& view, std::uint32_t level,
                                          std::uint32_t line) {
  return view.supers + (std::uint64_t{level} * view.super_count + line / kSuperLines) * 4;
}

DENTATE_INLINE void Prefetch(const QuadView& view, std::uint32_t level, std::uint32_t i) {
  __builtin_prefetch(Line(view, level, i / kLineDigits));
}

DENTATE_INLINE std::uint32_t DigitOf(const QuadView& view, std::uint32_t symbol,
                                     std::uint32_t level) {
  return symbol >> (2 * (view.levels - 1 - level)) & 3;
}

DENTATE_INLINE bool Occurs(const QuadView& view, std::uint32_t symbol) {
  return view.levels == 16 || symbol >> (2 * view.levels) == 0;
}

// The digits `digit` of a line as four words: 64, 64, 64 and 32 of them.
struct Matches {
  std::uint64_t words[4];
};
DENTATE_INLINE Matches MatchesIn(const std::uint64_t* line, std::uint32_t digit) {
  const std::uint64_t flip_low = std::uint64_t{digit & 1} - 1;
  const std::uint64_t flip_high = std::uint64_t{digit >> 1} - 1;
  return {{(line[1] ^ flip_low) & (line[4] ^ flip_high),
           (line[2] ^ flip_low) & (line[5] ^ flip_high),
           (line[3] ^ flip_low) & (line[6] ^ flip_high),
           (line[7] ^ flip_low) & (line[7] >> 32 ^ flip_high) & 0xffffffff}};
}

// Branch-free: offsets are random, so that a branch on them would be mispredicted often.
DENTATE_INLINE std::uint32_t AtLeastZero(std::uint32_t difference) {
  return difference & ~static_cast<std::uint32_t>(static_cast<std::int32_t>(difference) >> 31);
}

// The lowest `offset` bits of Matches.
DENTATE_INLINE Matches Masks(std::uint32_t offset) {
  return {{LowMask(offset), LowMask(AtLeastZero(offset - 64)), LowMask(AtLeastZero(offset - 128)),
           LowMask(AtLeastZero(offset - 192))}};
}

DENTATE_INLINE std::uint32_t CountOf(const std::uint64_t* line, std::uint32_t digit) {
  return static_cast<std::uint32_t>(line[0] >> (16 * digit) & 0xffff);
}

// Digits `digit` among the first `offset` of the line, the line's own count not included.
DENTATE_INLINE std::uint32_t LineRank(const std::uint64_t* line, std::uint32_t digit,
                                      std::uint32_t offset) {
  const Matches masks = Masks(offset);
  const Matches matches = MatchesIn(line, digit);
  return Popcount(matches.words[0] & masks.words[0]) + Popcount(matches.words[1] & masks.words[1]) +
         Popcount(matches.words[2] & masks.words[2]) + Popcount(matches.words[3] & masks.words[3]);
}

DENTATE_INLINE std::uint32_t LineDigit(const std::uint64_t* line, std::uint32_t offset) {
  const std::uint32_t word = offset / 64;
  const std::uint32_t last = (word + 1) / 4;  // 1 in word 7, where both halves are
  const std::uint64_t low = line[1 + word + 3 * last] >> offset % 64;
  const std::uint64_t high = line[4 + word] >> (offset % 64 + 32 * last);
  return static_cast<std::uint32_t>((low & 1) | (high & 1) << 1);
}

// next(level, digit, i).
DENTATE_INLINE std::uint32_t Next(const QuadView& view, std::uint32_t level, std::uint32_t digit,
                                  std::uint32_t i) {
  const std::uint32_t index = i / kLineDigits;
  const std::uint64_t* line = Line(view, level, index);
  return Super(view, level, index)[digit] + CountOf(line, digit) +
         LineRank(line, digit, i - index * kLineDigits);
}

DENTATE_INLINE std::uint32_t BatchNext(const QuadView& view, std::uint32_t level,
                                       std::uint32_t digit, std::uint32_t i) {
  const std::uint32_t index = i / kLineDigits;
  const std::uint64_t* line = Line(view, level, index);
  return Super(view, level, index)[digit] + CountOf(line, digit) +
         BatchLineRank(line, digit, i - index * kLineDigits);
}

// Writes the planes of 224 digits as words 1..7 of a line and returns the counts of the digits.
DENTATE_INLINE std::uint64_t StoreLine(const std::uint64_t* low, const std::uint64_t* high,
                                       std::uint64_t* line) {
  std::uint64_t low_count = 0;
  std::uint64_t high_count = 0;
  std::uint64_t both = 0;
  for (std::uint32_t word = 0; word < 4; ++word) {
    low_count += Popcount(low[word]);
    high_count += Popcount(high[word]);
    both += Popcount(low[word] & high[word]);
    if (word == 3) continue;
    line[1 + word] = low[word];
    line[4 + word] = high[word];
  }
  line[7] = low[3] | high[3] << 32;
  return (kLineDigits - low_count - high_count + both) | (low_count - both) << 16 |
         (high_count - both) << 32 | both << 48;
}

// ---- starts (symbol_starts.h) ----

// The symbol's place in the order after the last level: its digits reversed.
DENTATE_INLINE std::uint32_t ReverseDigits(std::uint32_t symbol, std::uint32_t levels) {
  symbol = __builtin_bswap32(symbol);
  symbol = (symbol >> 4 & 0x0f0f0f0f) | (symbol & 0x0f0f0f0f) << 4;
  symbol = (symbol >> 2 & 0x33333333) | (symbol & 0x33333333) << 2;
  return symbol >> (32 - 2 * levels);
}

// Position in start_high of the one number i.
DENTATE_INLINE std::uint64_t StartOne(const QuadView& view, std::uint32_t i) {
  const std::uint32_t sample = view.start_samples[i / kOnesPerStartSample];
  std::uint32_t rest = i % kOnesPerStartSample;
  if ((sample & kLongBlockFlag) != 0) {
    return view
        .start_long_blocks[std::uint64_t{sample & ~kLongBlockFlag} * kOnesPerStartSample + rest];
  }
  std::uint64_t index = sample / 64;
  std::uint64_t word = view.start_high[index] & ~std::uint64_t{0} << sample % 64;
  for (;;) {
    const std::uint32_t ones = Popcount(word);
    if (rest < ones) return index * 64 + SelectInWord(word, rest);
    rest -= ones;
    word = view.start_high[++index];
  }
}

DENTATE_INLINE std::uint32_t StartOf(const QuadView& view, std::uint32_t i, std::uint64_t one) {
  const std::uint64_t bit = std::uint64_t{i} * view.start_low_bits;
  const std::uint64_t* words = view.start_low + bit / 64;
  const std::uint64_t both = words[0] >> bit % 64 | (words[1] << 1) << (63 - bit % 64);
  const std::uint64_t low = both & ((std::uint64_t{1} << view.start_low_bits) - 1);
  return static_cast<std::uint32_t>((one - i) << view.start_low_bits | low);
}

DENTATE_INLINE std::uint32_t Start(const QuadView& view, std::uint32_t i) {
  return StartOf(view, i, StartOne(view, i));
}

// REQUIRES: Occurs(symbol).
DENTATE_INLINE Interval RunOf(const QuadView& view, std::uint32_t symbol) {
  if (view.start_high != nullptr) {
    const std::uint32_t i = ReverseDigits(symbol, view.levels);
    const std::uint64_t one = StartOne(view, i);
    // The next one is nearly always in the same word.
    const std::uint64_t above = view.start_high[one / 64] & (~std::uint64_t{1} << one % 64);
    const std::uint64_t next =
        above != 0 ? one / 64 * 64 + static_cast<std::uint64_t>(__builtin_ctzll(above))
                   : StartOne(view, i + 1);
    return {StartOf(view, i, one), StartOf(view, i + 1, next)};
  }
  Interval interval{0, view.size};
  for (std::uint32_t level = 0; level < view.levels && interval.start < interval.end; ++level) {
    const std::uint32_t digit = DigitOf(view, symbol, level);
    interval = {Next(view, level, digit, interval.start), Next(view, level, digit, interval.end)};
  }
  return interval.start < interval.end ? interval : Interval{0, 0};
}

// ---- one query ----

constexpr std::uint32_t kSuperDigits = kSuperLines * kLineDigits;

// About next(level, digit, i), from the supers around i alone: they are in the caches when the line
// is not. Where a block's digits mix evenly the error is some 40 positions, so the line is right 5
// times in 6; REQUIRES: i lies before the last block.
DENTATE_INLINE std::uint32_t PredictNext(const QuadView& view, std::uint32_t level,
                                         std::uint32_t digit, std::uint32_t i) {
  const std::uint32_t block = i / kSuperDigits;
  const std::uint32_t* super = Super(view, level, block * kSuperLines);
  const std::uint64_t span = super[4 + digit] - super[digit];
  return super[digit] +
         static_cast<std::uint32_t>(span * (i - block * kSuperDigits) / kSuperDigits);
}

DENTATE_INLINE bool Predictable(const QuadView& view, std::uint32_t level, std::uint32_t i) {
  // Below that level a block holds several prefixes, whose digits are distributed differently.
  return view.size >> (2 * level) >= kSuperDigits && level + 1 < view.levels &&
         i / kSuperDigits + 1 < view.super_count;
}

// Fetches the lines a rank will probably need, all at once rather than each after the one before.
DENTATE_INLINE void PrefetchPath(const QuadView& view, std::uint32_t symbol, std::uint32_t i) {
  for (std::uint32_t level = 0; Predictable(view, level, i); ++level) {
    i = PredictNext(view, level, DigitOf(view, symbol, level), i);
    Prefetch(view, level + 1, i);
  }
}

DENTATE_STATIC Interval Run(const QuadView& view, std::uint32_t symbol) {
  return Occurs(view, symbol) ? RunOf(view, symbol) : Interval{0, 0};
}

DENTATE_STATIC std::uint32_t Access(const QuadView& view, std::uint32_t i) {
  std::uint32_t symbol = 0;
  for (std::uint32_t level = 0; level < view.levels; ++level) {
    const std::uint32_t index = i / kLineDigits;
    const std::uint32_t offset = i - index * kLineDigits;
    const std::uint64_t* line = Line(view, level, index);
    const Matches masks = Masks(offset);
    // Every other level fetches, beside its own line, the likely ones of the next level.
    if (level % 2 == 0 && Predictable(view, level, i)) {
      for (std::uint32_t any = 0; any < 4; ++any) {
        Prefetch(view, level + 1, PredictNext(view, level, any, i));
      }
    }
    const std::uint32_t digit = LineDigit(line, offset);
    const Matches matches = MatchesIn(line, digit);
    symbol = symbol << 2 | digit;
    i = Super(view, level, index)[digit] + CountOf(line, digit) +
        Popcount(matches.words[0] & masks.words[0]) + Popcount(matches.words[1] & masks.words[1]) +
        Popcount(matches.words[2] & masks.words[2]) + Popcount(matches.words[3] & masks.words[3]);
  }
  return symbol;
}

DENTATE_STATIC std::uint32_t Rank(const QuadView& view, std::uint32_t symbol, std::uint32_t i) {
  if (!Occurs(view, symbol)) return 0;
  PrefetchPath(view, symbol, i);
  if (view.start_high != nullptr) {
    for (std::uint32_t level = 0; level < view.levels; ++level) {
      i = Next(view, level, DigitOf(view, symbol, level), i);
    }
    return i - Start(view, ReverseDigits(symbol, view.levels));
  }
  std::uint32_t start = 0;
  for (std::uint32_t level = 0; level < view.levels && start < i; ++level) {
    const std::uint32_t digit = DigitOf(view, symbol, level);
    start = Next(view, level, digit, start);
    i = Next(view, level, digit, i);
  }
  return i - start;
}

// Where the inverse of next() looks for next-level position p: digits with next-level positions
// [low_p, high_p) lie at [low, high) of the level, and p at about the place linear interpolation
// says. Digits mix evenly within most samples' reach, so that is mostly in the right line.
struct Bracket {
  std::uint32_t low, high, low_p, high_p;
};

DENTATE_INLINE Bracket BracketOf(const QuadView& view, std::uint32_t level, std::uint32_t digit,
                                 std::uint32_t p) {
  const std::uint32_t* zones = Super(view, level, 0);
  const std::uint32_t* samples = view.samples + std::uint64_t{level} * view.sample_count;
  const std::uint32_t sample = p >> kSampleShift;
  Bracket bracket{0, view.size, zones[digit], digit == 3 ? view.size : zones[digit + 1]};
  const std::uint32_t before = sample << kSampleShift;
  if (before >= bracket.low_p) {
    bracket.low_p = before;
    bracket.low = samples[sample];
  }
  if (bracket.high_p - before > 1U << kSampleShift) {
    bracket.high_p = before + (1U << kSampleShift);
    bracket.high = samples[sample + 1];
  }
  return bracket;
}

DENTATE_INLINE std::uint32_t Guess(const Bracket& bracket, std::uint32_t p) {
  const std::uint64_t part = std::uint64_t{bracket.high - bracket.low} * (p - bracket.low_p);
  const std::uint32_t reach = bracket.high_p - bracket.low_p;
  return bracket.low + static_cast<std::uint32_t>(reach == 1U << kSampleShift ? part >> kSampleShift
                                                                              : part / reach);
}

// The position i of `level` whose digit is `digit` and next(level, digit, i) = p.
DENTATE_INLINE std::uint32_t Previous(const QuadView& view, std::uint32_t level,
                                      std::uint32_t digit, std::uint32_t p, Bracket bracket,
                                      std::uint32_t guess) {
  for (std::uint32_t misses = 0;; ++misses) {
    const std::uint32_t index = guess / kLineDigits;
    const std::uint64_t* line = Line(view, level, index);
    const std::uint32_t before = Super(view, level, index)[digit] + CountOf(line, digit);
    if (p < before) {
      bracket.high = index * kLineDigits;
      bracket.high_p = before;
    } else {
      const Matches matches = MatchesIn(line, digit);
      const std::uint32_t rest = p - before;
      const std::uint32_t sum1 = Popcount(matches.words[0]);
      const std::uint32_t sum2 = sum1 + Popcount(matches.words[1]);
      const std::uint32_t sum3 = sum2 + Popcount(matches.words[2]);
      const std::uint32_t sum4 = sum3 + Popcount(matches.words[3]);
      if (rest < sum4) {
        // Which word is anybody's guess, so it is computed rather than branched to.
        const std::uint32_t sums[4] = {0, sum1, sum2, sum3};
        const std::uint32_t word = static_cast<std::uint32_t>(rest >= sum1) +
                                   static_cast<std::uint32_t>(rest >= sum2) +
                                   static_cast<std::uint32_t>(rest >= sum3);
        return index * kLineDigits + word * 64 +
               SelectInWord(matches.words[word], rest - sums[word]);
      }
      bracket.low = (index + 1) * kLineDigits;
      bracket.low_p = before + sum4;
    }
    // Interpolation again, between better bounds; where the digits defeat that, halving, so that
    // any text costs O(log n).
    if (bracket.low >= bracket.high || p - bracket.low_p >= bracket.high_p - bracket.low_p) {
      return 0;  // not in a valid matrix
    }
    guess = misses < 3 ? Guess(bracket, p) : bracket.low + (bracket.high - bracket.low) / 2;
  }
}

DENTATE_STATIC std::uint32_t Select(const QuadView& view, std::uint32_t symbol, std::uint32_t k) {
  if (!Occurs(view, symbol)) return Kernels::kNotFound;
  const Interval run = RunOf(view, symbol);
  if (k >= run.size()) return Kernels::kNotFound;
  std::uint32_t p = run.start + k;
  for (std::uint32_t level = view.levels; level-- > 0;) {
    const std::uint32_t digit = DigitOf(view, symbol, level);
    const Bracket bracket = BracketOf(view, level, digit, p);
    const std::uint32_t guess = Guess(bracket, p);
    // The neighbour on the nearer side is the likely second try.
    const std::uint32_t line = guess / kLineDigits;
    const bool lower_half = guess - line * kLineDigits < kLineDigits / 2;
    __builtin_prefetch(Line(view, level, lower_half && line > 0 ? line - 1 : line + 1));
    p = Previous(view, level, digit, p, bracket, guess);
  }
  return p;
}

// ---- batches: all queries of a batch go down a level before any goes on, prefetching ----

DENTATE_STATIC void AccessMany(const QuadView& view, const std::uint32_t* positions,
                               std::size_t count, std::uint32_t* out) {
  std::uint32_t at[kBatch];
  for (; count > 0;) {
    const std::size_t batch = count < kBatch ? count : kBatch;
    for (std::size_t q = 0; q < batch; ++q) {
      at[q] = positions[q];
      out[q] = 0;
      Prefetch(view, 0, at[q]);
    }
    for (std::uint32_t level = 0; level < view.levels; ++level) {
      const bool last = level + 1 == view.levels;
      for (std::size_t q = 0; q < batch; ++q) {
        const std::uint32_t index = at[q] / kLineDigits;
        const std::uint32_t digit =
            LineDigit(Line(view, level, index), at[q] - index * kLineDigits);
        out[q] = out[q] << 2 | digit;
        if (last) continue;
        at[q] = BatchNext(view, level, digit, at[q]);
        Prefetch(view, level + 1, at[q]);
      }
    }
    positions += batch;
    out += batch;
    count -= batch;
  }
}

DENTATE_STATIC void RankMany(const QuadView& view, const std::uint32_t* symbols,
                             const std::uint32_t* positions, std::size_t count,
                             std::uint32_t* out) {
  // Each query is one interval [start, end); with the starts at hand only its end goes down.
  const bool both = view.start_high == nullptr;
  std::uint32_t starts[kBatch];
  std::uint32_t ends[kBatch];
  for (; count > 0;) {
    const std::size_t batch = count < kBatch ? count : kBatch;
    for (std::size_t q = 0; q < batch; ++q) {
      starts[q] = 0;
      ends[q] = Occurs(view, symbols[q]) ? positions[q] : 0;
      Prefetch(view, 0, ends[q]);
    }
    for (std::uint32_t level = 0; level < view.levels; ++level) {
      const std::uint32_t below = level + 1 == view.levels ? level : level + 1;
      for (std::size_t q = 0; q < batch; ++q) {
        const std::uint32_t digit = DigitOf(view, symbols[q], level);
        if (both) {
          starts[q] = BatchNext(view, level, digit, starts[q]);
          Prefetch(view, below, starts[q]);
        }
        ends[q] = BatchNext(view, level, digit, ends[q]);
        Prefetch(view, below, ends[q]);
      }
    }
    for (std::size_t q = 0; q < batch; ++q) {
      const bool occurs = Occurs(view, symbols[q]);
      if (!both && occurs) starts[q] = Start(view, ReverseDigits(symbols[q], view.levels));
      out[q] = occurs ? ends[q] - starts[q] : 0;
    }
    symbols += batch;
    positions += batch;
    out += batch;
    count -= batch;
  }
}

// One level of the way back up for at most kBatch positions. Digits come from symbols[q * step].
DENTATE_INLINE void LiftLevel(const QuadView& view, std::uint32_t level,
                              const std::uint32_t* symbols, std::size_t step, std::uint32_t* at,
                              std::size_t batch) {
  Bracket brackets[kBatch];
  std::uint32_t guesses[kBatch];
  for (std::size_t q = 0; q < batch; ++q) {
    if (at[q] == Kernels::kNotFound) continue;
    brackets[q] = BracketOf(view, level, DigitOf(view, symbols[q * step], level), at[q]);
    guesses[q] = Guess(brackets[q], at[q]);
    Prefetch(view, level, guesses[q]);
  }
  for (std::size_t q = 0; q < batch; ++q) {
    if (at[q] == Kernels::kNotFound) continue;
    const std::uint32_t digit = DigitOf(view, symbols[q * step], level);
    at[q] = Previous(view, level, digit, at[q], brackets[q], guesses[q]);
  }
}

DENTATE_STATIC void SelectMany(const QuadView& view, const std::uint32_t* symbols,
                               const std::uint32_t* ks, std::size_t count, std::uint32_t* out) {
  for (; count > 0;) {
    const std::size_t batch = count < kBatch ? count : kBatch;
    for (std::size_t q = 0; q < batch; ++q) {
      const Interval run = Run(view, symbols[q]);
      out[q] = ks[q] < run.size() ? run.start + ks[q] : Kernels::kNotFound;
    }
    for (std::uint32_t level = view.levels; level-- > 0;) {
      LiftLevel(view, level, symbols, 1, out, batch);
    }
    symbols += batch;
    ks += batch;
    out += batch;
    count -= batch;
  }
}

DENTATE_STATIC void Lift(const QuadView& view, std::uint32_t symbol, std::uint32_t* positions,
                         std::size_t count) {
  for (; count > 0;) {
    const std::size_t batch = count < kBatch ? count : kBatch;
    for (std::uint32_t level = view.levels; level-- > 0;) {
      LiftLevel(view, level, &symbol, 0, positions, batch);
    }
    positions += batch;
    count -= batch;
  }
}

// ---- intervals ----

// next(level, d, i) for all four digits.
DENTATE_INLINE void NextAll(const QuadView& view, std::uint32_t level, std::uint32_t i,
                            std::uint32_t* next) {
  const std::uint32_t index = i / kLineDigits;
  const std::uint32_t offset = i - index * kLineDigits;
  const std::uint64_t* line = Line(view, level, index);
  const std::uint32_t* super = Super(view, level, index);
  const Matches masks = Masks(offset);
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t both = 0;
  for (std::uint32_t word = 0; word < 4; ++word) {
    const std::uint64_t low_bits = line[word == 3 ? 7 : 1 + word] & masks.words[word];
    const std::uint64_t high_bits =
        (word == 3 ? line[7] >> 32 : line[4 + word]) & masks.words[word];
    low += Popcount(low_bits);
    high += Popcount(high_bits);
    both += Popcount(low_bits & high_bits);
  }
  next[0] = super[0] + CountOf(line, 0) + offset - low - high + both;
  next[1] = super[1] + CountOf(line, 1) + low - both;
  next[2] = super[2] + CountOf(line, 2) + high - both;
  next[3] = super[3] + CountOf(line, 3) + both;
}

DENTATE_STATIC void Children(const QuadView& view, std::uint32_t level, Interval interval,
                             Interval* out) {
  std::uint32_t starts[4];
  std::uint32_t ends[4];
  NextAll(view, level, interval.start, starts);
  NextAll(view, level, interval.end, ends);
  for (std::uint32_t digit = 0; digit < 4; ++digit) out[digit] = {starts[digit], ends[digit]};
}

// A span's symbols that agree in the digits seen so far lie side by side on every level, in the
// order of the text. So the span is a list of groups: where each begins on this level, how many
// symbols it has, and which places of `out` are theirs (the groups' lists follow each other in
// `places`). A level splits a group into at most four; one rank of its first position serves all.
struct Group {
  std::uint32_t start;
  std::uint32_t size;
};

// Splits one group: appends each member's digit to its symbol, writes the places in their next
// order and the new groups, and returns how many those are.
DENTATE_INLINE std::size_t SplitGroup(const QuadView& view, std::uint32_t level, Group group,
                                      const std::uint32_t* places, std::uint32_t* next_places,
                                      Group* next_groups, std::uint32_t* out) {
  std::uint32_t index = group.start / kLineDigits;
  std::uint32_t offset = group.start - index * kLineDigits;
  const std::uint64_t* line = Line(view, level, index);
  const bool last = level + 1 == view.levels;
  if (group.size == 1) {
    const std::uint32_t digit = LineDigit(line, offset);
    out[*places] = out[*places] << 2 | digit;
    if (last) return 0;
    *next_places = *places;
    *next_groups = {BatchNext(view, level, digit, group.start), 1};
    Prefetch(view, level + 1, next_groups->start);
    return 1;
  }
  std::uint32_t counts[4] = {};
  for (std::uint32_t j = 0; j < group.size; ++j) {
    if (offset == kLineDigits) {
      line += kLineWords;
      offset = 0;
    }
    const std::uint32_t digit = LineDigit(line, offset++);
    out[places[j]] = out[places[j]] << 2 | digit;
    ++counts[digit];
  }
  if (last) return 0;
  std::uint32_t next[4];
  NextAll(view, level, group.start, next);
  std::uint32_t ends[4];
  std::uint32_t sum = 0;
  std::size_t made = 0;
  for (std::uint32_t digit = 0; digit < 4; ++digit) {
    ends[digit] = sum;
    sum += counts[digit];
    if (counts[digit] == 0) continue;
    next_groups[made++] = {next[digit], counts[digit]};
    Prefetch(view, level + 1, next[digit]);
  }
  for (std::uint32_t j = 0; j < group.size; ++j) {
    next_places[ends[out[places[j]] & 3]++] = places[j];
  }
  return made;
}

DENTATE_STATIC void AccessSpan(const QuadView& view, std::uint32_t start, std::uint32_t count,
                               std::uint32_t* scratch, std::uint32_t* out) {
  if (count == 0) return;
  std::uint32_t* places = scratch;
  std::uint32_t* next_places = scratch + count;
  auto* groups = reinterpret_cast<Group*>(scratch + std::size_t{2} * count);
  Group* next_groups = groups + count;
  for (std::uint32_t j = 0; j < count; ++j) {
    places[j] = j;
    out[j] = 0;
  }
  groups[0] = {start, count};
  std::size_t group_count = 1;
  for (std::uint32_t level = 0; level < view.levels; ++level) {
    std::size_t done = 0;
    std::size_t made = 0;
    for (std::size_t g = 0; g < group_count; ++g) {
      made += SplitGroup(view, level, groups[g], places + done, next_places + done,
                         next_groups + made, out);
      done += groups[g].size;
    }
    std::uint32_t* const swap_places = places;
    places = next_places;
    next_places = swap_places;
    Group* const swap_groups = groups;
    groups = next_groups;
    next_groups = swap_groups;
    group_count = made;
  }
}
