// Takes runs of other programs, on our splits, into a results store: they then stand in tables,
// ranks and tests like all others.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/table/record_reader.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

struct ImportOptions {
  // Opens a data set by its name in the file; throws an Error if there is none.
  std::function<Dataset(const std::string& name)> open;
  std::string program = "another program";  // that made the runs
  bool replace = false;                     // runs may be in the store already
};

// Reads runs: a line is a run with its metrics, or a test row with its prediction
// (docs/formats.md). `stored` are the runs of the store that they are for. Whatever does not fit
// the data, the splits and these runs is an Error with its line and column.
std::vector<RunRecord> read_runs(RecordReader& lines, std::span<const RunRecord> stored,
                                 const ImportOptions& options);

}  // namespace uaspl
