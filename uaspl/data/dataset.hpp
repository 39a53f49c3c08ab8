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
  // A cell for each row and feature, as it was read (FeatureColumn); encoders make of them what
  // networks read.
  DoubleMatrix features;
  std::size_t dropped = 0;         // rows left out: a value was missing, or they cannot be judged
  std::vector<OddCells> odd = {};  // by feature, if any cell could not be read as it was expected
  std::string sha256;              // of the file, if it was asked for
  std::string weight = {};         // name of the column of the rows' weights, if one was named
  std::size_t weightless = 0;      // rows left out because their weight was 0
  std::vector<std::string> notes = {};  // what was done to the bytes to read them, in sentences
};

struct Dataset {
  std::string name;
  Target target;
  std::vector<int> labels;  // places in target.classes; -1 for an unknown class
  std::variant<Table, Images> samples;
  std::vector<double> weights = {};  // of the rows, above 0; empty: all count equally
  std::string identity;              // result of content_sha256() if it is kept, else empty

  std::size_t rows() const { return labels.size(); }
  bool is_images() const { return std::holds_alternative<Images>(samples); }
  const Table& table() const { return std::get<Table>(samples); }
  Table& table() { return std::get<Table>(samples); }
  const Images& images() const { return std::get<Images>(samples); }
  std::size_t dropped() const { return is_images() ? 0 : table().dropped; }
};

// Gives the rows of a data set weights. Rows of a table with weight 0 are taken out; weights that
// are all the same say nothing and are not kept. Throws if a weight is negative or not finite.
Dataset weighted(Dataset data, std::vector<double> weights);

// Throws unless there are no weights, or one above 0 for each row.
void check_weights_of_rows(const Dataset& data);

// Returns the hash of what is trained on: encoded features or pixels, labels and classes, and the
// weights of the rows if they have any, whatever the format of the file. Takes a pass over the data
// unless the hash is kept in data.identity.
std::string content_sha256(const Dataset& data);

}  // namespace uaspl
