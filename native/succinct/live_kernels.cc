#include "succinct/live_kernels.h"

#include "core/cpu.h"
#include "succinct/live_batch.h"
#include "succinct/live_query.h"
#include "succinct/live_range.h"
#include "succinct/word_bits.h"

namespace dentate::succinct {
namespace {

template <typename Bits>
constexpr LiveKernels kKernels = {
    LiveAccess<Bits>,      LiveRank<Bits>,        LiveSelect<Bits>,
    LiveAccessGroup<Bits>, LiveRankGroup<Bits>,   LiveSelectGroup<Bits>,
    LiveAccessRange<Bits>, LiveOccurrences<Bits>, NodeRanks<Bits>};

}  // namespace

const LiveKernels& ActiveLiveKernels() noexcept {
#if defined(__x86_64__)
  static const bool bmi2 = ActiveIsa() == Isa::kAvx2 || ActiveIsa() == Isa::kAvx512;
  if (bmi2) return kKernels<Bmi2Bits>;
#endif
  return kKernels<PortableBits>;
}

}  // namespace dentate::succinct
