// Loads data sets, see load.hpp. A file of numbers is read in one pass. A file with categories,
// whose number decides the places of a row's columns, is read again for the values; it is mapped,
// so this costs no memory.
#include "uaspl/data/table/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "uaspl/data/table/infer.hpp"
#include "uaspl/data/table/row_encoder.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {
namespace {

// Collects rows. Memory is reserved at the start, and what is not filled is never touched.
class RowCollector {
 public:
  RowCollector(std::size_t width, std::size_t most_rows) : width_(width) {
    values_.reserve(width * most_rows);
    labels_.reserve(most_rows);
  }

  void add(std::span<const double> row, int label) {
    values_.insert(values_.end(), row.begin(), row.end());
    labels_.push_back(label);
  }

  void move_to(Dataset& data, const std::string& file) {
    if (labels_.empty()) throw Error(fmt::format("{}: no complete row of data", file));
    data.table().features = DoubleMatrix(labels_.size(), width_, std::move(values_));
    data.labels = std::move(labels_);
  }

 private:
  std::size_t width_;
  std::vector<double> values_;
  std::vector<int> labels_;
};

// Returns an upper bound of the number of records that have something in every cell.
std::size_t most_records(const Input& input, const CsvReader& reader) {
  const std::string_view text = input.view();
  std::size_t lines = 1;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    ++lines;
  return std::min(lines, text.size() / (2 * reader.columns().size()) + 1);
}

void read_rows(CsvReader& reader, Dataset& data, std::size_t most_rows) {
  Table& table = data.table();
  const RecordEncoder encoder(table.schema, &data.target, reader);
  RowCollector rows(table.schema.width(), most_rows);
  std::vector<double> row(table.schema.width());
  while (reader.next()) {
    int label = -1;
    if (encoder.encode(reader, row, &label)) {
      rows.add(row, label);
    } else {
      ++table.dropped;
    }
  }
  rows.move_to(data, reader.name());
}

Dataset infer_and_read(Input& input, const LoadOptions& options) {
  input.read_all();
  Dataset data;
  Table& table = data.table();
  CsvReader reader(input, options.format);
  Inference inference(reader, options);
  std::optional<RowCollector> rows;
  if (inference.plain()) rows.emplace(inference.width(), most_records(input, reader));
  std::size_t kept = 0;
  while (reader.next()) {
    const bool keep = inference.take_record();
    if (!inference.plain()) rows.reset();
    if (keep && rows) rows->add(inference.numbers(), inference.class_number());
    ++(keep ? kept : table.dropped);
  }
  auto [schema, target] = inference.finish();
  table.schema = std::move(schema);
  data.target = std::move(target);
  if (rows) {
    rows->move_to(data, reader.name());
    inference.renumber(data.labels);
  } else {
    table.dropped = 0;
    reader.rewind();
    read_rows(reader, data, kept);
  }
  if (options.hash) table.sha256 = sha256(input.view());
  return data;
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& file, const LoadOptions& options) {
  Input input(file);
  Dataset data = infer_and_read(input, options);
  data.name = file == "-" ? "stdin" : file.stem().string();
  return data;
}

Dataset parse_dataset(std::string_view text, std::string name, const LoadOptions& options) {
  Input input(text, name);
  Dataset data = infer_and_read(input, options);
  data.name = std::move(name);
  return data;
}

Dataset load_by_schema(const std::filesystem::path& file, const Schema& schema,
                       const Target& target, const CsvFormat& format) {
  Input input(file);
  input.read_all();
  Dataset data;
  data.name = file == "-" ? "stdin" : file.stem().string();
  data.table().schema = schema;
  data.target = target;
  CsvReader reader(input, format);
  // A category takes many columns, and rows may be left out: the file's size is a sufficient bound.
  const std::size_t most = input.view().size() / schema.width() + 1;
  read_rows(reader, data, std::min(most, most_records(input, reader)));
  return data;
}

}  // namespace uaspl
