// The identity of a data set, see dataset.hpp.
#include "uaspl/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "uaspl/data/table/expansion.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {

std::string content_sha256(const Dataset& data) {
  if (!data.identity.empty()) return data.identity;
  if (data.is_images()) return data.images().set->content;
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(values[0]));
  };
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
  const auto is_missing = [](double cell) { return std::isnan(cell); };
  if (data.table().schema.missing == Missing::kKeep &&
      std::ranges::any_of(cells.values(), is_missing))
    parts += "\n\nmissing cells are kept";
  return sha256(parts);
}

}  // namespace uaspl
