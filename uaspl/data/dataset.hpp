// A data set: rows of a table, or images, with one class label each.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/data/image/images.hpp"
#include "uaspl/data/table/schema.hpp"
#include "uaspl/data/target.hpp"

namespace uaspl {

struct Table {
  Schema schema;
  DoubleMatrix features;           // encoded, not scaled: that happens in double, after the split
  std::size_t dropped = 0;         // rows left out because a value was missing
  std::string sha256;              // of the file, if it was asked for
  std::vector<std::string> notes;  // what was done to the bytes to read them, in sentences
};

struct Dataset {
  std::string name;
  Target target;
  std::vector<int> labels;  // places in target.classes; -1 for an unknown class
  std::variant<Table, Images> samples;
  std::string identity;  // result of content_sha256() if it is kept, else empty

  std::size_t rows() const { return labels.size(); }
  bool is_images() const { return std::holds_alternative<Images>(samples); }
  const Table& table() const { return std::get<Table>(samples); }
  Table& table() { return std::get<Table>(samples); }
  const Images& images() const { return std::get<Images>(samples); }
  std::size_t dropped() const { return is_images() ? 0 : table().dropped; }
};

// Returns the hash of what is trained on: encoded features or pixels, labels and classes, whatever
// the format of the file. Takes a pass over the data unless the hash is kept in data.identity.
std::string content_sha256(const Dataset& data);

}  // namespace uaspl
