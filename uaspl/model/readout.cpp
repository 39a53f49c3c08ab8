// Turns logits into predictions, see readout.hpp.
#include "uaspl/model/readout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "uaspl/base/error.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/loss/softmax.hpp"
#include "uaspl/model/metrics.hpp"

namespace uaspl {
namespace {

// Computes the values for each class: its evidence, or a power of e.
void read_values(std::span<const float> logits, const Readout& readout, std::span<double> values) {
  std::ranges::copy(logits, values.begin());
  const double top = std::ranges::max(values);
  for (double& value : values)
    value = readout.evidence ? evidence_of(*readout.evidence, value) : std::exp(value - top);
}

double sum_of(std::span<const double> values, double start = 0.0) {
  return std::accumulate(values.begin(), values.end(), start);
}

// Combines all members: computes the mean of their evidence, or of their probabilities.
void read_row(std::span<const Matrix> members, std::size_t row, const Readout& readout,
              std::span<double> values) {
  read_values(members.front().row(row), readout, values);
  if (members.size() == 1) return;
  std::ranges::fill(values, 0.0);
  std::vector<double> own(values.size());
  for (const Matrix& member : members) {
    read_values(member.row(row), readout, own);
    const double whole =
        (readout.evidence ? 1.0 : sum_of(own)) * static_cast<double>(members.size());
    for (std::size_t k = 0; k < own.size(); ++k) values[k] += own[k] / whole;
  }
}

void resize(Predictions& p, std::size_t rows, std::size_t classes, const Readout& readout) {
  p.labels.resize(rows);
  p.probabilities.resize(rows, classes);
  p.entropy.resize(rows);
  if (!readout.evidence) return;
  p.evidence.resize(rows, classes);
  p.vacuity.resize(rows);
}

// Differences of outputs that overflowed are no numbers, or look like certainty.
bool has_answer(std::span<const Matrix> members, std::size_t row, std::span<const double> values) {
  const auto finite = [](auto x) { return std::isfinite(x); };
  return std::ranges::all_of(values, finite) &&
         std::ranges::all_of(members, [&](const Matrix& member) {
           return std::ranges::all_of(member.row(row), finite);
         });
}

}  // namespace

void take_answer(Predictions& p, std::size_t row) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  p.labels[row] = Predictions::kNoAnswer;
  std::ranges::fill(p.probabilities.row(row), kNone);
  p.entropy[row] = kNone;
  if (p.vacuity.empty()) return;
  std::ranges::fill(p.evidence.row(row), kNone);
  p.vacuity[row] = 1.0F;
}

Predictions read_out(std::span<const Matrix> members, const Readout& readout,
                     std::span<const double> evidence_factors) {
  const Matrix& first = members.front();
  const std::size_t classes = first.cols();
  Predictions result;
  resize(result, first.rows(), classes, readout);
  const auto to_float = [](double value) { return static_cast<float>(value); };
  std::vector<double> values(classes);
  for (std::size_t i = 0; i < first.rows(); ++i) {
    read_row(members, i, readout, values);
    if (readout.evidence) {
      if (!evidence_factors.empty())
        for (double& value : values) value *= evidence_factors[i];
      const double without = static_cast<double>(classes) * readout.prior;
      std::ranges::transform(values, result.evidence.row(i).begin(), to_float);
      result.vacuity[i] = to_float(without / sum_of(values, without));
      for (double& value : values) value += readout.prior;
    }
    const double sum = sum_of(values);
    for (double& value : values) value /= sum;
    std::ranges::transform(values, result.probabilities.row(i).begin(), to_float);
    result.entropy[i] = to_float(entropy(values));
    // If relu gives no evidence at all, the largest logit still tells classes apart.
    result.labels[i] = members.size() == 1 ? predicted_class(first.row(i))
                                           : predicted_class(result.probabilities.row(i));
    if (!has_answer(members, i, values)) take_answer(result, i);
  }
  if (readout.decision) decide(result, *readout.decision);
  return result;
}

void decide(Predictions& predictions, const Decision& decision) {
  if (predictions.probabilities.cols() != 2 || decision.positive > 1)
    throw Error("a threshold decides between two classes, and there is another number of them");
  const auto positive = static_cast<int>(decision.positive);
  for (std::size_t i = 0; i < predictions.rows(); ++i)
    if (predictions.labels[i] != Predictions::kNoAnswer)
      predictions.labels[i] =
          double{predictions.probabilities(i, decision.positive)} >= decision.threshold
              ? positive
              : 1 - positive;
}

Predictions read_out(const Matrix& logits, const Readout& readout,
                     std::span<const double> evidence_factors) {
  return read_out(std::span(&logits, 1), readout, evidence_factors);
}

Predictions read_out_probabilities(const DoubleMatrix& probabilities, double amount,
                                   std::span<const double> known) {
  const std::size_t classes = probabilities.cols();
  Predictions result;
  resize(result, probabilities.rows(), classes, {.evidence = Evidence::kExp});
  std::vector<double> values(classes);
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    const auto p = probabilities.row(i);
    const double evidence = amount * (known.empty() ? 1.0 : known[i]);
    const double strength = static_cast<double>(classes) + evidence;
    for (std::size_t k = 0; k < classes; ++k) {
      result.evidence(i, k) = static_cast<float>(evidence * p[k]);
      values[k] = (1.0 + evidence * p[k]) / strength;
      result.probabilities(i, k) = static_cast<float>(values[k]);
    }
    result.vacuity[i] = static_cast<float>(static_cast<double>(classes) / strength);
    result.entropy[i] = static_cast<float>(entropy(values));
    result.labels[i] = static_cast<int>(std::ranges::max_element(p) - p.begin());
    if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
      take_answer(result, i);
  }
  return result;
}

void append(Predictions& to, const Predictions& more) {
  const auto add = [](auto& all, const auto& part) {
    all.insert(all.end(), part.begin(), part.end());
  };
  const auto add_rows = [](Matrix& all, const Matrix& part) {
    const std::size_t first = all.rows();
    all.resize(first + part.rows(), part.cols());
    if (part.rows() > 0 && part.cols() > 0) std::ranges::copy(part.values(), all.row(first).data());
  };
  add(to.labels, more.labels);
  add_rows(to.probabilities, more.probabilities);
  add_rows(to.evidence, more.evidence);
  add(to.vacuity, more.vacuity);
  add(to.entropy, more.entropy);
  add(to.unknown, more.unknown);
}

std::vector<float> uncertainties(const Matrix& logits, const Readout& readout) {
  if (readout.evidence) return vacuity(logits, *readout.evidence, readout.prior);
  const DoubleMatrix p = softmax(logits);
  const double scale = 1.0 / std::log(static_cast<double>(std::max<std::size_t>(2, p.cols())));
  std::vector<float> all(p.rows());
  for (std::size_t i = 0; i < p.rows(); ++i) all[i] = static_cast<float>(entropy(p.row(i)) * scale);
  return all;
}

}  // namespace uaspl
