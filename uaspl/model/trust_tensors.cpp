// Scalings and novelty as tensors, see trust_tensors.hpp.
#include "uaspl/model/trust_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

using Pieces = RobustInput::Pieces;

// A column of a scaling: its input, centre, scale, whether it is clipped, its kind of pieces and
// its number of knots. Knots and means of all columns follow each other.
constexpr std::size_t kFacts = 6;
constexpr double kMostKnots = 1000.0;

void put(TensorFile& file, const std::string& name, std::vector<double> values) {
  if (values.empty()) return;  // a file has no tensors without values
  const std::size_t size = values.size();
  file.tensors[name] = {{size}, std::move(values)};
}

template <typename T>
BasicMatrix<T> take_matrix(TensorFile& file, const std::string& name) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) return {};
  auto* values = std::get_if<std::vector<T>>(&found->second.values);
  const auto& shape = found->second.shape;
  if (!values || shape.empty() || shape.size() > 2)
    throw Error("tensor " + name + " has another type or shape");
  const std::size_t columns = shape.size() == 2 ? shape[1] : 1;
  BasicMatrix<T> matrix(shape[0], columns, std::move(*values));
  file.tensors.erase(found);
  return matrix;
}

std::vector<double> take(TensorFile& file, const std::string& name) {
  const DoubleMatrix all = take_matrix<double>(file, name);
  return {all.values().begin(), all.values().end()};
}

std::size_t whole(double value, double most) {
  if (!(value >= 0.0 && value <= most) || value != std::floor(value))
    throw Error("a scaling with an impossible number");
  return static_cast<std::size_t>(value);
}

// Hands out the next values of a list.
class List {
 public:
  explicit List(std::vector<double> values) : values_(std::move(values)) {}
  std::vector<double> next(std::size_t count) {
    if (count > values_.size() - at_) throw Error("a scaling with too few numbers");
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }
  void end() const {
    if (at_ != values_.size()) throw Error("a scaling with too many numbers");
  }

 private:
  std::vector<double> values_;
  std::size_t at_ = 0;
};

}  // namespace

void put_scaling(TensorFile& file, const std::string& prefix, const RichScaling& scaling) {
  std::vector<double> facts;
  std::vector<double> knots;
  std::vector<double> means;
  for (const RobustInput& column : scaling.columns) {
    facts.insert(facts.end(), {static_cast<double>(column.input), column.centre, column.scale,
                               column.clipped ? 1.0 : 0.0, static_cast<double>(column.pieces),
                               static_cast<double>(column.knots.size())});
    knots.insert(knots.end(), column.knots.begin(), column.knots.end());
    means.insert(means.end(), column.means.begin(), column.means.end());
  }
  put(file, prefix + "columns", std::move(facts));
  put(file, prefix + "knots", std::move(knots));
  put(file, prefix + "means", std::move(means));
  const Whitening& whitening = scaling.whitening;
  if (whitening.axes.rows() == 0) return;
  put(file, prefix + "middle", whitening.mean);
  file.tensors[prefix + "axes"] = {
      {whitening.axes.rows(), whitening.axes.cols()},
      std::vector<double>(whitening.axes.values().begin(), whitening.axes.values().end())};
}

RichScaling take_scaling(TensorFile& file, const std::string& prefix, std::size_t inputs) {
  RichScaling scaling{.inputs = inputs};
  const std::vector<double> facts = take(file, prefix + "columns");
  if (facts.empty() || facts.size() % kFacts != 0) throw Error("a scaling of no columns");
  List knots(take(file, prefix + "knots"));
  List means(take(file, prefix + "means"));
  for (std::size_t at = 0; at < facts.size(); at += kFacts) {
    const auto fact = [&](std::size_t i) { return facts[at + i]; };
    RobustInput column{.input = whole(fact(0), static_cast<double>(inputs)),
                       .centre = fact(1),
                       .scale = fact(2),
                       .clipped = whole(fact(3), 1.0) == 1,
                       .pieces = static_cast<Pieces>(whole(fact(4), 2.0))};
    const std::size_t count = whole(fact(5), kMostKnots);
    column.knots = knots.next(count);
    if (count > 0) column.means = means.next(count - (column.pieces == Pieces::kRising ? 1 : 0));
    scaling.columns.push_back(std::move(column));
  }
  knots.end();
  means.end();
  scaling.whitening = {take(file, prefix + "middle"), take_matrix<double>(file, prefix + "axes")};
  check(scaling);
  return scaling;
}

void put_novelty(TensorFile& file, const std::string& prefix, const Novelty& novelty) {
  const Novelty::Data& data = novelty.data();
  put(file, prefix + "mean", data.mean);
  put(file, prefix + "scale", data.scale);
  put(file, prefix + "unit", {data.unit});
  file.tensors[prefix + "centres"] = {
      {data.centres.rows(), data.centres.cols()},
      std::vector<float>(data.centres.values().begin(), data.centres.values().end())};
}

Novelty take_novelty(TensorFile& file, const std::string& prefix, std::size_t inputs,
                     std::vector<std::pair<std::size_t, std::size_t>> categories) {
  Novelty::Data data{.mean = take(file, prefix + "mean"),
                     .scale = take(file, prefix + "scale"),
                     .centres = take_matrix<float>(file, prefix + "centres"),
                     .categories = std::move(categories)};
  const std::vector<double> unit = take(file, prefix + "unit");
  if (unit.size() != 1 || data.mean.size() != inputs) throw Error("novelty: sizes that do not fit");
  data.unit = unit.front();
  return Novelty(std::move(data));
}

}  // namespace uaspl
