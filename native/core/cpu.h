// Which instruction set the kernels use, decided once for the whole process.
//
// Every kernel family (hamming, succinct, vectors) has one file per instruction set, and picks its
// table of function pointers by ActiveIsa(). Kernels carry a target attribute per function: with
// -mavx2 on a file, the linker may keep that file's copy of an inline function for the whole
// program, and the baseline dies with SIGILL on an older CPU.
//
// The environment variable DENTATE_KERNEL forces a set by name; a set this CPU lacks is ignored.

#ifndef DENTATE_CORE_CPU_H_
#define DENTATE_CORE_CPU_H_

#include <cstdint>
#include <span>

namespace dentate {

enum class Isa : std::uint8_t {
  kScalar = 0,  // x86-64 baseline or any other CPU; uses POPCNT where the CPU has it.
  kNeon,        // arm64.
  kAvx2,        // AVX2, FMA, BMI2 and POPCNT: Haswell (2013), Zen (2017).
  kAvx512,      // AVX-512 F/BW/VL/DQ with VPOPCNTDQ and VNNI: Ice Lake (2019), Zen 4 (2022).
};

// "scalar", "neon", "avx2", "avx512": what DENTATE_KERNEL accepts.
const char* IsaName(Isa isa) noexcept;

// The sets this CPU and OS can run, fastest first; the last is always kScalar.
std::span<const Isa> SupportedIsas() noexcept;

// The set in use. Chosen on the first call, constant thereafter; any thread.
Isa ActiveIsa() noexcept;

}  // namespace dentate

#endif  // DENTATE_CORE_CPU_H_
