// The inner loop of Hamming search: one table of functions for each instruction set.
//
// A kernel finds the rows of a block within a radius of a query. It compares a prefix of the
// words first and reads the others only for rows that the prefix leaves in: the distance over some
// words never exceeds the distance over all. With prefix == words there is nothing left to read.
//
// Units: distances in bits, positions in rows. No alignment is assumed. Nothing past `rows` is
// read. Rules for a kernel file: it includes this header and its intrinsics, nothing else; its
// functions carry a target attribute (core/cpu.h says why).

#ifndef DENTATE_HAMMING_KERNELS_H_
#define DENTATE_HAMMING_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace dentate::hamming {

// Word w of row i is columns[w * stride + i].
struct Block {
  const std::uint64_t* columns;
  std::size_t stride;
  std::size_t rows;
  std::uint32_t first_id;  // of row 0
};

// What is looked for. REQUIRES: 0 < prefix <= words.
struct Probe {
  const std::uint64_t* query;  // `words` values
  std::size_t words;
  std::size_t prefix;    // words compared in every row
  std::uint32_t radius;  // the greatest distance that matches
};

struct Found {
  std::size_t matches;   // written, in ascending order of id
  std::size_t verified;  // rows whose words past the prefix were read
};

// A kernel may write this many elements past the last match.
inline constexpr std::size_t kOutputSlack = 16;

struct Kernels {
  const char* name;  // "scalar", "swar", "neon", "avx2", "avx512"

  // Writes id and distance of every row within the radius.
  // REQUIRES: ids and distances have room for block.rows + kOutputSlack elements.
  Found (*range)(const Block& block, const Probe& probe, std::uint32_t* ids,
                 std::uint16_t* distances);

  // The sum of the words, modulo 2^64: reads memory and does as good as nothing else, with the
  // same loads as `range`. What benches hold a search against.
  std::uint64_t (*sum)(const std::uint64_t* words, std::size_t count);
};

// A distance fits in 16 bits.
inline constexpr std::size_t kMaxWords = 1023;
static_assert(kMaxWords * 64 <= 0xffff);

extern const Kernels kScalarKernels;  // POPCNT on x86-64: only where the CPU has it
extern const Kernels kSwarKernels;    // plain C++, anywhere
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#elif defined(__aarch64__)
extern const Kernels kNeonKernels;
#endif

// The table in use: core/cpu.h's ActiveIsa(), so that DENTATE_KERNEL forces it.
const Kernels& ActiveKernels() noexcept;

// Each table this CPU can run, the one of `index` 0 first; nullptr past the last. For tests and
// benches, which compare them all.
const Kernels* RunnableKernels(std::size_t index) noexcept;

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_KERNELS_H_
