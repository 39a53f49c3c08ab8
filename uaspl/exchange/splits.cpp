// Writes splits as CSV files, see splits.hpp.
#include "uaspl/exchange/splits.hpp"

#include <set>

#include "uaspl/base/error.hpp"
#include "uaspl/report/csv_file.hpp"
#include "uaspl/study/run_key.hpp"
#include "uaspl/train/training_rows.hpp"

namespace uaspl {
namespace {

void write_rows(csv::File& file, const std::string& begin, const Dataset& data,
                const TrainingRows& rows) {
  const auto name = [&](int label) {
    return csv_cell(data.target.classes.at(static_cast<std::size_t>(label)));
  };
  const auto label_of = [&](int row) {
    return name(data.labels.at(static_cast<std::size_t>(row)));
  };
  for (std::size_t i = 0; i < rows.split.train.size(); ++i) {
    const int row = rows.split.train[i];
    file.line("{},{},train,{},{}", begin, row + 1, label_of(row), name(rows.labels[i]));
  }
  for (const int row : rows.split.test) file.line("{},{},test,{},", begin, row + 1, label_of(row));
}

}  // namespace

std::size_t write_splits(const std::filesystem::path& folder, const Grid& grid, bool safe) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("{}: {}", folder.string(), failed.message()));
  const ChosenMethod any{&find_method("direct"), Settings({})};
  std::set<std::string> taken;
  for (const Dataset& data : grid.datasets) {
    csv::File file({folder, safe}, csv::file_name(data.name, taken) + ".csv",
                   "variant,seed,row,part,label,trained_label");
    for (const ExperimentOptions& options : grid.variants)
      for (std::size_t run = 0; run < grid.runs; ++run) {
        const RunKey key = run_key(dataset_id(data), any, options, grid.seed(run));
        write_rows(file, fmt::format("{},{}", csv_cell(variant_label(key)), key.seed), data,
                   split_rows(data, key.seed, options.rows));
      }
    file.commit();
  }
  return grid.datasets.size();
}

}  // namespace uaspl
