// Fits encoders and uses those of tables, see encoder.hpp.
#include "uaspl/data/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "uaspl/data/table/expansion.hpp"

namespace uaspl {
namespace {

// The median of a column's cells that are there, 0 if there are none.
double median(std::vector<double>& values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2.0;
}

void fit_missing(Schema& schema, const DoubleMatrix& cells, std::span<const int> rows) {
  std::vector<double> there;
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    FeatureColumn& column = schema.features[f];
    there.clear();
    for (const int row : rows)
      if (const double x = cells(static_cast<std::size_t>(row), f); !std::isnan(x))
        there.push_back(x);
    column.indicator = there.size() < rows.size();
    column.median = column.categorical() ? 0.0 : median(there);
  }
}

template <typename RowNumber>
Matrix encode_rows(const TableEncoder& encoder, const DoubleMatrix& cells, std::size_t count,
                   RowNumber row_number) {
  const Expansion expansion(encoder.schema);
  Matrix inputs(count, expansion.width());
  std::vector<double> room;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = row_number(i);
    standardise_row(expansion.inputs(cells.row(row), room), row, encoder.scaler, inputs.row(i));
  }
  return inputs;
}

}  // namespace

Encoder fit_encoder(const Dataset& data, std::span<const int> rows) {
  if (data.is_images()) return ImageEncoder{data.images().set->shape, data.images().transform};
  const Table& table = data.table();
  TableEncoder encoder{table.schema, {}};
  if (table.schema.missing == Missing::kKeep) fit_missing(encoder.schema, table.features, rows);
  const Expansion expansion(encoder.schema);
  std::vector<double> room;
  encoder.scaler = fit_scaler(expansion.width(), rows, [&](std::size_t row) {
    return expansion.inputs(table.features.row(row), room);
  });
  return encoder;
}

Matrix encode_cells(const TableEncoder& encoder, const DoubleMatrix& cells,
                    std::span<const int> rows) {
  return encode_rows(encoder, cells, rows.size(),
                     [&](std::size_t i) { return static_cast<std::size_t>(rows[i]); });
}

Matrix encode_cells(const TableEncoder& encoder, const DoubleMatrix& cells) {
  return encode_rows(encoder, cells, cells.rows(), [](std::size_t i) { return i; });
}

}  // namespace uaspl
