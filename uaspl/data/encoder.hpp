// Encoders turn rows into what a network reads. They are fitted on training rows, and are plain
// data that is saved with the model.
#pragma once

#include <span>
#include <variant>

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/table/scaler.hpp"

namespace uaspl {

struct TableEncoder {
  Schema schema;  // with what was fitted for missing cells
  Scaler scaler;  // of the inputs that the schema's expansion makes
  std::size_t width() const { return schema.width(); }
};

// Encodes rows of a table's cells, which have a column for each feature of the encoder's schema.
// Throws BeyondFloat for a cell that is too far from those that the encoder was fitted on.
Matrix encode_cells(const TableEncoder& encoder, const DoubleMatrix& cells,
                    std::span<const int> rows);
Matrix encode_cells(const TableEncoder& encoder, const DoubleMatrix& cells);  // all rows

struct ImageEncoder {
  ImageShape shape;
  ImageTransform transform;
};

using Encoder = std::variant<TableEncoder, ImageEncoder>;

// Fits an encoder. For a table, the given rows decide on the scaling, and on what stands for
// missing cells that are kept.
Encoder fit_encoder(const Dataset& data, std::span<const int> rows);

}  // namespace uaspl
