#include "atoms/atom_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "atoms/atom_model.h"
#include "atoms/jacobi_svd.h"

namespace dentate::atoms {
namespace {

constexpr std::size_t kDimensions = 24;

Options OptionsOf(const Policy& policy, Storage storage, std::size_t dimensions = kDimensions) {
  return {dimensions, storage, policy, 4};
}

// Around one of a few directions, so that there are atoms of many sizes.
std::vector<float> Clustered(std::mt19937& random, std::size_t dimensions, double spread) {
  std::mt19937 direction(random() % 7);
  std::normal_distribution<float> normal;
  std::vector<float> vector(dimensions);
  for (float& value : vector) value = normal(direction);
  for (float& value : vector) value += static_cast<float>(spread) * normal(random);
  return vector;
}

std::vector<double> VectorOf(const AtomIndex& index, std::uint32_t member) {
  std::vector<float> vector(index.options().dimensions);
  REQUIRE(index.VectorOf(member, vector));
  return {vector.begin(), vector.end()};
}

std::vector<double> Unit(const std::vector<float>& vector) {
  std::vector<double> unit(vector.begin(), vector.end());
  const double length = std::sqrt(AtomModel::Dot(unit, unit));
  for (double& value : unit) value /= length;
  return unit;
}

void CheckAtoms(const AtomIndex& index, const AtomModel& model) {
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint32_t> sizes;
  index.Atoms(numbers, sizes);
  REQUIRE(numbers.size() == model.members().size());
  REQUIRE(index.count() == model.members().size());
  REQUIRE(index.size() == model.vectors().size());
  std::size_t i = 0;
  std::size_t largest = 0;
  for (const auto& [atom, members] : model.members()) {
    REQUIRE(numbers[i] == atom);
    REQUIRE(sizes[i] == members.size());
    REQUIRE(index.MembersOf(atom) == members);
    largest = std::max(largest, members.size());
    for (const std::uint32_t member : members) {
      std::uint32_t of = 0;
      REQUIRE(index.AtomOf(member, of));
      REQUIRE(of == atom);
    }
    ++i;
  }
  REQUIRE(index.Largest() == largest);
}

void CheckStatistics(const AtomIndex& index, const AtomModel& model) {
  for (const auto& [atom, members] : model.members()) {
    const auto sum = model.SumOf(atom);
    const double length = std::sqrt(AtomModel::Dot(sum, sum));
    const auto centroid = index.StatisticsOf(atom, By::kCentroid);
    for (std::size_t j = 0; j < sum.size(); ++j) {
      REQUIRE(std::fabs(static_cast<double>(centroid[j]) - sum[j] / length) < 1e-6);
    }
    Matrix matrix;
    for (const std::uint32_t member : members) matrix.push_back(model.vectors().at(member));
    const auto sigma = SingularValues(matrix);
    const auto basis = index.StatisticsOf(atom, By::kSubspace);
    const auto first = index.StatisticsOf(atom, By::kFirstSingularVector);
    REQUIRE(std::equal(first.begin(), first.end(), basis.begin()));
    for (std::size_t i = 0; i * sum.size() < basis.size(); ++i) {
      const auto begin = basis.begin() + static_cast<std::ptrdiff_t>(i * sum.size());
      const std::vector<double> v(begin, begin + static_cast<std::ptrdiff_t>(sum.size()));
      REQUIRE(ResidualOf(matrix, v, sigma[i] * sigma[i]) <= 1e-5 * sigma[0] * sigma[0]);
      if (i == 0) REQUIRE(AtomModel::Dot(v, sum) >= -1e-6);
    }
  }
}

// Scores of all atoms by each rule, from the definitions.
void CheckNearest(const AtomIndex& index, const AtomModel& model, std::mt19937& random) {
  const auto query = Clustered(random, index.options().dimensions, 0.5);
  const auto unit = Unit(query);
  const double tolerance = index.options().storage == Storage::kInt8 ? 0.02 : 1e-5;
  for (const By by : {By::kFirstSingularVector, By::kCentroid, By::kSubspace, By::kBestMember}) {
    std::vector<Scored> nearest;
    REQUIRE(index.Nearest(query, 3, by, nearest));
    REQUIRE(nearest.size() == std::min<std::size_t>(3, index.count()));
    std::vector<Scored> all;
    REQUIRE(index.Nearest(query, 1000, by, all));
    REQUIRE(all.size() == index.count());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i < nearest.size()) REQUIRE(all[i].number == nearest[i].number);
      if (i > 0) REQUIRE(all[i - 1].score >= all[i].score);
      double expected = 0;
      if (by == By::kBestMember) {
        expected = -1;
        for (const std::uint32_t member : model.members().at(all[i].number)) {
          expected = std::max(expected, AtomModel::Dot(unit, model.vectors().at(member)));
        }
      } else {
        const auto rows = index.StatisticsOf(all[i].number, by);
        for (std::size_t at = 0; at < rows.size(); at += unit.size()) {
          double dot = 0;
          for (std::size_t j = 0; j < unit.size(); ++j) dot += rows[at + j] * unit[j];
          expected += by == By::kSubspace ? dot * dot : dot;
        }
        if (by == By::kSubspace) expected = std::sqrt(expected);
      }
      REQUIRE(std::fabs(all[i].score - expected) <= tolerance);
    }
  }
}

