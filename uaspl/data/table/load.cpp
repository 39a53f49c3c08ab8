// Loads data sets, see load.hpp. A file of numbers is read in one pass. A file with categories,
// whose number decides the places of a row's columns, is read again for the values; only a pipe is
// kept in memory for that.
#include "uaspl/data/table/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "uaspl/base/text.hpp"
#include "uaspl/data/table/infer.hpp"
#include "uaspl/data/table/open_records.hpp"
#include "uaspl/data/table/row_encoder.hpp"
#include "uaspl/data/table/weighted_records.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {
namespace {

// The records of a file, with weights if a column of them is named.
class Records {
 public:
  Records(Input& input, const TableFormat& format, const std::string& weight)
      : file_(open_records(input, format)), weight_(weight) {
    if (!weight.empty()) weighted_.emplace(*file_, weight);
  }

  RecordReader& reader() { return weighted_ ? *weighted_ : *file_; }
  std::optional<double> weight() const {
    return weighted_ ? std::optional(weighted_->weight()) : std::nullopt;
  }

  void describe(Table& table) const {
    table.weight = weight_;
    table.weightless = weighted_ ? weighted_->weightless() : 0;
  }

 private:
  std::unique_ptr<RecordReader> file_;
  std::string weight_;
  std::optional<WeightedRecords> weighted_;
};

// Collects rows. Memory is reserved at the start, and what is not filled is never touched.
class RowCollector {
 public:
  RowCollector(std::size_t width, std::size_t most_rows) : width_(width) {
    values_.reserve(width * most_rows);
    labels_.reserve(most_rows);
  }

  void add(std::span<const double> row, int label, std::optional<double> weight) {
    values_.insert(values_.end(), row.begin(), row.end());
    labels_.push_back(label);
    if (weight) weights_.push_back(*weight);
  }

  void move_to(Dataset& data, const std::string& file) {
    if (labels_.empty()) throw Error(fmt::format("{}: no complete row of data", file));
    data.table().features = DoubleMatrix(labels_.size(), width_, std::move(values_));
    data.labels = std::move(labels_);
    if (!weights_.empty()) data = weighted(std::move(data), std::move(weights_));
  }

 private:
  std::size_t width_;
  std::vector<double> values_;
  std::vector<int> labels_;
  std::vector<double> weights_;
};

void read_rows(Records& records, Dataset& data, std::size_t most_rows,
               const Scaler* scaler = nullptr) {
  RecordReader& reader = records.reader();
  Table& table = data.table();
  const RecordEncoder encoder(table.schema, &data.target, reader, scaler);
  RowCollector rows(table.schema.width(), most_rows);
  std::vector<double> row(table.schema.width());
  while (reader.next()) {
    int label = -1;
    if (encoder.encode(reader, row, &label)) {
      rows.add(row, label, records.weight());
    } else {
      ++table.dropped;
    }
  }
  records.describe(table);
  rows.move_to(data, reader.name());
}

// `churn` of churn.csv and of churn.csv.gz.
std::string name_of(const std::filesystem::path& file) {
  if (file == "-") return "stdin";
  const std::filesystem::path whole = file.extension() == ".gz" ? file.stem() : file;
  return whole.stem().string();
}

// The weight is no feature.
LoadOptions without_weight(LoadOptions options) {
  if (!options.weight.empty()) options.drop.push_back(options.weight);
  return options;
}

Dataset infer_and_read(Input& input, const LoadOptions& wanted) {
  const LoadOptions options = without_weight(wanted);
  input.keep_rewindable();
  Dataset data;
  Table& table = data.table();
  Records records(input, options.format, options.weight);
  RecordReader& reader = records.reader();
  Inference inference(reader, options);
  std::optional<RowCollector> rows;
  if (inference.plain()) rows.emplace(inference.width(), reader.extent().records);
  std::size_t kept = 0;
  while (reader.next()) {
    const bool keep = inference.take_record();
    if (!inference.plain()) rows.reset();
    if (keep && rows) rows->add(inference.numbers(), inference.class_number(), records.weight());
    ++(keep ? kept : table.dropped);
  }
  records.describe(table);
  auto [schema, target] = inference.finish();
  if (!options.weight.empty() && target.name == options.weight)
    throw Error(fmt::format("{}: column '{}' is the weight, and cannot be the class too",
                            reader.name(), printable(target.name)));
  table.schema = std::move(schema);
  data.target = std::move(target);
  if (rows) {
    rows->move_to(data, reader.name());
    inference.renumber(data.labels);
  } else {
    table.dropped = 0;
    reader.rewind();
    read_rows(records, data, kept);
  }
  table.notes = reader.notes();
  if (options.hash) {
    Sha256 sum;
    input.pass([&](std::string_view bytes) { sum.add(bytes); });
    table.sha256 = sum.digest();
  }
  return data;
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& file, const LoadOptions& options) {
  Input input(file);
  Dataset data = infer_and_read(input, options);
  data.name = name_of(file);
  return data;
}

Dataset parse_dataset(std::string_view text, std::string name, const LoadOptions& options) {
  Input input(text, name);
  Dataset data = infer_and_read(input, options);
  data.name = std::move(name);
  return data;
}

Dataset load_by_schema(const std::filesystem::path& file, const Schema& schema,
                       const Target& target, const TableFormat& format, const Scaler* scaler,
                       const std::string& weight) {
  Input input(file);
  input.keep_rewindable();
  Dataset data;
  data.name = name_of(file);
  data.table().schema = schema;
  data.target = target;
  Records records(input, format, weight);
  // A category takes many columns, and rows may be left out: the file's size is a sufficient bound.
  if (schema.width() == 0) throw Error("a model without input columns reads no table");
  const auto [count, bytes] = records.reader().extent();
  read_rows(records, data, std::min(count, bytes / schema.width() + 1), scaler);
  data.table().notes = records.reader().notes();
  return data;
}

}  // namespace uaspl
