// The accelerator's C++ kernels on one thread beside what bounds them, as bench/kernels.ts runs it.
//
//   accelerate_bench ROWS GROUPS ROUNDS
//
// One line of JSON a figure: what was done, and the seconds of its best round. In a round each is
// done once, one after the other, in an order that turns around every other round.
//
//   read            a plain read of ROWS vectors of 384 floats
//   cosine, Q       the 10 nearest of each of Q queries among them
//   multiply-add    as many floating-point operations as cosine, 64 takes, from registers alone
//   singular        the first singular vectors of GROUPS groups of 32 x 384
//   gesdd           LAPACK's, of the same, the thin form that numpy asks for; where there is one

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "accelerate/cosine_search.h"
#include "accelerate/singular_vectors.h"
#include "core/cpu.h"
#include "limit_loops.h"

namespace dentate::bench {
namespace {

constexpr std::size_t kDimensions = 384;
constexpr std::size_t kGroupRows = 32;
constexpr std::size_t kNearest = 10;
constexpr std::size_t kQueries = 64;

using Gesdd = void (*)(const char*, const int*, const int*, float*, const int*, float*, float*,
                       const int*, float*, const int*, float*, const int*, int*, int*);

// What the work made, so that none can be left out.
double sink = 0;

struct Contestant {
  std::string name;
  std::function<void()> work;
  double best = 1e9;
};

std::vector<float> Floats(std::size_t count, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    // The sum of three even ones: close enough to normal.
    value = -1.5F;
    for (int i = 0; i < 3; ++i) {
      value += static_cast<float>(random()) / static_cast<float>(std::minstd_rand::max());
    }
  }
  return values;
}

accelerate::VectorTable Table(std::size_t rows) {
  accelerate::VectorTable table(rows, kDimensions);
  constexpr std::size_t kPiece = 1000;
  for (std::size_t row = 0; row < rows; row += kPiece) {
    const std::size_t count = std::min(kPiece, rows - row);
    table.Append(Floats(count * kDimensions, static_cast<unsigned>(row + 1)));
  }
  return table;
}

Gesdd FindGesdd() {
  for (const char* name : {"libopenblas.so.0", "liblapack.so.3"}) {
    void* library = dlopen(name, RTLD_NOW);
    void* found = library == nullptr ? nullptr : dlsym(library, "sgesdd_");
    if (found == nullptr) continue;
    std::fprintf(stderr, "gesdd is that of %s\n", name);
    return reinterpret_cast<Gesdd>(found);
  }
  return nullptr;
}

// LAPACK's columns are our rows: of the transposed group the left singular vectors are wanted.
void RunGesdd(Gesdd gesdd, const std::vector<float>& rows, std::vector<float>& work) {
  const int m = kDimensions;
  const int n = kGroupRows;
  std::vector<float> a(rows.size());
  std::vector<float> values(kGroupRows);
  std::vector<float> u(kDimensions * kGroupRows);
  std::vector<float> vt(kGroupRows * kGroupRows);
  std::vector<int> integers(8 * kGroupRows);
  std::copy(rows.begin(), rows.end(), a.begin());
  for (std::size_t at = 0; at < a.size(); at += kDimensions * kGroupRows) {
    int info = 0;
    const int size = static_cast<int>(work.size());
    gesdd("S", &m, &n, a.data() + at, &m, values.data(), u.data(), &m, vt.data(), &n, work.data(),
          &size, integers.data(), &info);
    sink += static_cast<double>(u[0]);
  }
}

double ThreadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void Contest(std::vector<Contestant>& contestants, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (Contestant& each : contestants) {
      const double start = ThreadSeconds();
      each.work();
      each.best = std::min(each.best, ThreadSeconds() - start);
    }
    std::reverse(contestants.begin(), contestants.end());
  }
  for (const Contestant& each : contestants) {
    std::printf("{\"what\":\"%s\",\"seconds\":%.9f}\n", each.name.c_str(), each.best);
  }
}

void MeasureCosines(std::size_t rows, int rounds) {
  const accelerate::VectorTable table = Table(rows);
  const auto queries = Floats(kQueries * kDimensions, 7);
  const auto search = [&](std::size_t count) {
    accelerate::CosineMatches matches;
    const auto asked = std::span(queries).first(count * kDimensions);
    if (!accelerate::CosineTopK(table, asked, kNearest, {}, matches).ok()) std::abort();
    sink += static_cast<double>(matches.scores[0]);
  };
  const Loops loops = LoopsOf(ActiveIsa());
  const std::uint64_t steps = 2 * rows * kDimensions * kQueries / loops.operations;
  std::vector<Contestant> contestants = {
      {"read",
       [&] {
         sink += static_cast<double>(loops.read(
             reinterpret_cast<const std::uint64_t*>(table.Row(0)), rows * kDimensions / 2));
       }},
      {"multiply-add", [&] { sink += static_cast<double>(loops.multiply_add(steps)); }}};
  for (const std::size_t count : {std::size_t{1}, std::size_t{8}, std::size_t{16}, kQueries}) {
    contestants.push_back(
        {"cosine, " + std::to_string(count), [&search, count] { search(count); }});
  }
  Contest(contestants, rounds);
}

void MeasureSingular(std::size_t groups, int rounds) {
  auto rows = Floats(groups * kGroupRows * kDimensions, 8);
  // As atoms have them: around a mean of the group.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] += rows[i / (kGroupRows * kDimensions) * (kGroupRows * kDimensions) + i % kDimensions];
  }
  std::vector<std::uint32_t> offsets;
  for (std::size_t g = 0; g <= groups; ++g) {
    offsets.push_back(static_cast<std::uint32_t>(g * kGroupRows));
  }
  std::vector<float> vectors(groups * kDimensions);
  std::vector<float> values(groups);
  std::vector<Contestant> contestants = {
      {"singular", [&] {
         if (!accelerate::SingularVectors({rows, kDimensions, offsets}, 1, {}, vectors, values)
                  .ok()) {
           std::abort();
         }
         sink += static_cast<double>(values[0]);
       }}};
  std::vector<float> work(1 << 20);
  if (const Gesdd gesdd = FindGesdd()) {
    contestants.push_back({"gesdd", [&, gesdd] { RunGesdd(gesdd, rows, work); }});
  }
  Contest(contestants, rounds);
}

}  // namespace
}  // namespace dentate::bench

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int rounds = std::atoi(argv[3]);
  dentate::bench::MeasureCosines(std::strtoull(argv[1], nullptr, 10), rounds);
  dentate::bench::MeasureSingular(std::strtoull(argv[2], nullptr, 10), rounds);
  std::fprintf(stderr, "(%g summed)\n", dentate::bench::sink);
  return 0;
}
