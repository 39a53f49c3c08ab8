// The later evidential losses and SuperLoss against automatic differentiation's values and
// mpmath's.
#include "uaspl/loss/edl.hpp"

#include <cmath>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/loss/superloss.hpp"

namespace uaspl {
namespace {

Evidence evidence_by_name(const std::string& name) {
  for (const Evidence e : kEvidences)
    if (evidence_name(e) == name) return e;
  throw Error("no evidence " + name);
}

TEST(EvidentialForms, EqualTheReferenceValues) {
  const nlohmann::json golden = testing::reference("edl.json");
  ASSERT_EQ(golden["cases"].size(), 9U);
  for (const auto& one : golden["cases"]) {
    const Evidence evidence = evidence_by_name(one["activation"]);
    const auto rows = one["logits"].get<std::vector<std::vector<double>>>();
    DoubleMatrix logits(rows.size(), rows[0].size());
    for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], logits.row(i).begin());
    for (const std::string name : {"edl_ce", "r_edl", "i_edl", "superloss"}) {
      SCOPED_TRACE(name + " " + one["activation"].get<std::string>() + " " +
                   std::to_string(rows[0].size()));
      std::vector<double> values(rows.size());
      DoubleMatrix gradient;
      find_loss(name).make(evidence)(logits, one["labels"].get<std::vector<int>>(), values,
                                     &gradient);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double expected = one[name][i];
        EXPECT_NEAR(values[i], expected, 1e-11 * (1.0 + std::abs(expected))) << i;
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
          const double slope = one["grad_" + name][i][k];
          EXPECT_NEAR(gradient(i, k), slope, 1e-10 * (1.0 + std::abs(slope))) << i << ' ' << k;
        }
      }
    }
  }
}

TEST(EvidentialForms, InformationTermsEqualTheReference) {
  const nlohmann::json golden = testing::reference("edl.json");
  for (const auto& one : golden["information"]) {
    const double x = one[0];
    const InformationTerms terms = information_terms(x);
    EXPECT_NEAR(terms.trigamma / one[1].get<double>(), 1.0, 1e-13) << x;
    EXPECT_NEAR(terms.tetragamma / one[2].get<double>(), 1.0, 1e-13) << x;
    EXPECT_NEAR(terms.excess, one[3].get<double>(), 1e-13) << x;
    EXPECT_NEAR(terms.excess / one[3].get<double>(), 1.0, x < 30.0 ? 1e-10 : 1e-13) << x;
  }
}

// det F goes to psi'(S)^2 (K - 1) / 2 as evidence grows, where 1 - sum psi'(S) / psi'(alpha) would
// have lost all digits.
TEST(EvidentialForms, LogDeterminantKeepsItsPrecision) {
  const double e = 1e13;
  DoubleMatrix logits(1, 2, {e, e});
  std::vector<double> with(1), without(1);
  information_edl(Evidence::kRelu, 1.0, 0.0)(logits, std::vector<int>{0}, with, nullptr);
  information_edl(Evidence::kRelu, 0.0, 0.0)(logits, std::vector<int>{0}, without, nullptr);
  const double log_det = -2.0 * std::log(e) - std::log(2.0 * e) + std::log(0.5);
  EXPECT_NEAR(without[0] - with[0], log_det, 1e-9);
}

// Without evidence all classes have the same share; with it, the smaller prior trusts it sooner.
TEST(EvidentialForms, RelaxedPriorByHand) {
  DoubleMatrix logits(2, 2, {0.0, 0.0, 1.0, 0.0});
  std::vector<double> values(2);
  relaxed_edl(Evidence::kRelu, 0.1, 0.0)(logits, std::vector<int>{0, 0}, values, nullptr);
  EXPECT_NEAR(values[0], 0.5, 1e-15);
  const double p = 1.1 / 1.2;
  EXPECT_NEAR(values[1], 2.0 * (1.0 - p) * (1.0 - p), 1e-15);
  EXPECT_EQ(relaxed_edl(Evidence::kRelu, 0.1, 0.0).prior(), 0.1);
}

TEST(SuperLoss, LambertsFunctionEqualsTheReference) {
  const nlohmann::json golden = testing::reference("edl.json");
  for (const auto& one : golden["lambert"]) {
    const double x = one[0];
    const double w = one[1];
    // Beside the branch point, the last digit of x moves w by 1e-8.
    EXPECT_NEAR(lambert_w(x), w, x < -0.3678 ? 1e-7 : 1e-14 * std::max(1.0, std::abs(w))) << x;
  }
  EXPECT_TRUE(std::isnan(lambert_w(std::nan(""))));
}

TEST(SuperLoss, WeighsEasyRowsUpAndHardOnesDown) {
  const double tau = std::log(2.0);
  EXPECT_NEAR(super_weight(tau, tau, 1.0), 1.0, 1e-15);
  EXPECT_GT(super_weight(0.1, tau, 1.0), 1.0);
  EXPECT_LT(super_weight(3.0, tau, 1.0), 1.0);
  EXPECT_NEAR(super_weight(0.0, 1.0, 1.0), std::exp(1.0), 1e-6);  // the highest weight
  EXPECT_NEAR(super_weight(3.0, tau, 1e6), 1.0, 1e-5);            // as plain cross-entropy
}

// A row without loss has none, so that the early stop means the same as elsewhere.
TEST(SuperLoss, IsZeroWhereTheCrossEntropyIs) {
  DoubleMatrix logits(1, 3, {100.0, 0.0, 0.0});
  std::vector<double> value(1);
  superloss(1.0)(logits, std::vector<int>{0}, value, nullptr);
  EXPECT_NEAR(value[0], 0.0, 1e-15);
}

}  // namespace
}  // namespace uaspl
