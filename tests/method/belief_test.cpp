// Belief masses: hand-computed cases, properties, and values of an independent implementation.
#include "uaspl/method/belief.hpp"

#include <cmath>

#include "tests/support.hpp"
#include "uaspl/method/ecm.hpp"
#include "uaspl/method/eknn.hpp"

namespace uaspl {
namespace {

Matrix matrix_of(const nlohmann::json& rows) {
  Matrix m(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < m.cols(); ++j) m(i, j) = rows[i][j].get<float>();
  return m;
}

void expect_near(const DoubleMatrix& got, const nlohmann::json& expected, double tolerance) {
  ASSERT_EQ(got.rows(), expected.size());
  for (std::size_t i = 0; i < got.rows(); ++i)
    for (std::size_t j = 0; j < got.cols(); ++j)
      EXPECT_NEAR(got(i, j), expected[i][j].get<double>(), tolerance) << i << "," << j;
}

TEST(Eknn, FindsNeighboursAndMeanDistancesOnALine) {
  // Class 0 at 0, 1, 3; class 1 at 10. Mean distance in class 0: (1 + 3 + 2) / 3 = 2.
  const Matrix points(4, 1, {0.0F, 1.0F, 3.0F, 10.0F});
  const std::vector<int> labels{0, 0, 0, 1};
  const Neighbourhood near = find_neighbours(points, labels, 2, 2);
  EXPECT_EQ(near.rows, (std::vector<int>{1, 2, 0, 2, 1, 0, 2, 1}));
  EXPECT_EQ(near.squared, (std::vector<float>{1, 9, 1, 4, 4, 9, 49, 81}));
  EXPECT_DOUBLE_EQ(near.mean_distances[0], 2.0);
  EXPECT_DOUBLE_EQ(near.mean_distances[1], 0.0);
  EXPECT_DOUBLE_EQ(mean_distance(points), (1 + 3 + 10 + 2 + 9 + 7) / 6.0);
}

TEST(Eknn, MassesByHand) {
  // One neighbour: m({q}) = 0.95 exp(-(d / mean distance)^2), the rest to the frame.
  const Matrix points(4, 1, {0.0F, 1.0F, 3.0F, 10.0F});
  const std::vector<int> labels{0, 0, 0, 1};
  const DoubleMatrix masses = eknn_masses(points, labels, 2, {.neighbours = 1});
  EXPECT_NEAR(masses(0, 0), 0.95 * std::exp(-0.25), 1e-12);
  EXPECT_NEAR(masses(0, 2), 1.0 - 0.95 * std::exp(-0.25), 1e-12);
  EXPECT_EQ(masses(0, 1), 0.0);
  EXPECT_NEAR(masses(3, 0), 0.95 * std::exp(-49.0 / 4.0), 1e-12);
  // Two neighbours of two classes, s and r: (s(1-r), r(1-s), (1-s)(1-r)) / (1 - s r). Class 1 has
  // one row, so the mean distance of all rows counts.
  const Matrix pair(3, 1, {0.0F, 1.0F, 2.0F});
  const DoubleMatrix both = eknn_masses(pair, std::vector<int>{0, 0, 1}, 2, {.neighbours = 2});
  const double s = 0.95 * std::exp(-1.0);               // row 0 seen from row 1
  const double r = 0.95 * std::exp(-1.0 / (16.0 / 9));  // row 2 seen from row 1; mean (1+2+1)/3
  EXPECT_NEAR(both(1, 0), s * (1 - r) / (1 - s * r), 1e-12);
  EXPECT_NEAR(both(1, 1), r * (1 - s) / (1 - s * r), 1e-12);
  EXPECT_NEAR(both(1, 2), (1 - s) * (1 - r) / (1 - s * r), 1e-12);
}

TEST(Eknn, TiesGoToTheLowerPosition) {
  const Matrix points(5, 1, {1.0F, 0.0F, -1.0F, 1.0F, -1.0F});
  const Neighbourhood near = find_neighbours(points, std::vector<int>{1, 0, 0, 0, 1}, 2, 2);
  EXPECT_EQ(near.rows[2], 0);  // of row 1: all others are as near
  EXPECT_EQ(near.rows[3], 2);
}

TEST(Eknn, EqualsBruteForceOverManyBlocks) {
  constexpr std::size_t kRows = 700;  // three blocks
  const auto clouds = testing::make_clouds(kRows, 5, 3, 3);
  const Neighbourhood near = find_neighbours(clouds.points(), clouds.labels, 3, 6);
  for (std::size_t i = 0; i < kRows; i += 13) {
    std::vector<std::pair<double, int>> all;
    for (std::size_t j = 0; j < kRows; ++j) {
      double sum = 0.0;
      for (std::size_t c = 0; c < 5; ++c)
        sum += std::pow(static_cast<double>(clouds.points()(i, c)) - clouds.points()(j, c), 2);
      if (j != i) all.emplace_back(sum, static_cast<int>(j));
    }
    std::ranges::sort(all);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(near.rows[i * 6 + k], all[k].second);
      EXPECT_NEAR(near.squared[i * 6 + k], all[k].first, 1e-5);
    }
  }
}

TEST(Eknn, AFarRowIsLeftToIgnorance) {
  const auto clouds = testing::make_clouds(60, 2, 2, 5);
  Matrix points = clouds.points();
  double before = 0.0;
  EXPECT_LT(eknn_masses(points, clouds.labels, 2)(7, 2), 0.9);
  for (const float far : {2.0F, 3.0F, 100.0F, 1e4F}) {
    points(7, 0) = points(7, 1) = far;
    const double ignorance = eknn_masses(points, clouds.labels, 2)(7, 2);
    EXPECT_GE(ignorance, before);
    before = ignorance;
  }
  EXPECT_GT(before, 1.0 - 1e-9);
}

TEST(Eknn, MassesSumToOneAndAreNotNegative) {
  for (const std::size_t n : {1U, 2U, 5U, 300U}) {
    const auto clouds = testing::make_clouds(n, 3, std::min<std::size_t>(n, 4), 9);
    Matrix points = clouds.points();
    for (std::size_t i = n / 2; i < n; ++i)  // many equal rows
      std::ranges::copy(points.row(0), points.row(i).begin());
    for (const std::size_t k : {1U, 4U, 400U}) {
      const DoubleMatrix masses = eknn_masses(points, clouds.labels, 4, {.neighbours = k});
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (const double m : masses.row(i)) {
          EXPECT_GE(m, 0.0);
          sum += m;
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
      }
    }
  }
}

TEST(Eknn, SurvivesValuesThatAreNotFinite) {
  const auto clouds = testing::make_clouds(40, 2, 2, 5);
  Matrix points = clouds.points();
  points(3, 0) = std::nanf("");
  points(4, 0) = std::numeric_limits<float>::infinity();
  const Neighbourhood near = find_neighbours(points, clouds.labels, 2, 39);
  for (const int row : near.rows) EXPECT_TRUE(row >= 0 && row < 40);
  const DoubleMatrix p = eknn_pignistic(eknn_masses(points, clouds.labels, 2));
  for (const double value : p.values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(Ecm, ListsTheFocalSets) {
  EXPECT_EQ(focal_sets(3, 10).size(), 7U);
  EXPECT_EQ(focal_sets(10, 10).size(), 1023U);
  EXPECT_EQ(focal_sets(4, 3),
            (FocalSets{
                {0}, {1}, {2}, {3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {0, 1, 2, 3}}));
  EXPECT_EQ(focal_sets(100, 10).size(), 100U + 4950U + 1U);
  EXPECT_EQ(focal_sets(1, 10), (FocalSets{{0}}));
}

TEST(Ecm, MassesByHand) {
  // Centres at 0 and 4; a row at 1: d^2 = 1, 9, and 1 to the middle.
  const EvidentialMeans means(focal_sets(2, 10), DoubleMatrix(2, 1, {0.0, 4.0}));
  std::vector<double> masses(4);
  const float row = 1.0F;
  means.masses({&row, 1}, masses);
  const double sum = 1.0 + 1.0 / 9 + 1.0 / 2 + 0.01;
  EXPECT_NEAR(masses[0], 1.0 / sum, 1e-12);
  EXPECT_NEAR(masses[1], 1.0 / 9 / sum, 1e-12);
  EXPECT_NEAR(masses[2], 0.5 / sum, 1e-12);
  EXPECT_NEAR(masses[3], 0.01 / sum, 1e-12);
  std::vector<double> p(2);
  means.pignistic({&row, 1}, p);
  EXPECT_NEAR(p[0], 1.25 / (1.5 + 1.0 / 9 - 0.25 + 0.25), 1e-12);
}

TEST(Ecm, TheObjectiveIsItsDefinitionAndNeverRises) {
  const auto clouds = testing::make_clouds(150, 3, 4, 31);
  const FocalSets sets = focal_sets(4, 3);
  EvidentialMeans means(sets, cluster_means(clouds.points(), clouds.labels, 4));
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 40; ++round) {
    double by_definition = 0.0;
    std::vector<double> masses(sets.size() + 1);
    for (std::size_t i = 0; i < 150; ++i) {
      means.masses(clouds.points().row(i), masses);
      double total = 0.0;
      for (std::size_t s = 0; s < sets.size(); ++s) {
        double squared = 0.0;
        for (std::size_t c = 0; c < 3; ++c) {
          double centre = 0.0;
          for (const std::size_t k : sets[s])
            centre += means.centres()(k, c) / static_cast<double>(sets[s].size());
          squared += std::pow(static_cast<double>(clouds.points()(i, c)) - centre, 2);
        }
        by_definition += static_cast<double>(sets[s].size()) * masses[s] * masses[s] * squared;
        EXPECT_GE(masses[s], 0.0);
        total += masses[s];
      }
      by_definition += 100.0 * masses.back() * masses.back();
      EXPECT_NEAR(total + masses.back(), 1.0, 1e-12);
    }
    EXPECT_NEAR(means.objective(clouds.points()), by_definition, 1e-9 * by_definition);
    EXPECT_LE(by_definition, before + 1e-9);
    before = by_definition;
    means = means.tuned(clouds.points());
  }
}

TEST(Belief, EqualsTheReference) {
  const nlohmann::json cases = testing::reference("methods.json")["belief"];
  for (const auto& one : cases) {
    const Matrix points = matrix_of(one["points"]);
    const auto labels = one["labels"].get<std::vector<int>>();
    const auto classes = one["classes"].get<std::size_t>();
    const DoubleMatrix masses = eknn_masses(points, labels, classes);
    expect_near(masses, one["eknn_masses"], 2e-6);  // distances are float
    const DoubleMatrix p = eknn_pignistic(masses);
    expect_near(p, one["eknn"], 2e-6);
    expect_near(ecm_pignistic(points, labels, classes), one["ecm"], 1e-9);
    expect_near(ecm_pignistic(points, labels, classes, {.tune = true}), one["ecm_tuned"], 1e-7);
    const std::vector<double> unsure = ambiguity(p, labels);
    for (std::size_t i = 0; i < unsure.size(); ++i)
      EXPECT_NEAR(unsure[i], one["ambiguity"][i].get<double>(), 1e-5);
  }
}

TEST(Belief, AmbiguityByHand) {
  // Entropies 1, 0.811..., 0 bits; the third row is believed to be of another class.
  const DoubleMatrix p(3, 2, {0.5, 0.5, 0.75, 0.25, 0.0, 1.0});
  const std::vector<double> unsure = ambiguity(p, std::vector<int>{0, 0, 0});
  EXPECT_DOUBLE_EQ(unsure[0], 1.0);
  EXPECT_NEAR(unsure[1], 0.8112781244591328, 1e-12);
  EXPECT_DOUBLE_EQ(unsure[2], 1.0);
  const DoubleMatrix sure(2, 2, {1.0, 0.0, 1.0, 0.0});
  EXPECT_EQ(ambiguity(sure, std::vector<int>{0, 0}), (std::vector<double>{0.0, 0.0}));
}

TEST(Belief, ScoresAndWeightsByHand) {
  const std::vector<double> unsure{0.2, 1.0, 0.0};
  const std::vector<float> losses{4.0F, 1.0F, 2.0F};
  EXPECT_EQ(belief_scores(unsure, losses, 1.0), (std::vector<float>{0.2F, 1.0F, 0.0F}));
  EXPECT_EQ(belief_scores(unsure, losses, 0.0), (std::vector<float>{1.0F, 0.25F, 0.5F}));
  const auto mixed = belief_scores(unsure, losses, 0.8);
  EXPECT_NEAR(mixed[0], 0.2 * 1.0 + 0.8 * 0.2, 1e-6);
  EXPECT_NEAR(mixed[1], 0.2 * 0.25 + 0.8 * 1.0, 1e-6);
  EXPECT_EQ(belief_scores(unsure, std::vector<float>(3), 0.0), (std::vector<float>(3)));
  const double xi[] = {1.0, 0.8, 0.6, 0.4, 0.2, 0.0};
  for (int t = 0; t < 6; ++t) {
    EXPECT_NEAR(trust_in_ambiguity({t, 6, 0.0}, 1.0), xi[t], 1e-12);
    EXPECT_NEAR(trust_in_ambiguity({t, 6, 0.0}, 3.0), std::pow(xi[t], 3), 1e-12);
  }
  EXPECT_EQ(trust_in_ambiguity({0, 1, 1.0}, 2.0), 1.0);
  const DoubleMatrix p(2, 2, {0.25, 0.75, 0.5, 0.5});
  EXPECT_EQ(belief_weights(p, std::vector<int>{0, 1}, 1.0), (std::vector<float>{0.25F, 0.5F}));
  EXPECT_EQ(belief_weights(p, std::vector<int>{1, 1}, 2.0), (std::vector<float>{0.5625F, 0.25F}));
}

TEST(Belief, WhatIsNoNumberIsMostAmbiguous) {
  const double nan = std::nan("");
  const DoubleMatrix p(3, 2, {nan, nan, 0.9, 0.1, 1.0, 0.0});
  const auto unsure = ambiguity(p, std::vector<int>{0, 0, 0});
  EXPECT_EQ(unsure[0], 1.0);
  EXPECT_EQ(unsure[1], 1.0);  // the highest of the numbers
  EXPECT_EQ(unsure[2], 0.0);
}

TEST(Belief, AClassWithoutRowsGetsNoProbability) {
  const auto clouds = testing::make_clouds(50, 3, 2, 8);
  const DoubleMatrix p = ecm_pignistic(clouds.points(), clouds.labels, 4);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(p(i, 2), 0.0);
    EXPECT_NEAR(p(i, 0) + p(i, 1), 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace uaspl
