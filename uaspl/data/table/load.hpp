// Loads a CSV file as a data set, and finds out which columns are numbers, which are categories,
// and what the classes are.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/dataset.hpp"
#include "uaspl/data/table/scaler.hpp"
#include "uaspl/data/table/table_format.hpp"

namespace uaspl {

struct LoadOptions {
  TableFormat format = {};
  std::string target =
      {};  // name of the class column, or its place from 1 (from the end: -1); default 1
  Missing missing = Missing::kDrop;
  std::vector<std::string> drop = {};         // columns that are not used
  std::vector<std::string> categorical = {};  // columns whose numbers are categories
  std::string weight = {};  // name of the column of the rows' weights, which is no feature; rows of
                            // weight 0 are left out before all else
  bool hash = false;        // also hash the file (Table::sha256), which takes a third more time
};

// Loads a file. A column with any text in it is categorical. Classes are in numerical order if all
// are numbers, in alphabetical order otherwise.
Dataset load_dataset(const std::filesystem::path& file, const LoadOptions& options = {});

// Does the same from memory; `name` stands for the file.
Dataset parse_dataset(std::string_view text, std::string name, const LoadOptions& options = {});

// Loads the rows of a file by a known schema; with the scaling of a model, numbers that it would
// take beyond the range of float are errors. `weight` names the column of weights, if not empty.
Dataset load_by_schema(const std::filesystem::path& file, const Schema& schema,
                       const Target& target, const TableFormat& format,
                       const Scaler* scaler = nullptr, const std::string& weight = {});

}  // namespace uaspl
