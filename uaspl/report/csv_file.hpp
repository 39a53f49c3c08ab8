// Writes the CSV files of a report, for the sources that fill them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "uaspl/data/table/csv_writer.hpp"
#include "uaspl/io/file.hpp"
#include "uaspl/report/report.hpp"

namespace uaspl::csv {

struct Place {
  std::filesystem::path folder;
  bool safe;  // no cell may be taken for a formula
};

class File {
 public:
  File(const Place& place, const std::string& name, std::string_view header)
      : file_(place.folder / name), safe_(place.safe) {
    add(std::string(header) + "\n");
  }
  template <typename... Values>
  void line(std::string_view format, const Values&... values) {
    add(fmt::format(fmt::runtime(format), values...) + "\n");
  }
  void commit() {
    file_.write(waiting_);
    file_.commit();
  }

 private:
  void add(const std::string& text) {
    constexpr std::size_t kBlock = 1 << 16;
    waiting_ += safe_ ? without_formulas(text) : text;
    if (waiting_.size() < kBlock) return;
    file_.write(waiting_);
    waiting_.clear();
  }

  AtomicFile file_;
  bool safe_;
  std::string waiting_;  // to be written
};

// Writes a number, or an empty cell if there is no value.
inline std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }
inline std::string cell(float value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

template <typename Value>
std::string value_text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>)
    return value ? "1" : "0";
  else if constexpr (std::is_floating_point_v<Value>)
    return cell(value);
  else
    return fmt::format("{}", value);
}

// The cells that say which runs a line is of.
inline std::string where(const ResultsTable& table, std::size_t dataset, std::size_t method) {
  return csv_cell(table.variant) + "," + csv_cell(table.datasets[dataset]) + "," +
         csv_cell(table.methods[method]);
}

// Calls `visit` for every data set and method that have runs.
template <typename Visit>
void visit_cells(std::span<const ResultsTable> tables, Visit visit) {
  for (const ResultsTable& table : tables)
    for (std::size_t d = 0; d < table.datasets.size(); ++d)
      for (std::size_t m = 0; m < table.methods.size(); ++m)
        if (!table.runs(d, m).empty()) visit(table, d, m);
}

// Returns a name without an ending for the file of a data set, which no other one in `taken` has.
std::string file_name(const std::string& dataset, std::set<std::string>& taken);

// csv_parts.cpp: errors.csv, and what was kept of runs: traces.csv, curves.csv and a file
// predictions-NAME.csv for each data set, if there are any.
void write_errors(const Place& place, std::span<const ResultsTable> tables);
void write_parts(const Place& place, std::span<const ResultsTable> tables, Store& store);

}  // namespace uaspl::csv
