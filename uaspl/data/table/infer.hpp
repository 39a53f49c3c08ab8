// Infers which columns of a table are numbers or categories, as it was published: a column with any
// text in it is of categories. It is also the fast way to read a table of nothing but numbers.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "uaspl/data/table/class_names.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

// Sees every record once. As long as the file is plain, with numbers in all feature columns, each
// record's values can be taken at the same time; otherwise they are read later by the inferred
// schema.
class Inference {
 public:
  // Looks up the columns that the options name. Reader and options must outlive this.
  Inference(RecordReader& reader, const LoadOptions& options, std::size_t target);

  // Takes in the reader's record; false if it is left out because a value is missing.
  bool take_record();

  // So far, all cells are numbers or missing.
  bool plain() const { return plain_; }
  std::size_t width() const { return columns_.size(); }
  std::span<const double> numbers() const { return numbers_; }  // of the record; NaN if missing
  int class_number() const { return class_number_; }            // see ClassNames

  // Call it after the last record. It may read the file once more.
  struct Result {
    Schema schema;
    Target target;
  };
  Result finish();

  // Turns values of class_number() into places in the target.
  void renumber(std::vector<int>& labels) const { classes_.renumber(labels); }

 private:
  struct Column {
    std::size_t place;
    bool text = false;    // some cell is not a number
    bool number = false;  // some cell is one
    std::optional<Error> out_of_range =
        {};  // the first such cell; an error if the column is of numbers
    std::set<std::string, std::less<>> levels = {};
  };

  bool read_cells();
  void read_number(Column& column, double& value);
  bool collect_names(bool missing);
  void collect_levels();

  RecordReader& reader_;
  const LoadOptions& options_;
  std::size_t target_;
  std::vector<Column> columns_;
  ClassNames classes_;
  std::vector<double> numbers_;
  int class_number_ = 0;
  bool plain_ = true;
  bool names_missed_ = false;  // a column had numbers before its first text
};

}  // namespace uaspl
