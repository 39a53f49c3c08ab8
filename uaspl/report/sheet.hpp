// Makes tables as cells that every format of a report writes in its own way: what such a table
// shows is computed here, once.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/report/results.hpp"

namespace uaspl {

struct SheetCell {
  SheetCell(std::string name) : text(std::move(name)), is_name(true) {}
  // A number and how it is shown: "-" if it is none.
  SheetCell(double number, int decimals, bool with_sign = false);

  std::string text;
  double value = std::numeric_limits<double>::quiet_NaN();
  bool is_name = false;
};

struct Sheet {
  std::string name;  // of its section and files
  std::string title;
  std::string caption;               // sentences
  std::vector<std::string> columns;  // no two alike
  std::vector<std::vector<SheetCell>> rows;
  std::vector<std::string> remarks = {};  // sentences below the table
};

// The following functions return a sheet without rows if there is nothing to show.

// Beside the standings: how much each method's results vary over the runs.
Sheet deviation_sheet(const ResultsTable& table);
// Standings over the balanced and over the imbalanced data sets.
Sheet group_sheet(const ResultsTable& table);
// How well probabilities and uncertainties fit the truth, and runs that went wrong.
Sheet calibration_sheet(const ResultsTable& table);
// Whether losses have the order that the paper claims: right and sure < right and unsure < wrong
// and unsure < wrong and sure; by round, and by data set.
Sheet ordering_sheet(const ResultsTable& table);
Sheet ordering_by_dataset_sheet(const ResultsTable& table);
// What the paper prints, and what the runs of the table give. Studies: main, linear, mixture,
// ablation, images.
std::vector<Sheet> printed_sheets(const ResultsTable& table, std::string_view study);

// Returns all of them that have rows. Averages that the paper prints are among them if the table is
// complete on the paper's 25 data sets.
std::vector<Sheet> sheets(const ResultsTable& table);

}  // namespace uaspl
