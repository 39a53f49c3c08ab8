// Loads a table as a data set, and finds out what its columns hold and what the classes are.
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
  // Name of the class column, or its place from 1 (from the end: -1); default: what looks like it.
  std::string target = {};
  Missing missing = Missing::kKeep;
  // Columns that are not used, and columns whose cells are categories, numbers or dates whatever
  // they look like.
  std::vector<std::string> drop = {};
  std::vector<std::string> categorical = {};
  std::vector<std::string> numeric = {};
  std::vector<std::string> date = {};
  char decimal = '\0';  // of numbers, `.` or `,`; default: found
  // Name of the column of the rows' weights, which is no feature; rows of weight 0 are left out
  // before all else.
  std::string weight = {};
  bool hash = false;  // also hash the file (Table::sha256), which takes a third more time
  // As in the paper's experiments: the class stands first, a column with any text in it is of
  // categories, and no column is left out.
  bool as_published = false;
};

// Returns the options of the paper's protocol, which also leaves out incomplete rows.
LoadOptions published_loading();

// Loads a file. Without further options, the cells decide what a column holds (survey.hpp):
// numbers, dates, or categories. Ids, free text and columns whose cells are all the same are left
// out, and the schema says so. Classes are in numerical order if all are numbers, in alphabetical
// order otherwise.
Dataset load_dataset(const std::filesystem::path& file, const LoadOptions& options = {});

// Does the same from memory; `name` stands for the file.
Dataset parse_dataset(std::string_view text, std::string name, const LoadOptions& options = {});

// Loads the rows of a file by a known schema. With the scaling of a model, numbers that it would
// take beyond the range of float are errors. If it is strict, so are categories that the schema
// does not have, and cells that are no numbers or dates where these are expected. `weight` names
// the column of weights, if not empty.
Dataset load_by_schema(const std::filesystem::path& file, const Schema& schema,
                       const Target& target, const TableFormat& format,
                       const Scaler* scaler = nullptr, bool strict = false,
                       const std::string& weight = {});

}  // namespace uaspl
