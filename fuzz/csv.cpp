// Any bytes as a CSV file: a data set or an error. The first byte chooses how it is read. A line of
// four `=` ends the file that the columns are learned from; what follows is a second file, which is
// read by what was learned.
#include <cmath>
#include <numeric>

#include "fuzz/support.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/encoder.hpp"
#include "uaspl/data/table/csv_writer.hpp"
#include "uaspl/data/table/describe.hpp"
#include "uaspl/data/table/expansion.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/open_records.hpp"
#include "uaspl/data/table/row_encoder.hpp"

namespace {

using namespace uaspl;

void read_by_schema(std::string_view text, const Dataset& data, const TableFormat& format) {
  Input input(text, "second");
  const auto records = open_records(input, format);
  RecordReader& reader = *records;
  const Schema& schema = data.table().schema;
  RecordEncoder encoder(schema, &data.target, reader, {.pass_over = true});
  const Expansion expansion(schema);
  std::vector<double> row(schema.features.size());
  std::vector<double> room;
  while (reader.next()) {
    int label = -1;
    if (!encoder.encode(reader, row, &label)) continue;
    if (label >= static_cast<int>(data.target.classes.size())) std::abort();
    if (expansion.inputs(row, room).size() != expansion.width()) std::abort();
    if (expansion.unknown(row) > static_cast<int>(row.size())) std::abort();
  }
}

// Each cell is what its column takes: a number or a day that a float can hold, or the place of a
// level; what encoders make of the rows is finite.
void check(const Dataset& data) {
  const Table& table = data.table();
  const std::vector<FeatureColumn>& features = table.schema.features;
  if (table.features.rows() != data.labels.size() || table.features.cols() != features.size() ||
      features.empty())
    std::abort();
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t f = 0; f < features.size(); ++f) {
      const double cell = table.features(i, f);
      if (std::isnan(cell)) continue;
      const bool good = features[f].categorical() ? cell < static_cast<double>(features[f].places())
                                                  : NumberRange().contains(cell);
      if (!good) std::abort();
    }
  describe_columns(data);
  doubts(data);
  std::vector<int> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0);
  const auto encoder = std::get<TableEncoder>(fit_encoder(data, rows));
  const Matrix inputs = encode_cells(encoder, table.features);
  for (const float x : inputs.values())
    if (!std::isfinite(x)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = bytes[0];
  const std::string_view text = fuzz::text_of(bytes + 1, size - 1);
  constexpr std::string_view kBetween = "\n====\n";
  const std::size_t end = text.find(kBetween);
  const std::string_view first = text.substr(0, end);
  const std::string_view second =
      end == std::string_view::npos ? text : text.substr(end + kBetween.size());
  LoadOptions options;
  options.format.header = (choice & 1) == 0;
  options.format.delimiter = (choice & 2) != 0 ? ';' : '\0';
  options.missing = static_cast<Missing>(choice / 4 % 4);
  options.as_published = (choice & 16) != 0;
  if ((choice & 32) != 0) options.target = "-1";
  if ((choice & 64) != 0) options.decimal = ',';
  if ((choice & 64) != 0) options.weight = options.format.header ? "w" : "c2";
  try {
    without_formulas(text);
    const Dataset data = parse_dataset(first, "fuzz", options);
    check(data);
    if (!data.weights.empty() && data.weights.size() != data.rows()) std::abort();
    for (const double weight : data.weights)
      if (!(weight > 0.0) || !std::isfinite(weight)) std::abort();
    read_by_schema(second, data, options.format);
  } catch (const Error& error) {
    // A message is text that a terminal can show, and is short.
    const std::string_view message = error.what();
    if (message.size() > 5000 || printable_lines(message) != message) std::abort();
  }
  return 0;
}
