// Fits encoders, see encoder.hpp.
#include "uaspl/data/encoder.hpp"

namespace uaspl {

Encoder fit_encoder(const Dataset& data, std::span<const int> rows) {
  if (data.is_images()) return ImageEncoder{data.images().set->shape, data.images().transform};
  return TableEncoder{data.table().schema, fit_scaler(data.table().features, rows)};
}

}  // namespace uaspl
