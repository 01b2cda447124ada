#include "hamming/parallel.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace dentate::hamming {
namespace {

constexpr std::size_t kPartBytes = std::size_t{4} << 20;

}  // namespace

std::size_t PartCount(std::size_t bytes, unsigned threads) noexcept {
  return std::clamp<std::size_t>(bytes / kPartBytes, 1, std::max(threads, 1U));
}

void ForEachPart(std::size_t begin, std::size_t end, std::size_t parts,
                 const std::function<void(std::size_t, std::size_t, std::size_t)>& work) {
  const std::size_t rows = end - begin;
  std::vector<std::exception_ptr> failures(parts);
  const auto run = [&](std::size_t part) {
    try {
      work(part, begin + rows * part / parts, begin + rows * (part + 1) / parts);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(parts);
  for (std::size_t part = 1; part < parts; ++part) {
    try {
      threads.emplace_back(run, part);
    } catch (const std::system_error&) {  // no thread to be had
      run(part);
    }
  }
  run(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace dentate::hamming
