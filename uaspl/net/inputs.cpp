// Inputs of networks, see inputs.hpp.
#include "uaspl/net/inputs.hpp"

#include <fmt/format.h>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"

namespace uaspl {

std::size_t Inputs::rows() const {
  if (const auto* rows = std::get_if<Matrix>(&data_)) return rows->rows();
  return std::get<Images>(data_).set->rows();
}

const Matrix& Inputs::matrix() const {
  if (const auto* rows = std::get_if<Matrix>(&data_)) return *rows;
  throw Error("network: it reads rows of a table, and was given images");
}

const Images& Inputs::images() const {
  if (const auto* images = std::get_if<Images>(&data_)) return *images;
  throw Error("network: it reads images, and was given rows of a table");
}

Inputs encode(const Encoder& encoder, const Dataset& data) {
  if (const auto* table = std::get_if<TableEncoder>(&encoder)) {
    if (data.is_images() || data.table().features.cols() != table->schema.features.size())
      throw Error(data.name + ": not a table with the columns that the model takes");
    try {
      return Inputs(encode_cells(*table, data.table().features));
    } catch (const BeyondFloat& cell) {
      throw Error(fmt::format(
          "{}: row {} of the data, column '{}': '{}' is too far from the values "
          "of the rows that are trained on; is it a mistake?",
          data.name, cell.row + 1, printable(table->schema.input_names()[cell.input]), cell.value));
    }
  }
  const ImageEncoder& images = std::get<ImageEncoder>(encoder);
  if (!data.is_images() || data.images().set->shape != images.shape)
    throw Error(data.name + ": no images of the shape that the model takes");
  return Inputs(Images{data.images().set, images.transform});
}

}  // namespace uaspl
