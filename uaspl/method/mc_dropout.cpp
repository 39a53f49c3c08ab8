// Self-paced learning by the uncertainty under random dropout: MC_MI, MC_pBALD and MC_BalEnt.
#include "uaspl/method/mc_dropout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "uaspl/loss/evidential.hpp"
#include "uaspl/loss/softmax.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

constexpr double kLeastMoment = 1e-9;  // lower limit of means, variances and mutual information
constexpr double kLeastShape = 1e-6;   // lower limit of the shapes of beta distributions

}  // namespace

void PassMoments::add(const DoubleMatrix& probabilities) {
  if (passes_ == 0) {
    means_.resize(probabilities.rows(), probabilities.cols());
    squares_.resize(probabilities.rows(), probabilities.cols());
    entropies_.resize(probabilities.rows());
  }
  ++passes_;
  const auto count = static_cast<double>(passes_);
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    for (std::size_t k = 0; k < probabilities.cols(); ++k) {
      const double before = probabilities(i, k) - means_(i, k);
      means_(i, k) += before / count;
      squares_(i, k) += before * (probabilities(i, k) - means_(i, k));
    }
    entropies_[i] += (entropy(probabilities.row(i)) - entropies_[i]) / count;
  }
}

double PassMoments::variance(std::size_t row, std::size_t k) const {
  return passes_ < 2 ? 0.0 : squares_(row, k) / static_cast<double>(passes_ - 1);
}

double PassMoments::entropy_of_mean(std::size_t row) const { return entropy(means_.row(row)); }

double mutual_information(const PassMoments& moments, std::size_t row) {
  const double information = moments.entropy_of_mean(row) - moments.mean_entropy(row);
  return information < 0.0 ? 0.0 : information;
}

// Computes ln B(a+1, b) - a psi(a+1) - (b-1) psi(b) + (a+b-1) psi(a+b+1), written with g(x) = ln
// Gamma(x) - (x-1) psi(x) + x so that what grows with a and b has cancelled; g needs x >= 1, so b
// is raised by one.
double posterior_entropy(double a, double b) {
  const GammaTerms first = gamma_terms(a + 1.0);
  const GammaTerms second = gamma_terms(b + 1.0);
  const GammaTerms sum = gamma_terms(a + b + 1.0);
  const double raised = second.digamma - std::log(b) + (b - 1.0) / b;
  return first.combined + second.combined - sum.combined - 1.0 + raised - sum.digamma;
}

double balanced_entropy(const PassMoments& moments, std::size_t row, bool entropy_twice) {
  const double h = moments.entropy_of_mean(row);
  double joint = entropy_twice ? 2.0 * h : h;
  for (std::size_t k = 0; k < moments.classes(); ++k) {
    const double m = std::max(moments.mean(row, k), kLeastMoment);
    const double v = std::max(moments.variance(row, k), kLeastMoment);
    // An unbiased variance may be too large for a beta distribution: then a and b are negative.
    const double a = m * m * (1.0 - m) / v - m;
    const double b = (1.0 / m - 1.0) * a;
    joint +=
        std::min(m * posterior_entropy(std::max(a, kLeastShape), std::max(b, kLeastShape)), 0.0);
  }
  return joint / (h + std::numbers::ln2);
}

// The n largest of ln(weight) + Gumbel noise are a draw without replacement by these weights; the
// weights are MI^-power, and a score is low if its key is large.
double power_score(double information, double power, double gumbel) {
  const double least = information < kLeastMoment ? kLeastMoment : information;
  return power * std::log(least) - gumbel;
}

double balanced_score(double balanced_entropy) {
  return balanced_entropy >= 0.0 ? 1.0 / balanced_entropy : balanced_entropy;
}

namespace {

struct Sampling {
  float dropout;
  int passes;
};

PassMoments sample(const Sampling& sampling, const Stage& stage, const Probe& probe) {
  PassMoments moments;
  for (int pass = 0; pass < sampling.passes; ++pass) {
    Stream stream = probe.stream("mc_dropout", static_cast<std::uint64_t>(stage.index),
                                 static_cast<std::uint64_t>(pass));
    moments.add(softmax(probe.sampled_logits(sampling.dropout, stream.word())));
  }
  return moments;
}

using RowScore = std::function<double(const PassMoments&, std::size_t row, Stream&)>;

std::unique_ptr<Method> by_passes(const Settings& settings, const RowScore& score) {
  const Sampling sampling{static_cast<float>(settings["dropout"]),
                          static_cast<int>(settings["passes"])};
  return paced({.loss = softmax_loss,
                .score =
                    [sampling, score](const Stage& stage, const Probe& probe) {
                      const PassMoments moments = sample(sampling, stage, probe);
                      Stream stream =
                          probe.stream("mc_draws", static_cast<std::uint64_t>(stage.index));
                      std::vector<float> scores;
                      for (std::size_t i = 0; i < moments.rows(); ++i)
                        scores.push_back(static_cast<float>(score(moments, i, stream)));
                      return scores;
                    },
                .dropout = sampling.dropout,
                .needs = {.network = {.sampled_logits = true}}});
}

}  // namespace

std::unique_ptr<Method> make_mc_mi(const Settings& settings) {
  return by_passes(settings, [](const PassMoments& moments, std::size_t row, Stream&) {
    return mutual_information(moments, row);
  });
}

std::unique_ptr<Method> make_mc_pbald(const Settings& settings) {
  const double power = settings["beta"];
  return by_passes(settings, [power](const PassMoments& moments, std::size_t row, Stream& stream) {
    return power_score(mutual_information(moments, row), power, stream.gumbel());
  });
}

std::unique_ptr<Method> make_mc_balent(const Settings& settings) {
  const bool twice = settings["entropy"] == 1.0;
  return by_passes(settings, [twice](const PassMoments& moments, std::size_t row, Stream&) {
    return balanced_score(balanced_entropy(moments, row, twice));
  });
}

}  // namespace uaspl
