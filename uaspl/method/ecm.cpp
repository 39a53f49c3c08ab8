// Evidential c-means, see ecm.hpp.
#include "uaspl/method/ecm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace uaspl {
namespace {

constexpr double kDelta = 10.0;  // distance at which a row belongs to no class
constexpr double kEmptyAffinity = 1.0 / (kDelta * kDelta);
constexpr double kLeastSquared = 1e-12;  // lower limit of a squared distance

double square(double x) { return x * x; }

// Solves a x = b for a symmetric positive definite a, for every column of b; returns nothing if a
// is not.
std::optional<DoubleMatrix> solve(DoubleMatrix a, DoubleMatrix b) {
  const std::size_t n = a.rows();
  for (std::size_t j = 0; j < n; ++j) {  // Cholesky: a becomes its lower factor
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i) a(i, j) -= a(i, k) * a(j, k);
    if (!(a(j, j) > 0.0)) return std::nullopt;
    const double root = std::sqrt(a(j, j));
    for (std::size_t i = j; i < n; ++i) a(i, j) /= root;
  }
  for (std::size_t c = 0; c < b.cols(); ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) b(i, c) -= a(i, k) * b(k, c);
      b(i, c) /= a(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) b(i, c) -= a(k, i) * b(k, c);
      b(i, c) /= a(i, i);
    }
  }
  return b;
}

// Moves the centres until the objective hardly falls.
EvidentialMeans tune(EvidentialMeans means, const Matrix& points, const Ecm& options) {
  double objective = means.objective(points);
  for (int round = 0; round < options.most_rounds; ++round) {
    EvidentialMeans next = means.tuned(points);
    const double lower = next.objective(points);
    const double gain = objective - lower;
    if (!(gain > 0.0)) break;
    means = std::move(next);
    objective = lower;
    if (gain < options.tolerance) break;
  }
  return means;
}

}  // namespace

FocalSets focal_sets(std::size_t clusters, std::size_t all_up_to) {
  FocalSets sets;
  if (clusters <= all_up_to) {
    for (std::size_t bits = 1; bits < std::size_t{1} << clusters; ++bits) {
      sets.emplace_back();
      for (std::size_t k = 0; k < clusters; ++k)
        if ((bits >> k & 1U) != 0) sets.back().push_back(k);
    }
    return sets;
  }
  for (std::size_t a = 0; a < clusters; ++a) sets.push_back({a});
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = a + 1; b < clusters; ++b) sets.push_back({a, b});
  if (clusters > 2) {
    sets.emplace_back(clusters);
    std::iota(sets.back().begin(), sets.back().end(), std::size_t{0});
  }
  return sets;
}

DoubleMatrix cluster_means(const Matrix& points, std::span<const int> clusters, std::size_t count) {
  DoubleMatrix means(count, points.cols());
  std::vector<double> members(count);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto k = static_cast<std::size_t>(clusters[i]);
    ++members[k];
    for (std::size_t c = 0; c < points.cols(); ++c)
      means(k, c) += static_cast<double>(points(i, c));
  }
  for (std::size_t k = 0; k < count; ++k)
    for (double& x : means.row(k)) x /= std::max(1.0, members[k]);
  return means;
}

EvidentialMeans::EvidentialMeans(FocalSets sets, DoubleMatrix centres)
    : sets_(std::move(sets)), centres_(std::move(centres)), spreads_(sets_.size()) {
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const auto size = static_cast<double>(sets_[s].size());
    for (std::size_t c = 0; c < centres_.cols(); ++c) {
      double mean = 0.0;
      for (const std::size_t k : sets_[s]) mean += centres_(k, c) / size;
      for (const std::size_t k : sets_[s]) spreads_[s] += square(centres_(k, c) - mean) / size;
    }
  }
}

