// Loading data sets, see load.hpp. The file is passed three times: for the kinds of the columns,
// for categories and classes, and for the values; it is mapped, so this costs no memory.
#include "uaspl/data/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "uaspl/base/sha256.hpp"
#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

// A column with more categories is a name or a number, and would make as many inputs.
constexpr std::size_t kMaxLevels = 1000;
constexpr std::size_t kMaxClasses = 10000;

std::size_t find_column(const CsvReader& reader, std::string_view name, std::string_view option) {
  const auto& columns = reader.columns();
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end())
    throw UnknownName(fmt::format("{}: {}: no column '{}'; there are: {}", reader.name(), option,
                                  name, list_some(columns)));
  return static_cast<std::size_t>(found - columns.begin());
}

// By name; if there is no such name, by place.
std::size_t find_target(const CsvReader& reader, const std::string& target) {
  if (target.empty()) return 0;
  const auto& columns = reader.columns();
  int place = 0;
  const auto [end, status] = std::from_chars(target.data(), target.data() + target.size(), place);
  const bool number = status == std::errc() && end == target.data() + target.size();
  if (!number || std::ranges::find(columns, target) != columns.end())
    return find_column(reader, target, "target");
  const auto count = static_cast<int>(columns.size());
  if (place < 0) place += count + 1;
  if (place < 1 || place > count)
    throw Error(
        fmt::format("{}: target: no column {}, there are {}", reader.name(), target, count));
  return static_cast<std::size_t>(place - 1);
}

struct InferredColumn {
  std::size_t place;
  bool text = false;  // some cell is not a number
  std::optional<Error> not_finite =
      {};  // the first such cell; an error if the column is of numbers
  std::set<std::string, std::less<>> levels = {};
};

// Finds out what a schema needs to know, in two passes.
class Inference {
 public:
  Inference(CsvReader& reader, const LoadOptions& options)
      : reader_(reader), options_(options), target_(find_target(reader, options.target)) {
    std::set<std::size_t> unused{target_};
    for (const std::string& name : options.drop) unused.insert(find_column(reader, name, "drop"));
    for (std::size_t i = 0; i < reader.columns().size(); ++i)
      if (!unused.contains(i)) columns_.push_back({.place = i});
    if (columns_.empty())
      throw Error(fmt::format("{}: {} column(s), expected the class and at least one feature",
                              reader.name(), reader.columns().size()));
    for (const std::string& name : options.categorical) {
      const std::size_t place = find_column(reader, name, "categorical");
      for (InferredColumn& column : columns_) column.text = column.text || column.place == place;
    }
  }

  Schema run() {
    while (reader_.next()) find_kinds();
    for (const InferredColumn& column : columns_)
      if (!column.text && column.not_finite) throw *column.not_finite;
    reader_.rewind();
    while (reader_.next()) collect_names();
    reader_.rewind();
    return schema();
  }

 private:
  void find_kinds() {
    for (InferredColumn& column : columns_) {
      const std::string_view cell = reader_.cells()[column.place];
      if (column.text || is_missing(cell)) continue;
      const auto value = parse_number(cell);
      if (!value) column.text = true;
      if (value && !std::isfinite(*value) && !column.not_finite)
        column.not_finite =
            reader_.error(column.place, fmt::format("'{}' is not a finite number", cell));
    }
  }

  bool is_dropped() const {
    if (options_.missing != Missing::kDrop) return false;
    return std::ranges::any_of(
        columns_, [&](const InferredColumn& c) { return is_missing(reader_.cells()[c.place]); });
  }

  void collect_names() {
    const std::string_view name = class_name(reader_.cells()[target_]);
    if (is_missing(name) || is_dropped()) return;
    if (!classes_.contains(name)) classes_.emplace(name);
    if (classes_.size() > kMaxClasses)
      throw reader_.error(
          target_, fmt::format("more than {} classes; is this the class column?", kMaxClasses));
    for (InferredColumn& column : columns_) {
      const std::string_view cell = reader_.cells()[column.place];
      if (!column.text || is_missing(cell) || column.levels.contains(cell)) continue;
      column.levels.emplace(cell);
      if (column.levels.size() > kMaxLevels)
        throw reader_.error(
            column.place,
            fmt::format("more than {} different texts; is it a name? Leave the column out "
                        "(--drop '{}')",
                        kMaxLevels, reader_.columns()[column.place]));
    }
  }

  Schema schema() const {
    Schema schema;
    schema.missing = options_.missing;
    schema.target = checked(reader_.columns()[target_], "a column name");
    for (const std::string& name : classes_) schema.classes.push_back(checked(name, "a class"));
    sort_names(schema.classes);
    for (const InferredColumn& column : columns_) {
      FeatureColumn feature{checked(reader_.columns()[column.place], "a column name"), {}};
      for (const std::string& level : column.levels)
        feature.levels.push_back(checked(level, "a category"));
      sort_names(feature.levels);
      schema.features.push_back(std::move(feature));
    }
    return schema;
  }

  // Numbers by value, anything else by its characters.
  static void sort_names(std::vector<std::string>& names) {
    const auto is_number = [](const std::string& name) { return parse_number(name).has_value(); };
    if (!std::ranges::all_of(names, is_number)) return;  // they come from a set, in order
    std::ranges::stable_sort(names, {},
                             [](const std::string& name) { return *parse_number(name); });
  }

  const std::string& checked(const std::string& text, std::string_view what) const {
    if (!is_utf8(text))
      throw Error(fmt::format("{}: {} is not valid UTF-8; convert the file", reader_.name(), what));
    return text;
  }

  CsvReader& reader_;
  const LoadOptions& options_;
  std::size_t target_;
  std::vector<InferredColumn> columns_;
  std::set<std::string, std::less<>> classes_;
};

void read_rows(CsvReader& reader, Dataset& data) {
  const RowEncoder encoder(data.schema, reader, true);
  const std::size_t width = data.schema.width();
  std::vector<double> values;
  std::vector<double> row(width);
  while (reader.next()) {
    int label = -1;
    if (!encoder.encode(reader, row, &label)) {
      ++data.dropped;
      continue;
    }
    data.labels.push_back(label);
    values.insert(values.end(), row.begin(), row.end());
  }
  if (data.labels.empty()) throw Error(fmt::format("{}: no complete row of data", reader.name()));
  data.features = DoubleMatrix(data.labels.size(), width, std::move(values));
}

Dataset infer_and_read(Input& input, const LoadOptions& options) {
  input.read_all();
  Dataset data;
  CsvReader reader(input, options.format);
  data.schema = Inference(reader, options).run();
  read_rows(reader, data);
  data.sha256 = sha256(input.view());
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
                       const CsvFormat& format) {
  Input input(file);
  input.read_all();
  Dataset data;
  data.name = file == "-" ? "stdin" : file.stem().string();
  data.schema = schema;
  CsvReader reader(input, format);
  read_rows(reader, data);
  data.sha256 = sha256(input.view());
  return data;
}

}  // namespace uaspl
