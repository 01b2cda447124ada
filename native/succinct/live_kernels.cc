#include "succinct/live_kernels.h"

#include "core/cpu.h"
#include "succinct/live_leaf.h"
#include "succinct/live_select.h"
#include "succinct/live_wavelet_tree.h"

namespace dentate::succinct {
namespace {

constexpr auto kAcquire = std::memory_order_acquire;

std::uint32_t LowBitsOf(std::uint32_t symbol, unsigned bits) noexcept {
  return static_cast<std::uint32_t>(symbol & ((std::uint64_t{1} << bits) - 1));
}

template <typename Bits>
std::uint32_t Access(const LiveWaveletTree& tree, std::uint32_t position) {
  std::uint32_t symbol = 0;
  std::uintptr_t child = tree.root();
  for (unsigned bits = 2 * tree.levels(); bits > 0;) {
    if (IsLeaf(child)) {
      return static_cast<std::uint32_t>(std::uint64_t{symbol} << bits) |
             WithLanes(bits, [&]<typename L>() { return L::Get(*AsLeaf(child), position); });
    }
    const LiveNode& node = *AsNode(child);
    const LinePlace place = Locate(node, position);
    const unsigned digit = LineDigit(*place.line, place.offset);
    symbol = symbol << 2 | digit;
    bits -= 2;
    if (bits == 0) break;
    position = place.Before(digit) + LineRank<Bits>(*place.line, digit, place.offset);
    child = node.child[digit].load(kAcquire);
  }
  return symbol;
}

template <typename Bits>
std::uint32_t Rank(const LiveWaveletTree& tree, std::uint32_t symbol, std::uint32_t position) {
  std::uintptr_t child = tree.root();
  for (unsigned bits = 2 * tree.levels(); bits > 0 && position > 0;) {
    if (child == 0) return 0;
    if (IsLeaf(child)) {
      return WithLanes(bits, [&]<typename L>() {
        return L::template Rank<Bits>(*AsLeaf(child), LowBitsOf(symbol, bits), position);
      });
    }
    const LiveNode& node = *AsNode(child);
    bits -= 2;
    const unsigned digit = symbol >> bits & 3;
    position = NodeRank<Bits>(node, digit, position);
    child = node.child[digit].load(kAcquire);
  }
  return position;
}

template <typename Bits>
std::uint32_t Select(const LiveWaveletTree& tree, std::uint32_t symbol, std::uint32_t k) {
  const LiveNode* path[LiveWaveletTree::kMaxLevels];
  unsigned depth = 0;
  std::uintptr_t child = tree.root();
  unsigned bits = 2 * tree.levels();
  while (bits > 0 && child != 0 && !IsLeaf(child)) {
    path[depth++] = AsNode(child);
    bits -= 2;
    child = AsNode(child)->child[symbol >> bits & 3].load(kAcquire);
  }
  std::uint32_t position = k;
  if (bits > 0) {
    if (child == 0) return LiveWaveletTree::kNotFound;
    const LiveLeaf& leaf = *AsLeaf(child);
    const std::uint32_t size = leaf.size.load(kAcquire);
    position = WithLanes(bits, [&]<typename L>() {
      return L::template Select<Bits>(leaf, LowBitsOf(symbol, bits), k, size);
    });
    if (position == size) return LiveWaveletTree::kNotFound;
  }
  for (; depth > 0; --depth, bits += 2) {
    position = NodeSelect<Bits>(*path[depth - 1], symbol >> bits & 3, position);
    if (position == LiveWaveletTree::kNotFound) break;
  }
  return position;
}

template <typename Bits>
constexpr LiveKernels kKernels = {Access<Bits>, Rank<Bits>, Select<Bits>};

}  // namespace

const LiveKernels& ActiveLiveKernels() noexcept {
#if defined(__x86_64__)
  static const bool bmi2 = ActiveIsa() == Isa::kAvx2 || ActiveIsa() == Isa::kAvx512;
  if (bmi2) return kKernels<Bmi2Bits>;
#endif
  return kKernels<PortableBits>;
}

}  // namespace dentate::succinct
