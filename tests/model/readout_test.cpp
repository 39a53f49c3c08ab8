// From logits to predictions, by hand: one network and several, evidence and softmax.
#include "uaspl/model/readout.hpp"

#include <cmath>
#include <limits>

#include "tests/support.hpp"

namespace uaspl {
namespace {

double entropy_of(const std::vector<double>& probabilities) {
  double sum = 0.0;
  for (const double p : probabilities) sum -= p * std::log(p);
  return sum;
}

TEST(Readout, OfLogitsByEvidenceAndBySoftmax) {
  const Matrix logits(2, 2, {std::log(3.0F), 0.0F, -1.0F, 2.0F});
  Predictions p = read_out(logits, {});
  EXPECT_EQ(p.labels, (std::vector<int>{0, 1}));
  EXPECT_NEAR(p.probabilities(0, 0), 0.75, 1e-6);
  EXPECT_NEAR(p.entropy[0], entropy_of({0.75, 0.25}), 1e-6);
  EXPECT_TRUE(p.vacuity.empty());
  EXPECT_EQ(p.evidence.cols(), 0U);
  append(p, read_out(logits, {}));  // after those that are there
  EXPECT_EQ(p.labels.size(), 4U);
  EXPECT_EQ(p.probabilities(2, 0), p.probabilities(0, 0));
  const Predictions evidential = read_out(logits, {Evidence::kRelu});
  // Row 1 has evidence 0 and 2: alpha 1 and 3.
  EXPECT_EQ(evidential.evidence(1, 0), 0.0F);
  EXPECT_EQ(evidential.evidence(1, 1), 2.0F);
  EXPECT_NEAR(evidential.probabilities(1, 1), 0.75, 1e-6);
  EXPECT_NEAR(evidential.vacuity[1], 0.5, 1e-6);
  EXPECT_NEAR(evidential.entropy[1], entropy_of({0.25, 0.75}), 1e-6);
}

TEST(Readout, EveryKindOfEvidenceIsItsDefinition) {
  const std::vector<double> logits{-1.5, 0.25, 2.0};
  const auto check = [&](Evidence kind, const std::function<double(double)>& evidence) {
    const Predictions p = read_out(Matrix(1, 3, {-1.5F, 0.25F, 2.0F}), {kind});
    double strength = 3.0;
    for (const double logit : logits) strength += evidence(logit);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(p.evidence(0, k), evidence(logits[k]), 1e-5);
      EXPECT_NEAR(p.probabilities(0, k), (evidence(logits[k]) + 1.0) / strength, 1e-6);
    }
    EXPECT_NEAR(p.vacuity[0], 3.0 / strength, 1e-6);
    EXPECT_EQ(p.labels[0], 2);
  };
  check(Evidence::kRelu, [](double o) { return std::max(o, 0.0); });
  check(Evidence::kSoftplus, [](double o) { return std::log1p(std::exp(o)); });
  check(Evidence::kExp, [](double o) { return std::exp(o); });
}

TEST(Readout, ASmallPriorTrustsEvidenceSooner) {
  const Matrix logits(1, 2, {2.0F, -1.0F});  // evidence 2 and 0
  const Readout readout{Evidence::kRelu, 0.1};
  const Predictions p = read_out(logits, readout);
  EXPECT_NEAR(p.evidence(0, 0), 2.0, 1e-6);
  EXPECT_NEAR(p.probabilities(0, 0), 2.1 / 2.2, 1e-6);
  EXPECT_NEAR(p.vacuity[0], 0.2 / 2.2, 1e-6);
  EXPECT_EQ(uncertainties(logits, readout), p.vacuity);
}

TEST(Readout, WithoutEvidenceTheLargestLogitOfOneNetworkStillTells) {
  const Predictions p = read_out(Matrix(1, 3, {-3.0F, -1.0F, -2.0F}), {Evidence::kRelu});
  EXPECT_EQ(p.labels[0], 1);
  EXPECT_EQ(p.vacuity[0], 1.0F);
  for (const float value : p.probabilities.values()) EXPECT_NEAR(value, 1.0 / 3.0, 1e-6);
  EXPECT_NEAR(p.entropy[0], std::log(3.0), 1e-6);
}

TEST(Readout, SeveralMembersShareEquallyInEvidence) {
  const std::vector<Matrix> members{Matrix(1, 2, {2.0F, -5.0F}), Matrix(1, 2, {0.0F, 4.0F})};
  const Predictions p = read_out(members, {Evidence::kRelu});  // evidence 1 and 2: alpha 2 and 3
  EXPECT_NEAR(p.evidence(0, 0), 1.0, 1e-6);
  EXPECT_NEAR(p.evidence(0, 1), 2.0, 1e-6);
  EXPECT_NEAR(p.probabilities(0, 0), 0.4, 1e-6);
  EXPECT_NEAR(p.probabilities(0, 1), 0.6, 1e-6);
  EXPECT_NEAR(p.vacuity[0], 0.4, 1e-6);
  EXPECT_NEAR(p.entropy[0], entropy_of({0.4, 0.6}), 1e-6);
  EXPECT_EQ(p.labels[0], 1);
}

// The mean of the logits would say class 1: one member is far surer of it than its probability
// counts.
TEST(Readout, SeveralMembersShareEquallyInProbability) {
  const float log3 = std::log(3.0F);
  const std::vector<Matrix> members{Matrix(1, 2, {log3, 0.0F}), Matrix(1, 2, {log3, 0.0F}),
                                    Matrix(1, 2, {0.0F, 50.0F})};
  const Predictions p = read_out(members, {});
  EXPECT_NEAR(p.probabilities(0, 0), 0.5, 1e-6);  // (0.75 + 0.75 + 0) / 3
  EXPECT_NEAR(p.probabilities(0, 1), 0.5, 1e-6);  // (0.25 + 0.25 + 1) / 3
  EXPECT_NEAR(p.entropy[0], std::log(2.0), 1e-6);
  EXPECT_TRUE(p.vacuity.empty());
  const std::vector<Matrix> four{members[0], members[0], members[0], members[2]};
  const Predictions more = read_out(four, {});
  EXPECT_NEAR(more.probabilities(0, 0), 0.75 * 3 / 4, 1e-6);
  EXPECT_EQ(more.labels[0], 0);
}

TEST(Readout, AMemberTwiceSaysTheSameAsOnce) {
  const Matrix logits = testing::random_matrix(20, 4, 3, 3.0);
  for (const Readout& readout : {Readout{}, Readout{Evidence::kRelu}, Readout{Evidence::kExp}}) {
    const Predictions once = read_out(logits, readout);
    const Predictions twice = read_out(std::vector<Matrix>{logits, logits}, readout);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(once.entropy[i], twice.entropy[i], 1e-6);
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(once.probabilities(i, k), twice.probabilities(i, k), 1e-6);
      if (readout.evidence) {
        EXPECT_NEAR(once.vacuity[i], twice.vacuity[i], 1e-6);
      }
    }
  }
}

