// Looks at all cells of a table to decide what each column holds: numbers however they are written,
// dates, categories, or nothing to learn from.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "uaspl/data/table/class_names.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

// Counts of texts, which are looked up without a copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
using TextCounts = std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>>;

// What is asked for a column, by the options or by the format of the file.
enum class Wish { kNone, kNumber, kCategory, kDate, kText };

// The cells of a column, counted by what they can be.
class ColumnSurvey {
 public:
  ColumnSurvey(std::size_t place, Wish wish) : place_(place), wish_(wish) {}

  void take(const RecordReader& reader);  // the cell of the record
  void finish();                          // call it after the last record

  // Counts the different cells again, plain numbers too.
  void forget_counts();
  void count_different(const RecordReader& reader);

  std::size_t place() const { return place_; }
  Wish wish() const { return wish_; }
  std::size_t missing() const { return missing_; }
  std::size_t filled() const { return plain_ + odd_; }

  std::size_t readable(char decimal) const;  // numbers with this decimal sign
  bool surely(char decimal) const;           // some number can be read only with this sign
  bool may_group() const { return with_point_ > 0 && points_may_group_; }

  // The order that fits most cells, and how many.
  std::pair<DateOrder, std::size_t> best_date() const;

  // The different cells that are no plain numbers, with their number.
  const TextCounts& counts() const { return counts_; }
  bool all_counted() const { return plain_ == 0; }  // there are none but these
  bool full() const { return full_; }               // so many that not all were counted

  // Throws if a text cannot become the name of a level, or a number cannot be one of a float.
  void check_texts() const;
  void check_numbers() const;

 private:
  void take_plain(std::string_view cell, double value, const RecordReader& reader);
  void take_odd(std::string_view cell, const RecordReader& reader);
  void classify(std::string_view cell, std::size_t times);

  std::size_t place_;
  Wish wish_;
  std::size_t missing_ = 0;
  std::size_t plain_ = 0;         // numbers as programs write them
  std::size_t with_point_ = 0;    // of these
  bool points_may_group_ = true;  // each of them may be one of thousands, as 1.234
  std::size_t odd_ = 0;           // all other cells; of these are numbers
  std::size_t point_ = 0;         // with a decimal point, perhaps,
  std::size_t comma_ = 0;         // with a decimal comma, perhaps,
  std::size_t only_point_ = 0;    // and only with one of them
  std::size_t only_comma_ = 0;
  std::array<std::size_t, kDateOrders.size()> dates_{};
  TextCounts counts_;
  std::size_t bytes_ = 0;  // of these texts
  bool full_ = false;
  std::optional<Error> bad_text_;
  std::optional<Error> out_of_range_;
};

// Decides on the columns of a file. Reader and options must outlive it; the reader must be
// rewindable, and is left at its end.
class Survey {
 public:
  // Looks at all records. The class column and those to drop are passed over.
  Survey(RecordReader& reader, const LoadOptions& options, std::size_t target);

  // The schema, but for columns of numbers that turn out to be constant or ids (useless.hpp), and
  // the parts of dates.
  Schema schema();
  Target target() const;

 private:
  char file_decimal() const;
  std::optional<FeatureColumn> decide(ColumnSurvey& column, char file_decimal, Schema& schema);
  FeatureColumn number(const ColumnSurvey& column, char decimal) const;
  std::optional<FeatureColumn> category(ColumnSurvey& column, Schema& schema);
  char decimal_of(const ColumnSurvey& column, char file_decimal) const;
  void count_again(ColumnSurvey& column);

  RecordReader& reader_;
  const LoadOptions& options_;
  std::size_t target_;
  std::vector<ColumnSurvey> columns_;
  ClassNames classes_;
};

}  // namespace uaspl
