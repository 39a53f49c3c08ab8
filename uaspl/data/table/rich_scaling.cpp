// Robust, piecewise-linear and whitened inputs, see rich_scaling.hpp.
#include "uaspl/data/table/rich_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

using Pieces = RobustInput::Pieces;

constexpr double kClip = 3.0;          // no scaled input is beyond it
constexpr std::size_t kFewValues = 6;  // up to here, every value has a knot of its own
constexpr double kMostPieces = 600.0;  // of all inputs together

std::size_t further(const RobustInput& column) {
  if (column.pieces == Pieces::kNone) return 0;
  return column.pieces == Pieces::kShared ? column.knots.size() : column.knots.size() - 1;
}

double scaled(const RobustInput& column, double x) {
  if (std::isnan(x)) return 0.0;
  // Halves keep numbers at the end of what a double holds from overflowing.
  const double z = 2.0 * (x / 2.0 - column.centre / 2.0) / column.scale;
  if (!column.clipped) return std::clamp(z, -1e4, 1e4);
  if (std::abs(z) > 1e6) return std::copysign(kClip, z);
  return z / std::sqrt(1.0 + (z / kClip) * (z / kClip));
}

// How far x lies between the knots b and b + 1: 0 at or before the first, 1 at or after the second.
double between(const RobustInput& column, std::size_t b, double x) {
  const double low = column.knots[b];
  return std::clamp((x - low) / (column.knots[b + 1] - low), 0.0, 1.0);
}

// Calls take(value) for each further input, without its mean.
template <typename Take>
void pieces(const RobustInput& column, double x, const Take& take) {
  if (column.pieces == Pieces::kNone) return;
  double before = 1.0;  // how far x lies after the knot in hand, from the one before it
  for (std::size_t b = 0; b + 1 < column.knots.size(); ++b) {
    const double after = between(column, b, x);
    take(column.pieces == Pieces::kRising ? after : before - after);
    before = after;
  }
  if (column.pieces == Pieces::kShared) take(before);
}

// The value below which a share of the sorted values lies, between two of them where it must.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

std::vector<double> distinct_of(std::vector<double> sorted) {
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

// The robust part of an input with at least two values.
RobustInput fit_input(std::size_t input, std::span<const double> sorted, std::size_t values,
                      bool level) {
  RobustInput column{.input = input};
  const double low = sorted.front();
  const double high = sorted.back();
  if (values == 2) {  // -1 and 1, and indicators as they are
    column.clipped = false;
    column.centre = level ? 0.0 : std::midpoint(low, high);
    column.scale = level ? 1.0 : high / 2.0 - low / 2.0;
    return column;
  }
  column.centre = quantile(sorted, 0.5);
  column.scale = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  if (!(column.scale > 0.0)) column.scale = high / 2.0 - low / 2.0;
  if (!(column.scale < 1e300)) column.scale = 1e300;
  return column;
}

void add_knots(RobustInput& column, std::span<const double> sorted,
               const std::vector<double>& values, std::size_t bins) {
  if (values.size() <= kFewValues) {
    column.pieces = Pieces::kShared;
    column.knots = values;
  } else {
    column.pieces = Pieces::kRising;
    for (std::size_t b = 0; b <= bins; ++b)
      column.knots.push_back(quantile(sorted, static_cast<double>(b) / static_cast<double>(bins)));
    column.knots = distinct_of(column.knots);
    if (column.knots.size() < 2) column.knots = {values.front(), values.back()};
  }
  column.means.assign(further(column), 0.0);
  for (const double x : sorted) {
    std::size_t at = 0;
    pieces(column, x, [&](double value) { column.means[at++] += value; });
  }
  for (double& mean : column.means) mean /= static_cast<double>(sorted.size());
}

// clamp(round(sqrt(n) / 2), 4, 8) bins, fewer where many inputs would make too many of them.
std::size_t bins_for(std::size_t rows, std::size_t numbers) {
  const double root = std::round(std::sqrt(static_cast<double>(rows)) / 2.0);
  const double bins = std::clamp(root, 4.0, 8.0);
  const auto count = static_cast<double>(std::max<std::size_t>(numbers, 1));
  if (bins * count <= kMostPieces) return static_cast<std::size_t>(bins);
  return static_cast<std::size_t>(std::max(2.0, std::floor(kMostPieces / count)));
}

// The scaled inputs of a row, without whitening.
template <typename Take>
void scale_row(const RichScaling& scaling, std::span<const double> row, const Take& take) {
  for (const RobustInput& column : scaling.columns) take(scaled(column, row[column.input]));
  for (const RobustInput& column : scaling.columns) {
    std::size_t at = 0;
    const double x = row[column.input];
    if (std::isnan(x))
      for (; at < further(column); ++at) take(0.0);
    else
      pieces(column, x, [&](double value) { take(value - column.means[at++]); });
  }
}

// Products of the rows of a matrix with each other, or of its columns if there are fewer of them.
DoubleMatrix products(const DoubleMatrix& rows, bool of_columns) {
  const std::size_t n = of_columns ? rows.cols() : rows.rows();
  DoubleMatrix sums(n, n);
  if (of_columns) {
    for (std::size_t r = 0; r < rows.rows(); ++r)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) sums(i, j) += rows(r, i) * rows(r, j);
  } else {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        sums(i, j) =
            std::inner_product(rows.row(i).begin(), rows.row(i).end(), rows.row(j).begin(), 0.0);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) sums(j, i) = sums(i, j);
  return sums;
}

