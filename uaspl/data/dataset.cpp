// The identity of a data set, see dataset.hpp.
#include "uaspl/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/expansion.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {
namespace {

// Takes the rows of a table with weight 0 out of it.
void take_out_weightless(Dataset& data, std::vector<double>& weights) {
  Table& table = data.table();
  const std::size_t width = table.features.cols();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0.0) continue;
    if (kept < i) std::ranges::copy(table.features.row(i), table.features.row(kept).begin());
    data.labels[kept] = data.labels[i];
    weights[kept++] = weights[i];
  }
  table.weightless += weights.size() - kept;
  table.features.resize(kept, width);
  data.labels.resize(kept);
  weights.resize(kept);
}

}  // namespace

Dataset weighted(Dataset data, std::vector<double> weights) {
  if (weights.size() != data.rows())
    throw Error(fmt::format("{}: {} weights of {} rows", data.name, weights.size(), data.rows()));
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0.0) || !std::isfinite(weights[i]))
      throw Error(fmt::format("{}: row {}: weight {}, expected a finite number from 0", data.name,
                              i + 1, weights[i]));
  if (std::ranges::find(weights, 0.0) != weights.end()) {
    if (data.is_images())
      throw Error(data.name + ": an image of weight 0; leave it out of the set instead");
    take_out_weightless(data, weights);
    if (weights.empty()) throw Error(data.name + ": all rows have weight 0");
  }
  const bool same = std::ranges::adjacent_find(weights, std::not_equal_to<>()) == weights.end();
  data.weights = same ? std::vector<double>() : std::move(weights);
  data.identity.clear();
  return data;
}

void check_weights_of_rows(const Dataset& data) {
  const auto fits = [](double weight) { return weight > 0.0 && std::isfinite(weight); };
  const bool right = data.weights.empty() || data.weights.size() == data.rows();
  if (!right || !std::ranges::all_of(data.weights, fits))
    throw Error(data.name +
                ": expected no weights, or a finite one above 0 for each row (`weighted` takes "
                "rows of weight 0 out)");
}

std::string content_sha256(const Dataset& data) {
  if (!data.identity.empty()) return data.identity;
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(values[0]));
  };
  const std::string weights = data.weights.empty() ? "" : sha256(bytes(data.weights));
  if (data.is_images()) {
    const std::string& images = data.images().set->content;
    return weights.empty() ? images : sha256(images + weights);
  }
  const DoubleMatrix& cells = data.table().features;
  Schema schema = data.table().schema;
  if (schema.missing == Missing::kKeep) schema.missing = Missing::kMean;  // missing cells are NaN
  const Expansion expansion(schema);
  Sha256 inputs;
  std::vector<double> room;
  for (std::size_t i = 0; i < cells.rows(); ++i)
    inputs.add(bytes(expansion.inputs(cells.row(i), room)));
  std::string parts = inputs.digest() + sha256(bytes(data.labels));
  parts += fmt::format("{} x {}", cells.rows(), expansion.width());
  for (const std::string& name : data.target.classes) parts += "\n" + name;
  if (!weights.empty()) parts += "\nweights " + weights;
  const auto is_missing = [](double cell) { return std::isnan(cell); };
  if (data.table().schema.missing == Missing::kKeep &&
      std::ranges::any_of(cells.values(), is_missing))
    parts += "\n\nmissing cells are kept";
  return sha256(parts);
}

}  // namespace uaspl
