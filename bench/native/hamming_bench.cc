// Answers single Hamming queries with faiss, or with one of our kernels by name, and says how long
// each took: bench/hamming.ts asks in turn with its own measurements.
//
//   hamming_bench FILE BITS      FILE: signatures, row after row
//
// Then, line by line: HOW WHAT LIMIT QUERY, where HOW is "faiss" or a kernel's name, WHAT is
// "range" (LIMIT: the radius) or "top" (LIMIT: k), and QUERY is the signature's words in hex, each
// after a space. The answer is one line: nanoseconds, and how many signatures were found.
//
// faiss runs on one thread (it does not split a single query over several). Debian builds it for
// baseline x86-64: without POPCNT. That is what a user of the package gets.

#include <faiss/IndexBinaryFlat.h>
#include <faiss/impl/AuxIndexStructures.h>
#include <omp.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "hamming/kernels.h"
#include "hamming/scan.h"
#include "hamming/signature_columns.h"
#include "hamming/top_k.h"

namespace dentate::hamming {
namespace {

class Counter final : public Collector {
 public:
  explicit Counter(std::uint32_t radius) : radius_(radius) {}
  std::uint32_t Take(std::span<const std::uint32_t> ids, std::span<const std::uint16_t>) override {
    count_ += ids.size();
    return radius_;
  }
  std::size_t count() const { return count_; }

 private:
  const std::uint32_t radius_;
  std::size_t count_ = 0;
};

const Kernels& KernelsNamed(const std::string& name) {
  for (std::size_t i = 0; RunnableKernels(i) != nullptr; ++i) {
    if (RunnableKernels(i)->name == name) return *RunnableKernels(i);
  }
  throw std::runtime_error("no kernel \"" + name + "\" here");
}

std::size_t SearchOurs(const SignatureColumns& columns, const Kernels& kernels, bool top,
                       std::uint32_t limit, const std::vector<std::uint64_t>& query) {
  const std::uint32_t farthest = static_cast<std::uint32_t>(columns.words() * 64);
  Counter counter(limit);
  TopK nearest(limit, farthest);
  const ScanQuery scan =
      top ? ScanQuery{query.data(), farthest, &nearest} : ScanQuery{query.data(), limit, &counter};
  Scan(columns.View(columns.size()), 0, columns.size(), {&scan, 1}, {}, kernels);
  return top ? nearest.keys().size() : counter.count();
}

std::size_t SearchFaiss(const faiss::IndexBinaryFlat& index, bool top, std::uint32_t limit,
                        const std::vector<std::uint64_t>& query) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(query.data());
  if (top) {
    std::vector<std::int32_t> distances(limit);
    std::vector<faiss::Index::idx_t> ids(limit);
    index.search(1, bytes, limit, distances.data(), ids.data());
    return ids.size();
  }
  faiss::RangeSearchResult result(1);
  index.range_search(1, bytes, static_cast<int>(limit) + 1, &result);  // faiss: nearer than
  return result.lims[1];
}

std::vector<std::uint64_t> ReadWords(const char* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  std::vector<std::uint64_t> words(static_cast<std::size_t>(file.tellg()) / sizeof(std::uint64_t));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof(std::uint64_t)));
  return words;
}

void Serve(const char* path, std::size_t bits) {
  omp_set_num_threads(1);
  const std::size_t words = bits / 64;
  const std::vector<std::uint64_t> data = ReadWords(path);
  SignatureColumns columns(words);
  columns.Append(data);
  faiss::IndexBinaryFlat index(static_cast<faiss::Index::idx_t>(bits));
  index.add(static_cast<faiss::Index::idx_t>(data.size() / words),
            reinterpret_cast<const std::uint8_t*>(data.data()));
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream request(line);
    std::string how;
    std::string what;
    std::uint32_t limit = 0;
    request >> how >> what >> limit >> std::hex;
    std::vector<std::uint64_t> query(words);
    for (std::uint64_t& word : query) request >> word;
    if (!request) throw std::runtime_error("cannot read the request: " + line);
    const bool top = what == "top";
    const Kernels* kernels = how == "faiss" ? nullptr : &KernelsNamed(how);
    const auto start = std::chrono::steady_clock::now();
    const std::size_t found = kernels == nullptr ? SearchFaiss(index, top, limit, query)
                                                 : SearchOurs(columns, *kernels, top, limit, query);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    std::cout << static_cast<std::uint64_t>(time.count()) << ' ' << found << std::endl;
  }
}

}  // namespace
}  // namespace dentate::hamming

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: hamming_bench FILE BITS");
    dentate::hamming::Serve(argv[1], std::strtoul(argv[2], nullptr, 10));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "hamming_bench: " << error.what() << '\n';
    return 1;
  }
}