// The directions of the largest spread, at most half as many as rows, divided by their deviation.
// Where there are fewer rows than columns, they come from the products of the rows.
Whitening fit_whitening(DoubleMatrix rows) {
  constexpr double kSmallest = 1e-6;  // of a singular value, as a share of the largest
  const std::size_t n = rows.rows();
  Whitening result{.mean = std::vector<double>(rows.cols())};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j)
      result.mean[j] += rows(i, j) / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j) rows(i, j) -= result.mean[j];
  const bool of_columns = rows.cols() <= n;
  const Eigen eigen = eigen_of_symmetric(products(rows, of_columns));
  const std::size_t most = std::max<std::size_t>(2, n / 2);
  std::vector<double> axes;
  std::size_t kept = 0;
  for (; kept < std::min(most, eigen.values.size()); ++kept) {
    const double value = eigen.values[kept];
    if (!(value > kSmallest * kSmallest * eigen.values.front())) break;
    const double deviation = std::sqrt(value / static_cast<double>(n));
    const auto vector = eigen.vectors.row(kept);
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      double along = 0.0;
      if (of_columns) {
        along = vector[j];
      } else {
        for (std::size_t i = 0; i < n; ++i) along += vector[i] * rows(i, j);
        along /= std::sqrt(value);
      }
      axes.push_back(along / deviation);
    }
  }
  result.axes = DoubleMatrix(kept, rows.cols(), std::move(axes));
  return result;
}

void rotate(DoubleMatrix& a, std::size_t p, std::size_t q, double c, double s) {
  for (std::size_t k = 0; k < a.cols(); ++k) {
    const double x = a(p, k);
    const double y = a(q, k);
    a(p, k) = c * x - s * y;
    a(q, k) = s * x + c * y;
  }
}

void rotate_columns(DoubleMatrix& a, std::size_t p, std::size_t q, double c, double s) {
  for (std::size_t k = 0; k < a.rows(); ++k) {
    const double x = a(k, p);
    const double y = a(k, q);
    a(k, p) = c * x - s * y;
    a(k, q) = s * x + c * y;
  }
}

}  // namespace

std::size_t RichScaling::width() const {
  if (whitening.axes.rows() > 0) return whitening.axes.rows();
  std::size_t sum = columns.size();
  for (const RobustInput& column : columns) sum += further(column);
  return sum;
}

void RichScaling::apply(std::span<const double> row, std::span<float> out) const {
  const auto infinite = [](double x) { return std::isinf(x); };
  if (std::ranges::any_of(row, infinite)) throw Error("an input that is infinite");
  if (whitening.axes.rows() == 0) {
    std::size_t at = 0;
    return scale_row(*this, row, [&](double value) { out[at++] = static_cast<float>(value); });
  }
  static thread_local std::vector<double> centred;
  centred.clear();
  scale_row(*this, row,
            [&](double value) { centred.push_back(value - whitening.mean[centred.size()]); });
  for (std::size_t k = 0; k < whitening.axes.rows(); ++k) {
    const double z =
        std::inner_product(centred.begin(), centred.end(), whitening.axes.row(k).begin(), 0.0);
    out[k] = static_cast<float>(std::clamp(z, -Whitening::kClip, Whitening::kClip));
  }
}

