// Reads the cells of a file of runs: which columns there are, and values with their ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

class ImportedCells {
 public:
  // Throws if columns are missing or unknown.
  explicit ImportedCells(RecordReader& lines);

  bool next() { return lines_.next(); }
  std::size_t line() const { return lines_.line(); }
  bool of_rows() const { return has("row"); }  // predictions of rows, not metrics of runs

  bool has(std::string_view column) const { return place(column).has_value(); }
  std::string text(std::string_view column) const;  // empty if there is no such column
  std::uint32_t seed() const;
  std::size_t row() const;  // of the data set, from 0
  // Returns a number in the range; nothing if the cell is empty or there is no such column.
  std::optional<double> number(std::string_view column, double low, double high) const;
  double needed_number(std::string_view column, double low, double high) const;

  // The columns p_CLASS, in the order of the file.
  struct Probability {
    std::size_t column;
    std::string class_name;
  };
  const std::vector<Probability>& probabilities() const { return probabilities_; }
  std::optional<double> probability(const Probability& of) const;

  // Throws an Error that names line and column.
  [[noreturn]] void fail(std::string_view column, std::string_view what) const;
  Error error_on(std::size_t line, std::string_view column, std::string_view what) const;

 private:
  std::optional<std::size_t> place(std::string_view column) const;
  std::optional<double> number_at(std::size_t column, double low, double high) const;

  RecordReader& lines_;
  std::vector<Probability> probabilities_;
};

}  // namespace uaspl
