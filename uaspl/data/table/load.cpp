// Loads data sets, see load.hpp. A file of numbers is read in one pass. Any other file is read
// again for the values, once it is known what its columns hold; only a pipe is kept in memory for
// that.
#include "uaspl/data/table/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "uaspl/base/text.hpp"
#include "uaspl/data/table/find_target.hpp"
#include "uaspl/data/table/infer.hpp"
#include "uaspl/data/table/open_records.hpp"
#include "uaspl/data/table/row_encoder.hpp"
#include "uaspl/data/table/survey.hpp"
#include "uaspl/data/table/useless.hpp"
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

  void move_to(Dataset& data, const std::string& file, std::size_t dropped) {
    if (labels_.empty() && dropped > 0)
      throw Error(
          fmt::format("{}: a value is missing in each of the {} rows, so that none is left; "
                      "keep such rows, or leave out the columns that lack values",
                      file, dropped));
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
               const RecordEncoder::Options& options = {}) {
  RecordReader& reader = records.reader();
  Table& table = data.table();
  RecordEncoder encoder(table.schema, &data.target, reader, options);
  const std::size_t width = table.schema.features.size();
  RowCollector rows(width, most_rows);
  std::vector<double> row(width);
  while (reader.next()) {
    int label = -1;
    if (encoder.encode(reader, row, &label)) {
      rows.add(row, label, records.weight());
    } else {
      ++table.dropped;
    }
  }
  records.describe(table);
  rows.move_to(data, reader.name(), table.dropped);
  table.odd.assign(encoder.odd().begin(), encoder.odd().end());
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

// Reads a table of numbers in one pass. Returns false as soon as a cell is none, unless it is to be
// read as it was published: then a second pass reads the categories.
bool read_numbers(Records& records, const LoadOptions& options, std::size_t target, Dataset& data) {
  RecordReader& reader = records.reader();
  Inference inference(reader, options, target);
  if (!inference.plain() && !options.as_published) return false;
  std::optional<RowCollector> rows;
  if (inference.plain()) rows.emplace(inference.width(), reader.extent().records);
  std::size_t kept = 0;
  std::size_t dropped = 0;
  while (reader.next()) {
    const bool keep = inference.take_record();
    if (!inference.plain()) rows.reset();
    if (!rows && !options.as_published) return false;
    if (keep && rows) rows->add(inference.numbers(), inference.class_number(), records.weight());
    ++(keep ? kept : dropped);
  }
  records.describe(data.table());
  Table& table = data.table();
  auto [schema, names] = inference.finish();
  table.schema = std::move(schema);
  data.target = std::move(names);
  if (rows) {
    table.dropped = dropped;
    rows->move_to(data, reader.name(), dropped);
    inference.renumber(data.labels);
  } else {
    reader.rewind();
    read_rows(records, data, kept);
  }
  return true;
}

// Classes that only occurred in rows that were left out are none.
void forget_empty_classes(Dataset& data) {
  std::vector<int> places(data.target.classes.size(), -1);
  for (const int label : data.labels) places[static_cast<std::size_t>(label)] = 0;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) continue;
    places[i] = static_cast<int>(names.size());
    names.push_back(std::move(data.target.classes[i]));
  }
  data.target.classes = std::move(names);
  for (int& label : data.labels) label = places[static_cast<std::size_t>(label)];
}

// Looks at all cells first, and reads them then.
void survey_and_read(Records& records, const LoadOptions& options, std::size_t target,
                     Dataset& data) {
  RecordReader& reader = records.reader();
  reader.rewind();
  {
    Survey survey(reader, options, target);
    data.table().schema = survey.schema();
    data.target = survey.target();
  }
  data.table().dropped = 0;
  const std::size_t most_rows = reader.extent().records;
  read_rows(records, data, most_rows);
  forget_empty_classes(data);
}

// Whether the file may be one of plain numbers, as far as is known before it is read. Where rows
// are dropped, only the columns that are used may count.
bool may_be_numbers(const RecordReader& reader, const LoadOptions& options) {
  const auto declares_more = [](const ColumnHint& hint) {
    return hint.kind != ColumnHint::Kind::kNone && hint.kind != ColumnHint::Kind::kNumber;
  };
  return options.date.empty() && options.decimal != ',' && options.missing != Missing::kDrop &&
         std::ranges::none_of(reader.hints(), declares_more);
}

Dataset read_table(Input& input, const LoadOptions& wanted, std::string name) {
  const LoadOptions options = without_weight(wanted);
  input.keep_rewindable();
  Dataset data;
  data.name = std::move(name);
  Records records(input, options.format, options.weight);
  const RecordReader& reader = records.reader();
  const std::size_t target = find_target(records.reader(), options);
  if (!options.weight.empty() && reader.columns()[target] == options.weight)
    throw Error(fmt::format("{}: column '{}' is the weight, and cannot be the class too",
                            reader.name(), printable(options.weight)));
  if (options.as_published) {
    read_numbers(records, options, target, data);
  } else {
    if (!may_be_numbers(reader, options) || !read_numbers(records, options, target, data))
      survey_and_read(records, options, target, data);
    leave_out_useless(data, options);
  }
  data.table().notes = reader.notes();
  for (const std::string& dropped : wanted.drop)
    data.table().schema.left_out.push_back({dropped, LeftOut::Why::kDropped});
  if (options.hash) {
    Sha256 sum;
    input.pass([&](std::string_view bytes) { sum.add(bytes); });
    data.table().sha256 = sum.digest();
  }
  return data;
}

}  // namespace

LoadOptions published_loading() { return {.missing = Missing::kDrop, .as_published = true}; }

Dataset load_dataset(const std::filesystem::path& file, const LoadOptions& options) {
  Input input(file);
  return read_table(input, options, name_of(file));
}

Dataset parse_dataset(std::string_view text, std::string name, const LoadOptions& options) {
  Input input(text, name);
  return read_table(input, options, std::move(name));
}

Dataset load_by_schema(const std::filesystem::path& file, const Schema& schema,
                       const Target& target, const TableFormat& format, const Scaler* scaler,
                       bool strict, const std::string& weight) {
  Input input(file);
  input.keep_rewindable();
  Dataset data;
  data.name = name_of(file);
  data.table().schema = schema;
  data.target = target;
  Records records(input, format, weight);
  // Rows may be left out: the file's size is a sufficient bound.
  if (schema.features.empty()) throw Error("a model without input columns reads no table");
  const auto [count, bytes] = records.reader().extent();
  read_rows(records, data, std::min(count, bytes / schema.features.size() + 1),
            {.scaler = scaler, .strict = strict});
  data.table().notes = records.reader().notes();
  return data;
}

}  // namespace uaspl