RichScaling fit_rich_scaling(const DoubleMatrix& rows, const std::vector<bool>& level,
                             Encoding encoding) {
  RichScaling scaling{.inputs = rows.cols()};
  std::vector<std::vector<double>> sorted(rows.cols());
  std::vector<std::vector<double>> values(rows.cols());
  std::size_t numbers = 0;
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    for (std::size_t i = 0; i < rows.rows(); ++i)
      if (!std::isnan(rows(i, j))) sorted[j].push_back(rows(i, j));
    std::ranges::sort(sorted[j]);
    values[j] = distinct_of(sorted[j]);
    if (values[j].size() > 2) ++numbers;
  }
  const std::size_t bins = bins_for(rows.rows(), numbers);
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    if (values[j].size() < 2) continue;
    scaling.columns.push_back(fit_input(j, sorted[j], values[j].size(), level[j]));
    if (encoding == Encoding::kPiecewise && values[j].size() > 2)
      add_knots(scaling.columns.back(), sorted[j], values[j], bins);
  }
  if (encoding == Encoding::kWhitened && !scaling.columns.empty()) {
    DoubleMatrix all(rows.rows(), scaling.columns.size());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::size_t at = 0;
      scale_row(scaling, rows.row(i), [&](double value) { all(i, at++) = value; });
    }
    scaling.whitening = fit_whitening(std::move(all));
  }
  return scaling;
}

void check(const RichScaling& scaling) {
  const auto finite = [](std::span<const double> values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
  };
  for (const RobustInput& column : scaling.columns) {
    if (column.input >= scaling.inputs) throw Error("a scaled input that is not there");
    if (!std::isfinite(column.centre) || !(column.scale > 0.0) || !std::isfinite(column.scale))
      throw Error("an impossible scale of an input");
    const bool none = column.pieces == Pieces::kNone;
    if (none ? !column.knots.empty() : column.knots.size() < 2)
      throw Error("an impossible number of knots");
    const bool ascending =
        std::ranges::adjacent_find(column.knots, std::greater_equal<>()) == column.knots.end();
    if (!finite(column.knots) || !ascending) throw Error("knots that do not ascend");
    if (column.means.size() != further(column) || !finite(column.means))
      throw Error("impossible means of the pieces of an input");
  }
  const Whitening& whitening = scaling.whitening;
  if (whitening.axes.rows() == 0) return;
  std::size_t width = scaling.columns.size();
  for (const RobustInput& column : scaling.columns) width += further(column);
  if (whitening.mean.size() != width || whitening.axes.cols() != width || !finite(whitening.mean) ||
      !finite(whitening.axes.values()))
    throw Error("an impossible whitening of the inputs");
}

// Jacobi's method: rotations, each of which makes one entry beside the diagonal 0, until all are.
Eigen eigen_of_symmetric(DoubleMatrix a) {
  const std::size_t n = a.rows();
  DoubleMatrix vectors(n, n);
  for (std::size_t i = 0; i < n; ++i) vectors(i, i) = 1.0;
  double size = 0.0;
  for (const double x : a.values()) size += x * x;
  constexpr int kMostSweeps = 30;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double beside = 0.0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = 0; q < p; ++q) beside += a(p, q) * a(p, q);
    if (!(beside > 1e-26 * size)) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a(p, q) == 0.0) continue;
        const double theta = (a(q, q) - a(p, p)) / (2.0 * a(p, q));
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(1.0, theta));
        const double c = 1.0 / std::hypot(1.0, t);
        rotate(a, p, q, c, t * c);
        rotate_columns(a, p, q, c, t * c);
        rotate(vectors, p, q, c, t * c);
      }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) { return a(i, i) > a(j, j); });
  Eigen result{{}, DoubleMatrix(n, n)};
  for (std::size_t i = 0; i < n; ++i) {
    result.values.push_back(a(order[i], order[i]));
    std::ranges::copy(vectors.row(order[i]), result.vectors.row(i).begin());
  }
  return result;
}

}  // namespace uaspl