std::vector<Policy> Policies() {
  std::vector<Policy> policies(6);
  policies[0] = {PolicyKind::kMaxMember, Gate::kBoth, false, 0, 0.7, 0};
  policies[1] = {PolicyKind::kMaxMember, Gate::kMean, false, 0, 0.7, 0};
  policies[2] = {PolicyKind::kMaxMember, Gate::kMember, false, 0, 0.7, 0};
  policies[3] = {PolicyKind::kStreamingProto, Gate::kBoth, false, 0, 0.75, 0};
  policies[4] = {PolicyKind::kOnlineKMeans, Gate::kBoth, false, 5, 0, 0};
  policies[5] = {PolicyKind::kDpMeans, Gate::kBoth, false, 0, 0.6, 0};
  return policies;
}

}  // namespace

TEST_CASE("an index does what its definition says, whatever is added and removed") {
  for (const Policy& policy : Policies()) {
    for (const Storage storage : {Storage::kFloat32, Storage::kInt8}) {
      CAPTURE(static_cast<int>(policy.kind));
      CAPTURE(static_cast<int>(storage));
      std::mt19937 random(21);
      AtomIndex index(OptionsOf(policy, storage));
      AtomModel model(policy);
      std::vector<std::uint32_t> living;
      for (int step = 0; step < 400; ++step) {
        if (!living.empty() && random() % 4 == 0) {
          const std::size_t at = random() % living.size();
          REQUIRE(index.Remove(living[at]));
          REQUIRE_FALSE(index.Remove(living[at]));
          model.Remove(living[at]);
          living.erase(living.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
          const auto vector = Clustered(random, kDimensions, 0.45);
          Added added;
          REQUIRE(index.Add(vector, added));
          auto unit = VectorOf(index, added.member);
          const auto choice = model.Choose(unit);
          if (choice.margin > 1e-5) {
            REQUIRE(added.created == choice.created);
            REQUIRE(added.atom == choice.atom);
          }
          REQUIRE(std::fabs(added.similarity - choice.closeness) < 1e-5);
          model.Add(added.member, added.atom, std::move(unit));
          living.push_back(added.member);
        }
        if (step % 40 == 39) {
          CheckAtoms(index, model);
          CheckStatistics(index, model);
          CheckNearest(index, model, random);
        }
      }
    }
  }
}

TEST_CASE("some atoms alone have the scores that they have among all") {
  std::mt19937 random(5);
  for (const Storage storage : {Storage::kFloat32, Storage::kInt8}) {
    for (const By by : {By::kFirstSingularVector, By::kCentroid, By::kSubspace, By::kBestMember}) {
      Policy policy;
      policy.threshold = 0.5;
      AtomIndex index(OptionsOf(policy, storage));
      for (int i = 0; i < 60; ++i) {
        Added added;
        REQUIRE(index.Add(Clustered(random, kDimensions, 0.6), added));
      }
      const auto query = Clustered(random, kDimensions, 0.6);
      std::vector<std::uint32_t> numbers, sizes, some;
      index.Atoms(numbers, sizes);
      for (const std::uint32_t number : numbers) {
        if (random() % 2 == 0) some.push_back(number);
      }
      some.push_back(4'000'000);  // there is none of this number
      std::vector<Scored> scored, all;
      REQUIRE(index.ScoresOf(query, some, by, scored));
      REQUIRE(index.Nearest(query, numbers.size(), by, all));
      REQUIRE(scored.size() == some.size() - 1);
      for (std::size_t i = 0; i < scored.size(); ++i) {
        CHECK(scored[i].number == some[i]);
        const auto same = std::find_if(all.begin(), all.end(),
                                       [&](const Scored& atom) { return atom.number == some[i]; });
        CHECK(same->score == scored[i].score);
      }
    }
  }
}

TEST_CASE("each arm of the gate alone causes a join") {
  const auto add = [](AtomIndex& index, std::vector<float> vector) {
    Added added;
    REQUIRE(index.Add(vector, added));
    return added;
  };
  const auto with = [](Gate gate) {
    return OptionsOf({PolicyKind::kMaxMember, gate, false, 0, 0.9, 0}, Storage::kFloat32, 3);
  };
  // Two members 30 degrees apart and a third between them, above their plane: 0.9 from neither,
  // but near their mean.
  SUBCASE("the mean") {
    const float c = std::cos(0.40F);
    const float s = std::sin(0.40F);
    const std::vector<float> between{std::cos(0.24F), 0, std::sin(0.24F)};
    for (const Gate gate : {Gate::kBoth, Gate::kMean, Gate::kMember}) {
      AtomIndex index(with(gate));
      std::uint32_t member = 0;
      REQUIRE(index.AddAssigned(std::vector<float>{c, s, 0}, 0, member));
      REQUIRE(index.AddAssigned(std::vector<float>{c, -s, 0}, 0, member));
      CHECK(add(index, between).created == (gate == Gate::kMember));
    }
  }
  // A long atom: its end is far from the mean, and what comes next is near the end.
  SUBCASE("a member") {
    for (const Gate gate : {Gate::kBoth, Gate::kMean, Gate::kMember}) {
      AtomIndex index(with(gate));
      std::uint32_t member = 0;
      for (int i = 0; i < 10; ++i) {
        REQUIRE(index.AddAssigned(std::vector<float>{1, 0, 0}, 0, member));
      }
      REQUIRE(index.AddAssigned(std::vector<float>{1, 1, 0}, 0, member));
      CHECK(add(index, {1, 1.2F, 0}).created == (gate == Gate::kMean));
    }
  }
}

TEST_CASE("ties go to the lower atom number, also where a slot is used again") {
  AtomIndex index(
      OptionsOf({PolicyKind::kMaxMember, Gate::kBoth, false, 0, 0.6, 0}, Storage::kFloat32, 2));
  std::uint32_t first = 0;
  std::uint32_t member = 0;
  REQUIRE(index.AddAssigned(std::vector<float>{-1, 0}, 0, first));
  REQUIRE(index.AddAssigned(std::vector<float>{0, 1}, 1, member));
  REQUIRE(index.Remove(first));
  REQUIRE(index.AddAssigned(std::vector<float>{1, 0}, 7, member));  // in the slot of atom 0
  Added added;
  REQUIRE(index.Add(std::vector<float>{1, 1}, added));
  CHECK(added.atom == 1);
  std::vector<Scored> nearest;
  REQUIRE(index.Remove(added.member));
  REQUIRE(index.Nearest(std::vector<float>{1, 1}, 2, By::kCentroid, nearest));
  CHECK(nearest[0].number == 1);
  CHECK(nearest[1].number == 7);
  REQUIRE(index.Add(std::vector<float>{-1, -1}, added));
  CHECK(added.created);
  CHECK(added.atom == 8);
}

TEST_CASE("a vector without a direction is refused and changes nothing") {
  for (const Storage storage : {Storage::kFloat32, Storage::kInt8}) {
    AtomIndex index(OptionsOf(Policies()[0], storage, 3));
    Added added;
    REQUIRE(index.Add(std::vector<float>{1, 2, 3}, added));
    std::vector<Scored> nearest;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    for (const std::vector<float>& bad :
         std::vector<std::vector<float>>{{0, 0, 0}, {1, nan, 0}, {infinity, 0, 0}, {-0.0F, 0, 0}}) {
      std::uint32_t member = 99;
      CHECK_FALSE(index.Add(bad, added));
      CHECK_FALSE(index.AddAssigned(bad, 0, member));
      CHECK_FALSE(index.Nearest(bad, 1, By::kCentroid, nearest));
      CHECK_FALSE(index.NearestMembers(bad, 1, nearest));
      CHECK(member == 99);
    }
    CHECK_FALSE(index.AddRow(std::vector<std::int8_t>{0, 0, 0}, added));
    CHECK_FALSE(index.AddRow(std::vector<std::int8_t>{1, -128, 0}, added));
    CHECK(index.size() == 1);
    CHECK(index.count() == 1);
    // The largest and smallest floats have directions.
    const float most = std::numeric_limits<float>::max();
    const float least = std::numeric_limits<float>::denorm_min();
    REQUIRE(index.Add(std::vector<float>{most, most, most}, added));
    REQUIRE(index.Add(std::vector<float>{least, least, least}, added));
    CHECK(added.similarity == doctest::Approx(1));
  }
}

TEST_CASE("a removal leaves the sum as if the member had never been") {
  std::mt19937 random(31);
  for (const Storage storage : {Storage::kFloat32, Storage::kInt8}) {
    AtomIndex with(OptionsOf(Policies()[0], storage));
    AtomIndex without(OptionsOf(Policies()[0], storage));
    std::vector<std::uint32_t> extra;
    for (int i = 0; i < 60; ++i) {
      const auto vector = Clustered(random, kDimensions, 0.3);
      const auto other = Clustered(random, kDimensions, 0.3);
      std::uint32_t member = 0;
      REQUIRE(without.AddAssigned(vector, static_cast<std::uint32_t>(i % 3), member));
      if (i % 2 == 0) {
        REQUIRE(with.AddAssigned(other, static_cast<std::uint32_t>(i % 3), member));
        extra.push_back(member);
      }
      REQUIRE(with.AddAssigned(vector, static_cast<std::uint32_t>(i % 3), member));
    }
    for (const std::uint32_t member : extra) REQUIRE(with.Remove(member));
    for (const std::uint32_t atom : {0U, 1U, 2U}) {
      CHECK(with.StatisticsOf(atom, By::kCentroid) == without.StatisticsOf(atom, By::kCentroid));
      CHECK(with.MembersOf(atom).size() == without.MembersOf(atom).size());
    }
    Added left;
    Added right;
    const auto vector = Clustered(random, kDimensions, 0.3);
    REQUIRE(with.Add(vector, left));
    REQUIRE(without.Add(vector, right));
    CHECK(left.atom == right.atom);
    CHECK(left.similarity == right.similarity);
  }
}

TEST_CASE("int8 rows keep the stated bound, and any scale") {
  std::mt19937 random(41);
  for (const std::size_t dimensions : {1U, 2U, 63U, 64U, 65U, 384U, 4096U}) {
    AtomIndex exact(OptionsOf(Policies()[0], Storage::kFloat32, dimensions));
    AtomIndex rounded(OptionsOf(Policies()[0], Storage::kInt8, dimensions));
    std::vector<float> previous;
    for (int i = 0; i < 20; ++i) {
      const auto vector = Clustered(random, dimensions, 1);
      Added added;
      REQUIRE(exact.Add(vector, added));
      REQUIRE(rounded.Add(vector, added));
      if (!previous.empty()) {
        const auto unit = Unit(vector);
        const auto other = Unit(previous);
        const std::vector<float> unit_float(unit.begin(), unit.end());
        const std::vector<float> other_float(other.begin(), other.end());
        const double bound = QuantizationError(unit_float) + QuantizationError(other_float) + 1e-6;
        float cosine = 0;
        const std::uint32_t member = added.member;
        REQUIRE(rounded.Cosines(previous, std::span(&member, 1), std::span(&cosine, 1)));
        CHECK(std::fabs(static_cast<double>(cosine) - AtomModel::Dot(unit, other)) <= bound);
      }
      previous = vector;
      // A row of another scale, and the one stored, are the same member.
      std::vector<std::int8_t> row(dimensions);
      REQUIRE(QuantizeUnit(vector, row));
      std::uint32_t copy = 0;
      REQUIRE(rounded.AddAssigned(row, 1000, copy));
      CHECK(VectorOf(rounded, copy) == VectorOf(rounded, added.member));
    }
  }
}

TEST_CASE("online k-means opens its atoms first, by chance where it is seeded") {
  const auto atoms = [](bool seeded, std::uint64_t seed) {
    std::mt19937 random(51);
    AtomIndex index(
        OptionsOf({PolicyKind::kOnlineKMeans, Gate::kBoth, seeded, 4, 0, seed}, Storage::kFloat32));
    std::vector<std::uint32_t> chosen;
    for (int i = 0; i < 40; ++i) {
      Added added;
      REQUIRE(index.Add(Clustered(random, kDimensions, 0.4), added));
      chosen.push_back(added.atom);
    }
    CHECK(index.count() == 4);
    return chosen;
  };
  const auto plain = atoms(false, 0);
  CHECK(std::vector<std::uint32_t>(plain.begin(), plain.begin() + 4) ==
        std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(atoms(true, 1) == atoms(true, 1));
  CHECK((atoms(true, 1) != atoms(true, 2) || atoms(true, 1) != atoms(true, 3)));
}

TEST_CASE("a batch is added whole or not at all") {
  std::mt19937 random(61);
  AtomIndex index(OptionsOf(Policies()[0], Storage::kFloat32));
  AtomIndex one_by_one(OptionsOf(Policies()[0], Storage::kFloat32));
  std::vector<float> vectors;
  for (int i = 0; i < 30; ++i) {
    const auto vector = Clustered(random, kDimensions, 0.4);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  std::vector<Added> added;
  REQUIRE(index.AddMany(vectors, {}, added).ok());
  REQUIRE(added.size() == 30);
  for (std::size_t i = 0; i < 30; ++i) {
    Added expected;
    REQUIRE(one_by_one.Add(std::span(vectors).subspan(i * kDimensions, kDimensions), expected));
    CHECK(added[i].member == expected.member);
    CHECK(added[i].atom == expected.atom);
    CHECK(added[i].created == expected.created);
    CHECK(added[i].similarity == expected.similarity);
  }
  const auto centroid = index.StatisticsOf(0, By::kCentroid);
  int polled = 0;
  const auto cancelled = [&] { return ++polled > 20; };
  CHECK(index.AddMany(vectors, cancelled, added).code() == ErrorCode::kAborted);
  CHECK(added.empty());
  vectors[15 * kDimensions] = std::numeric_limits<float>::quiet_NaN();
  CHECK(index.AddMany(vectors, {}, added).code() == ErrorCode::kInternal);
  CHECK(index.size() == 30);
  CHECK(index.count() == one_by_one.count());
  CHECK(index.StatisticsOf(0, By::kCentroid) == centroid);
}

}  // namespace dentate::atoms