// A set's squared distance is the mean of those to its centres less their spread, so that a row
// needs its distances to the centres only, whatever the number of sets.
void EvidentialMeans::affinities(std::span<const float> row, std::span<double> out) const {
  std::vector<double> to_centre(centres_.rows());
  for (std::size_t k = 0; k < to_centre.size(); ++k)
    for (std::size_t c = 0; c < row.size(); ++c)
      to_centre[k] += square(static_cast<double>(row[c]) - centres_(k, c));
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const auto size = static_cast<double>(sets_[s].size());
    double sum = 0.0;
    for (const std::size_t k : sets_[s]) sum += to_centre[k];
    out[s] = 1.0 / (size * std::max(sum / size - spreads_[s], kLeastSquared));
  }
}

void EvidentialMeans::masses(std::span<const float> row, std::span<double> out) const {
  affinities(row, out);
  out.back() = kEmptyAffinity;
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& mass : out) mass /= sum;
}

void EvidentialMeans::pignistic(std::span<const float> row, std::span<double> out) const {
  std::vector<double> affinity(sets_.size());
  affinities(row, affinity);
  std::ranges::fill(out, 0.0);
  for (std::size_t s = 0; s < sets_.size(); ++s)
    for (const std::size_t k : sets_[s])
      out[k] += affinity[s] / static_cast<double>(sets_[s].size());
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& p : out) p = sum > 0.0 ? p / sum : 1.0 / static_cast<double>(out.size());
}

// With masses proportional to the affinities, a row's term is one over the sum of these.
double EvidentialMeans::objective(const Matrix& points) const {
  std::vector<double> affinity(sets_.size());
  double objective = 0.0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    affinities(points.row(i), affinity);
    objective += 1.0 / std::accumulate(affinity.begin(), affinity.end(), kEmptyAffinity);
  }
  return objective;
}

EvidentialMeans EvidentialMeans::tuned(const Matrix& points) const {
  DoubleMatrix h(centres_.rows(), centres_.rows());
  DoubleMatrix b(centres_.rows(), centres_.cols());
  std::vector<double> mass(sets_.size() + 1);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    masses(points.row(i), mass);
    std::vector<double> pull(centres_.rows());
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const double weight = square(mass[s]);
      for (const std::size_t k : sets_[s]) {
        pull[k] += weight;
        for (const std::size_t l : sets_[s])
          h(k, l) += weight / static_cast<double>(sets_[s].size());
      }
    }
    for (std::size_t k = 0; k < pull.size(); ++k)
      for (std::size_t c = 0; c < b.cols(); ++c)
        b(k, c) += pull[k] * static_cast<double>(points(i, c));
  }
  auto centres = solve(std::move(h), std::move(b));
  return {sets_, centres ? *centres : centres_};
}

DoubleMatrix ecm_pignistic(const Matrix& points, std::span<const int> labels, std::size_t classes,
                           const Ecm& options) {
  std::vector<int> cluster_of(classes, -1);  // classes without rows have none
  for (const int label : labels) cluster_of[static_cast<std::size_t>(label)] = 0;
  std::vector<std::size_t> class_of;
  for (std::size_t k = 0; k < classes; ++k) {
    if (cluster_of[k] < 0) continue;
    cluster_of[k] = static_cast<int>(class_of.size());
    class_of.push_back(k);
  }
  std::vector<int> clusters;
  for (const int label : labels) clusters.push_back(cluster_of[static_cast<std::size_t>(label)]);

  const std::size_t count = class_of.size();
  EvidentialMeans means(focal_sets(count, options.tune ? kAllSetsTuned : kAllSets),
                        cluster_means(points, clusters, count));
  if (options.tune) means = tune(std::move(means), points, options);
  DoubleMatrix p(points.rows(), classes);
  std::vector<double> row(count);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    means.pignistic(points.row(i), row);
    for (std::size_t k = 0; k < count; ++k) p(i, class_of[k]) = row[k];
  }
  return p;
}

}  // namespace uaspl
