// Any bytes as a CSV file: a data set or an error. The first byte chooses how it is read.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/row_encoder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = bytes[0];
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  uaspl::LoadOptions options;
  options.format.header = (choice & 1) == 0;
  options.format.delimiter = (choice & 2) != 0 ? ';' : '\0';
  options.missing = static_cast<uaspl::Missing>(choice / 4 % 3);
  options.target = (choice & 32) != 0 ? "-1" : "";
  try {
    const uaspl::Dataset data = uaspl::parse_dataset(text, "fuzz", options);
    // What was learned of the columns must read the same text again.
    if (data.table().features.rows() != data.labels.size()) std::abort();
    uaspl::Input input(text, "fuzz");
    uaspl::CsvReader reader(input, options.format);
    const uaspl::RecordEncoder encoder(data.table().schema, &data.target, reader);
    std::vector<double> row(data.table().schema.width());
    while (reader.next()) {
      int label = -1;
      if (encoder.encode(reader, row, &label) && label < 0) std::abort();
    }
  } catch (const uaspl::Error&) {
  }
  return 0;
}
