// CRC-32C, the checksum of everything on disk.
//
// The Castagnoli polynomial 0x1EDC6F41, bits reflected, register and result inverted: as in iSCSI
// (RFC 3720, appendix B.4), ext4 and SSE4.2's instruction. It finds every error burst of up to 32
// bits and, in up to 5,243 bits, every error of up to 5 bits.
//
// Cost, AMD EPYC: 1 MiB in cache 31 GB/s with the instruction, 3 GB/s without; 500 bytes 17 and 3;
// from memory 7.7 and 1.7. Kernels: crc32c_kernels.h.
//
// Threads: any.
//
// Source: Castagnoli, Bräuer, Herrmann, "Optimization of Cyclic Redundancy-Check Codes with 24 and
// 32 Parity Bits", IEEE Transactions on Communications 41(6), 1993.

#ifndef DENTATE_CORE_CRC32C_H_
#define DENTATE_CORE_CRC32C_H_

#include <cstdint>
#include <span>

namespace dentate {

// The checksum of A followed by `bytes`, where `crc` is that of A; 0 is that of nothing.
std::uint32_t ExtendCrc32c(std::uint32_t crc, std::span<const std::uint8_t> bytes) noexcept;

inline std::uint32_t Crc32c(std::span<const std::uint8_t> bytes) noexcept {
  return ExtendCrc32c(0, bytes);
}

}  // namespace dentate

#endif  // DENTATE_CORE_CRC32C_H_
