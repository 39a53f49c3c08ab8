// Finds what the lines of a file of runs are about: a data set, and conditions of the store.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "uaspl/exchange/import_runs.hpp"
#include "uaspl/exchange/imported_cells.hpp"

namespace uaspl {

// What is needed of a data set.
struct ImportedData {
  std::string name;
  std::string sha256;
  std::vector<int> labels;
  std::vector<double> weights;  // of the rows; empty: all count equally
  std::vector<std::string> classes;
  std::map<std::string, int, std::less<>> places;  // of the classes
  double class_ratio = 0.0;
};

struct ImportedTask {
  std::shared_ptr<const ImportedData> data;
  std::string configuration;  // of its runs
  double test_fraction = 0.0;
  std::size_t test_rows = 0;  // whatever the seed
};

class ImportedTasks {
 public:
  ImportedTasks(std::span<const RunRecord> stored,
                const std::function<Dataset(const std::string&)>& open);

  // Returns the task of the present line; throws an Error that names line and column.
  const ImportedTask& find(const ImportedCells& cells);

 private:
  std::shared_ptr<const ImportedData> data_of(const ImportedCells& cells);
  std::string configuration_of(const ImportedCells& cells) const;

  const std::function<Dataset(const std::string&)>& open_;
  std::map<std::string, std::string> conditions_;        // by their label
  std::map<std::string, std::set<std::string>> stored_;  // contents by name
  std::map<std::string, std::shared_ptr<const ImportedData>> data_;
  std::map<std::pair<std::string, std::string>, ImportedTask> tasks_;  // by name and conditions
};

}  // namespace uaspl
