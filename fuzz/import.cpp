// Any bytes as a file of runs of other programs: runs that fit the data set and its splits, or an
// error.
#include "fuzz/support.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/open_records.hpp"
#include "uaspl/exchange/import_runs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace uaspl;
  const std::string_view text = fuzz::text_of(bytes, size);
  const ImportOptions options{.open = [](const std::string& name) {
    if (name != "tiny") throw Error("unknown data set");
    return parse_dataset("class,x\na,1\nb,2\na,3\nb,4\na,5\nb,6\n", "tiny");
  }};
  try {
    Input input(text, "fuzz");
    const auto lines = open_records(input, {});
    for (const RunRecord& run : read_runs(*lines, {}, options)) {
      const bool whole = run.predictions.empty() || run.predictions.size() == 3;
      if (!whole || !(run.metrics.accuracy >= 0.0 && run.metrics.accuracy <= 1.0)) std::abort();
    }
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 5000 || printable_lines(message) != message) std::abort();
  }
  return 0;
}