// A network that diverged must not look sure of anything, alone or beside a good one.
void expect_no_numbers(const Readout& readout) {
  const float nan = std::nanf("");
  const Matrix good(1, 3, {1.0F, 2.0F, 3.0F});
  const float huge = std::numeric_limits<float>::infinity();
  for (const Matrix& bad : {Matrix(1, 3, {nan, nan, nan}), Matrix(1, 3, {nan, 0.0F, 1.0F}),
                            Matrix(1, 3, {0.0F, 5.0F, nan}), Matrix(1, 3, {huge, 0.0F, -huge}),
                            Matrix(1, 3, {0.0F, -huge, 1.0F})}) {
    for (const Predictions& p :
         {read_out(bad, readout), read_out(std::vector<Matrix>{good, bad}, readout)}) {
      EXPECT_TRUE(std::isnan(p.entropy[0])) << p.entropy[0];
      if (readout.evidence) {
        EXPECT_EQ(p.vacuity[0], 1.0F);
      }
      bool numbers = true;
      for (const float value : p.probabilities.values()) numbers = numbers && !std::isnan(value);
      EXPECT_FALSE(numbers);
      EXPECT_EQ(p.labels[0], Predictions::kNoAnswer);
    }
    if (std::ranges::any_of(bad.values(), [](float x) { return std::isnan(x); })) {
      EXPECT_TRUE(std::isnan(uncertainties(bad, readout)[0]));
    }
  }
}

TEST(Readout, SoftmaxOfWhatIsNotANumberIsNone) { expect_no_numbers({}); }

TEST(Readout, EvidenceOfWhatIsNotANumberIsNone) {
  for (const Evidence evidence : kEvidences) {
    SCOPED_TRACE(evidence_name(evidence));
    expect_no_numbers({evidence});
  }
}

TEST(Readout, UncertaintiesGoFromNoneToAll) {
  const Matrix logits(3, 2, {100.0F, -100.0F, 0.0F, 0.0F, std::log(3.0F), 0.0F});
  const auto soft = uncertainties(logits, {});
  EXPECT_NEAR(soft[0], 0.0, 1e-6);
  EXPECT_NEAR(soft[1], 1.0, 1e-6);
  EXPECT_NEAR(soft[2], entropy_of({0.75, 0.25}) / std::log(2.0), 1e-6);
  const auto vacuities = uncertainties(logits, {Evidence::kRelu});
  EXPECT_NEAR(vacuities[0], 2.0 / 102.0, 1e-6);
  EXPECT_EQ(vacuities[1], 1.0F);
  EXPECT_NEAR(vacuities[2], 2.0 / (2.0 + std::log(3.0)), 1e-6);
}

TEST(Readout, RowsAreAddedToTheEndWithAllThatIsSaidOfThem) {
  const Matrix logits = testing::random_matrix(5, 3, 8, 2.0);
  const Predictions part = read_out(logits, {Evidence::kSoftplus});
  Predictions all;
  append(all, part);
  append(all, part);
  append(all, read_out(Matrix(0, 3), {Evidence::kSoftplus}));
  ASSERT_EQ(all.rows(), 10U);
  ASSERT_EQ(all.vacuity.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(all.labels[i], part.labels[i % 5]);
    EXPECT_EQ(all.vacuity[i], part.vacuity[i % 5]);
    EXPECT_EQ(all.entropy[i], part.entropy[i % 5]);
    EXPECT_TRUE(std::ranges::equal(all.evidence.row(i), part.evidence.row(i % 5)));
    EXPECT_TRUE(std::ranges::equal(all.probabilities.row(i), part.probabilities.row(i % 5)));
  }
}

}  // namespace
}  // namespace uaspl
