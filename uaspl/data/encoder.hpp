// Encoders turn rows into what a network reads. They are fitted on training rows, and are plain
// data that is saved with the model.
#pragma once

#include <span>
#include <variant>

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/table/scaler.hpp"

namespace uaspl {

struct TableEncoder {
  Schema schema;
  Scaler scaler;
  std::size_t width() const { return schema.width(); }
};

struct ImageEncoder {
  ImageShape shape;
  ImageTransform transform;
};

using Encoder = std::variant<TableEncoder, ImageEncoder>;

// Fits an encoder. For a table, the scaling is fitted on the given rows.
Encoder fit_encoder(const Dataset& data, std::span<const int> rows);

}  // namespace uaspl
