// An AtomIndex as bytes. Little-endian, positions in bytes:
//
//   offset  size   field
//        0     4   magic "DATM"
//        4     4   version, 1
//        8     4   dimensions, 1 .. kMaxDimensions
//       12     4   rank of bases, 1 .. kMaxRank
//       16     1   storage        (member_rows.h)
//       17     1   policy         (policy.h)
//       18     1   gate
//       19     1   1: seeded
//       20     4   clusters
//       24     8   threshold, a double from -1 to 1
//       32     8   seed
//       40     4   number of the next member
//       44     4   number of the next atom
//       48     8   members
//       56         for each member, ascending: its number, its atom's number, 4 bytes each
//                  for each member: its row, dimensions float32 of a unit vector, or int8
//
// Rows are written as they are held, and sums are exact: what is read back clusters on as what was
// written would have. There is no checksum: who keeps the bytes where they may rot adds one.

#ifndef DENTATE_ATOMS_ATOM_IMAGE_H_
#define DENTATE_ATOMS_ATOM_IMAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace dentate::atoms {

inline constexpr std::array<char, 4> kImageMagic = {'D', 'A', 'T', 'M'};
inline constexpr std::uint32_t kImageVersion = 1;

struct ImageHeader {
  std::array<char, 4> magic;
  std::uint32_t version;
  std::uint32_t dimensions;
  std::uint32_t rank;
  std::uint8_t storage;
  std::uint8_t policy;
  std::uint8_t gate;
  std::uint8_t seeded;
  std::uint32_t clusters;
  double threshold;
  std::uint64_t seed;
  std::uint32_t next_member;
  std::uint32_t next_atom;
  std::uint64_t members;
};
static_assert(sizeof(ImageHeader) == 56, "as drawn above");
static_assert(offsetof(ImageHeader, threshold) == 24 && offsetof(ImageHeader, members) == 48);

struct ImageMember {
  std::uint32_t number;
  std::uint32_t atom;
};
static_assert(sizeof(ImageMember) == 8);

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_ATOM_IMAGE_H_
