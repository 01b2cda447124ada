// The wavelet structures beside sdsl-lite's wm_int and a plain array with postings, on one text in
// one run.
//
//   wavelet_bench [--size N] [--rounds R] [--queries Q] [--text FILE] [--turns 1]
//
// prints one row of JSON a line: {"name", "metric", "value", "unit"}. Queries are dependent, so a
// query's figure is its latency; every answer is checked; a round asks each structure in turn, and
// a row is the median of the rounds (with -min, the least).
//
// bench/wavelet.ts runs this. For it, --text writes the text's symbols to a file, as 32-bit
// integers, and with --turns each round begins with a line "turn" on stdout and waits for a line on
// stdin, so that the other side of the language boundary has its rounds in between.
//
// glibc gives sdsl's memory huge pages only when asked before the process starts, so it starts
// itself again with GLIBC_TUNABLES=glibc.malloc.hugetlb=1. Ours asks for them itself.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "succinct/dynamic_wavelet_matrix.h"
#include "succinct/kernels.h"
#include "succinct/wavelet_matrix.h"
#include "wavelet/append.h"
#include "wavelet/measure.h"
#include "wavelet/postings.h"
#include "wavelet/queries.h"
#include "wavelet/sdsl_matrix.h"
#include "wavelet/text.h"

namespace dentate::bench {
namespace {

using succinct::DynamicWaveletMatrix;
using succinct::WaveletMatrix;

void MeasureAppends(std::span<const std::uint32_t> text, const std::string& suffix) {
  for (const std::size_t call : {std::size_t{1}, std::size_t{64}, std::size_t{4096}}) {
    DynamicWaveletMatrix dynamic(kSymbolBits);
    MeasureAppend("dynamic" + suffix, dynamic, text, call);
  }
  DynamicWaveletMatrix dynamic(kSymbolBits);
  MeasureAppendLatency("dynamic" + suffix, dynamic, text);
  Postings postings(1U << kSymbolBits);
  MeasureAppend("array+postings" + suffix, postings, text, 1);
}

void PrintBytes(const std::string& name, std::size_t bytes, std::size_t size) {
  PrintRow(name, "space", static_cast<double>(bytes) / static_cast<double>(size), "bytes/symbol");
}

struct Options {
  std::uint32_t size = 1000000;
  std::size_t rounds = 11;
  std::size_t queries = 20000;
  const char* text_file = nullptr;
  bool turns = false;
};

void WriteText(std::span<const std::uint32_t> text, const char* path) {
  std::FILE* file = std::fopen(path, "wb");
  const bool written =
      file != nullptr && std::fwrite(text.data(), 4, text.size(), file) == text.size();
  if (file == nullptr || std::fclose(file) != 0 || !written) {
    std::fprintf(stderr, "wavelet_bench: cannot write %s\n", path);
    std::exit(1);
  }
}

void TakeTurns() {
  std::puts("turn");
  std::fflush(stdout);
  for (int c = std::getchar(); c != '\n' && c != EOF; c = std::getchar()) {
  }
}

void Measure(const Options& options) {
  const std::uint32_t size = options.size;
  const std::string suffix = " n=" + std::to_string(size);
  const std::vector<std::uint32_t> text = ZipfText(size);
  if (options.text_file != nullptr) WriteText(text, options.text_file);
  MeasureAppends(text, suffix);

  Postings postings(1U << kSymbolBits);
  postings.Append(text);
  DynamicWaveletMatrix dynamic(kSymbolBits);
  dynamic.Append(text);
  // The growing part alone, whatever the default does with its past.
  DynamicWaveletMatrix live(kSymbolBits, {.seal_after = 0});
  live.Append(text);
  double start = CpuNs();
  const WaveletMatrix sealed = WaveletMatrix::Build(text, kSymbolBits);
  PrintRow("sealed" + suffix, "build", (CpuNs() - start) / size, "ns/symbol");
  start = CpuNs();
  const SdslMatrix sdsl(text, kSymbolBits);
  PrintRow("sdsl" + suffix, "build", (CpuNs() - start) / size, "ns/symbol");

  PrintBytes("dynamic" + suffix, dynamic.SizeInBytes(), size);
  PrintBytes("live" + suffix, live.SizeInBytes(), size);
  PrintBytes("sealed" + suffix, sealed.SizeInBytes(), size);
  PrintBytes("sdsl" + suffix, sdsl.SizeInBytes(), size);
  PrintBytes("array+postings" + suffix, postings.SizeInBytes(), size);

  Rounds rounds;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    if (options.turns) TakeTurns();
    const Queries queries(postings, size, options.queries, kSeed + round);
    MeasureSingles("sdsl", sdsl, queries, rounds);
    MeasureSingles("sealed", sealed, queries, rounds);
    MeasureSingles("dynamic", dynamic, queries, rounds);
    MeasureSingles("live", live, queries, rounds);
    MeasureSingles("array+postings", postings, queries, rounds);
    MeasureBatches("sealed", sealed, queries, rounds);
    MeasureBatches("dynamic", dynamic, queries, rounds);
    MeasureBatches("live", live, queries, rounds);
    MeasureSpans("sealed", sealed, queries, postings, rounds);
    MeasureSpans("dynamic", dynamic, queries, postings, rounds);
    MeasureSpans("live", live, queries, postings, rounds);
    MeasureSpans("array+postings", postings, queries, postings, rounds);
  }
  rounds.Print(suffix, "sdsl");
  for (const char* name : {"sealed", "dynamic", "live"}) {
    PrintRow(name + suffix, "rank-batch-64/rank",
             rounds.MedianOf(name, "rank-batch-64") / rounds.MedianOf(name, "rank"), "ratio");
    PrintRow(name + suffix, "occurrences/select",
             rounds.MedianOf(name, "occurrences") / rounds.MedianOf(name, "select"), "ratio");
  }
}

void AskForHugePages(char** arguments) {
  constexpr const char* kTunables = "GLIBC_TUNABLES";
  if (std::getenv(kTunables) != nullptr) return;
  setenv(kTunables, "glibc.malloc.hugetlb=1", 1);
  execv("/proc/self/exe", arguments);  // returns only when it fails: then without huge pages
}

}  // namespace
}  // namespace dentate::bench

int main(int count, char** arguments) {
  dentate::bench::AskForHugePages(arguments);
  dentate::bench::Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const auto value = std::strtoull(arguments[i + 1], nullptr, 10);
    if (std::strcmp(arguments[i], "--size") == 0) options.size = static_cast<std::uint32_t>(value);
    if (std::strcmp(arguments[i], "--rounds") == 0) options.rounds = value;
    if (std::strcmp(arguments[i], "--queries") == 0) options.queries = value;
    if (std::strcmp(arguments[i], "--text") == 0) options.text_file = arguments[i + 1];
    if (std::strcmp(arguments[i], "--turns") == 0) options.turns = value != 0;
  }
  dentate::bench::Measure(options);
  return 0;
}
