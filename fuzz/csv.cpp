// Any bytes as a CSV file: a data set or an error. The first byte chooses how it is read. A line of
// four `=` ends the file that the columns are learned from; what follows is a second file, which is
// read by what was learned.
#include <cmath>

#include "fuzz/support.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/csv_writer.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/open_records.hpp"
#include "uaspl/data/table/row_encoder.hpp"

namespace {

using namespace uaspl;

void read_by_schema(std::string_view text, const Dataset& data, const TableFormat& format) {
  Input input(text, "second");
  const auto records = open_records(input, format);
  RecordReader& reader = *records;
  const RecordEncoder encoder(data.table().schema, &data.target, reader);
  std::vector<double> row(data.table().schema.width());
  while (reader.next()) {
    int label = -1;
    if (!encoder.encode(reader, row, &label)) continue;
    if (label >= static_cast<int>(data.target.classes.size())) std::abort();
  }
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
  options.missing = static_cast<Missing>(choice / 4 % 3);
  options.target = (choice & 32) != 0 ? "-1" : "";
  if ((choice & 64) != 0) options.weight = options.format.header ? "w" : "c2";
  try {
    without_formulas(text);
    const Dataset data = parse_dataset(first, "fuzz", options);
    if (data.table().features.rows() != data.labels.size()) std::abort();
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
