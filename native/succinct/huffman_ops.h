// The queries of a Huffman-shaped matrix (huffman_view.h), written once and compiled into each
// kernel file, behind quad_ops.h, whose functions they are made of: a level is a matrix of one
// level.

DENTATE_INLINE QuadView LevelOf(const HuffmanView& view, std::uint32_t k) {
  const HuffmanLevel& level = view.levels[k];
  QuadView one{};
  one.lines = view.lines + std::uint64_t{level.first_line} * kLineWords;
  one.supers = view.supers + std::uint64_t{level.first_super} * 4;
  one.samples = view.samples + level.first_sample;
  one.size = level.size;
  one.levels = 1;
  return one;
}

// The level that the symbol ends on, and its digits.
struct HuffmanPath {
  std::uint32_t last;
  std::uint8_t digits[16];
};
DENTATE_INLINE HuffmanPath PathOf(const HuffmanView& view, std::uint32_t symbol) {
  HuffmanPath path;
  path.last = 0;
  while (symbol >= view.levels[path.last + 1].first_symbol) ++path.last;
  std::uint32_t child =
      view.levels[path.last + 1].nodes + symbol - view.levels[path.last].first_symbol;
  for (std::uint32_t k = path.last + 1; k-- > 0;) {
    const std::uint32_t nodes = view.levels[k].nodes;
    path.digits[k] = static_cast<std::uint8_t>(child / nodes);
    child %= nodes;
  }
  return path;
}

// Replaces positions in the order after the symbol's last level by its positions in the text.
DENTATE_STATIC void HuffmanLift(const HuffmanView& view, std::uint32_t symbol,
                                std::uint32_t* positions, std::size_t count) {
  const HuffmanPath path = PathOf(view, symbol);
  for (; count > 0;) {
    const std::size_t batch = count < kBatch ? count : kBatch;
    for (std::uint32_t k = path.last + 1; k-- > 0;) {
      const std::uint32_t digit = path.digits[k];
      LiftLevel(LevelOf(view, k), 0, &digit, 0, positions, batch);
    }
    positions += batch;
    count -= batch;
  }
}

// How often the symbol occurs at positions [interval.start, interval.end).
DENTATE_STATIC std::uint32_t HuffmanCount(const HuffmanView& view, std::uint32_t symbol,
                                          Interval interval) {
  const HuffmanPath path = PathOf(view, symbol);
  for (std::uint32_t k = 0; k <= path.last && interval.start < interval.end; ++k) {
    const QuadView level = LevelOf(view, k);
    interval = {Next(level, 0, path.digits[k], interval.start),
                Next(level, 0, path.digits[k], interval.end)};
  }
  return interval.end - interval.start;
}

// AccessSpan of quad_ops.h, but that groups know their node, and end when it is a symbol.
struct HuffmanGroup {
  std::uint32_t start;
  std::uint32_t size;
  std::uint32_t node;
};

// What all groups of a level have in common.
struct HuffmanStep {
  QuadView level, next;
  std::uint32_t nodes;         // of the level
  std::uint32_t next_nodes;    // children below that go on
  std::uint32_t first_symbol;  // of the others
};

// Splits one group: those of its members that have ended get their symbols; the others' places are
// written in their next order, and their groups. Returns how many groups those are.
DENTATE_INLINE std::size_t SplitHuffmanGroup(const HuffmanStep& step, const HuffmanGroup& group,
                                             const std::uint32_t* places,
                                             std::uint32_t*& next_places, HuffmanGroup* next_groups,
                                             std::uint32_t* out) {
  std::uint32_t index = group.start / kLineDigits;
  std::uint32_t offset = group.start - index * kLineDigits;
  const std::uint64_t* line = Line(step.level, 0, index);
  if (group.size == 1) {
    const std::uint32_t digit = LineDigit(line, offset);
    const std::uint32_t child = digit * step.nodes + group.node;
    if (child >= step.next_nodes) {
      out[*places] = child - step.next_nodes + step.first_symbol;
      return 0;
    }
    *next_places++ = *places;
    *next_groups = {BatchNext(step.level, 0, digit, group.start), 1, child};
    Prefetch(step.next, 0, next_groups->start);
    return 1;
  }
  std::uint32_t counts[4] = {};
  for (std::uint32_t j = 0; j < group.size; ++j) {
    if (offset == kLineDigits) {
      line += kLineWords;
      offset = 0;
    }
    const std::uint32_t digit = LineDigit(line, offset++);
    out[places[j]] = digit;
    ++counts[digit];
  }
  std::uint32_t next[4];
  NextAll(step.level, 0, group.start, next);
  // Of each digit: where its members' places go; or, of those that end, the symbol.
  std::uint32_t ends[4];
  bool goes_on[4];
  std::uint32_t sum = 0;
  std::size_t made = 0;
  for (std::uint32_t digit = 0; digit < 4; ++digit) {
    const std::uint32_t child = digit * step.nodes + group.node;
    goes_on[digit] = child < step.next_nodes;
    ends[digit] = goes_on[digit] ? sum : child - step.next_nodes + step.first_symbol;
    if (!goes_on[digit] || counts[digit] == 0) continue;
    sum += counts[digit];
    next_groups[made++] = {next[digit], counts[digit], child};
    Prefetch(step.next, 0, next[digit]);
  }
  for (std::uint32_t j = 0; j < group.size; ++j) {
    const std::uint32_t place = places[j];
    const std::uint32_t digit = out[place];
    if (goes_on[digit]) {
      next_places[ends[digit]++] = place;
    } else {
      out[place] = ends[digit];
    }
  }
  next_places += sum;
  return made;
}

DENTATE_STATIC void HuffmanSpan(const HuffmanView& view, std::uint32_t start, std::uint32_t count,
                                std::uint32_t* scratch, std::uint32_t* out) {
  if (count == 0) return;
  std::uint32_t* places = scratch;
  std::uint32_t* next_places = scratch + count;
  auto* groups = reinterpret_cast<HuffmanGroup*>(scratch + std::size_t{2} * count);
  HuffmanGroup* next_groups = groups + count;
  for (std::uint32_t j = 0; j < count; ++j) places[j] = j;
  groups[0] = {start, count, 0};
  std::size_t group_count = 1;
  for (std::uint32_t k = 0; k < view.level_count && group_count > 0; ++k) {
    const HuffmanLevel& below = view.levels[k + 1];
    HuffmanStep step{
        LevelOf(view, k), {}, view.levels[k].nodes, below.nodes, view.levels[k].first_symbol};
    if (below.nodes > 0) step.next = LevelOf(view, k + 1);
    const std::uint32_t* from = places;
    std::uint32_t* to = next_places;
    std::size_t made = 0;
    for (std::size_t g = 0; g < group_count; ++g) {
      made += SplitHuffmanGroup(step, groups[g], from, to, next_groups + made, out);
      from += groups[g].size;
    }
    std::uint32_t* const swap_places = places;
    places = next_places;
    next_places = swap_places;
    HuffmanGroup* const swap_groups = groups;
    groups = next_groups;
    next_groups = swap_groups;
    group_count = made;
  }
}
