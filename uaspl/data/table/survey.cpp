// Decides what columns hold, see survey.hpp.
#include "uaspl/data/table/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "uaspl/base/text.hpp"
#include "uaspl/data/table/written_number.hpp"

namespace uaspl {
namespace {

// So many different texts of a column, and bytes of them, are counted.
constexpr std::size_t kMostTexts = 20000;
constexpr std::size_t kMostBytes = std::size_t{1} << 22;

// A level of fewer rows, or beyond the most frequent, shares one with others like it.
constexpr std::size_t kFewRows = 3;
constexpr std::size_t kMostLevels = 100;

// Of fewer rows nothing is concluded: all cells may differ by chance.
constexpr std::size_t kTellingRows = 10;
constexpr std::size_t kTellingTexts = 20;

// Declared levels keep their order; others follow.
void order_levels(std::vector<std::string>& levels, const ColumnHint& hint) {
  sort_names(levels);
  if (hint.levels.empty()) return;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < hint.levels.size(); ++i) places.emplace(hint.levels[i], i);
  std::ranges::stable_sort(levels, {}, [&](const std::string& level) {
    const auto found = places.find(level);
    return found == places.end() ? hint.levels.size() : found->second;
  });
}

}  // namespace

void ColumnSurvey::take(const RecordReader& reader) {
  const bool counts_all = wish_ == Wish::kCategory || wish_ == Wish::kDate;
  double value = 0.0;
  const std::string_view cell = reader.cells()[place_];
  if (!counts_all && reader.short_number(place_, value)) return take_plain(cell, value, reader);
  if (is_missing(cell)) {
    ++missing_;
  } else if (!counts_all && parse_number(cell, value)) {
    take_plain(cell, value, reader);
  } else {
    ++odd_;
    take_odd(cell, reader);
  }
}

void ColumnSurvey::take_plain(std::string_view cell, double value, const RecordReader& reader) {
  ++plain_;
  if (!NumberRange().contains(value) && !out_of_range_)
    out_of_range_ = reader.error(place_, number_complaint(cell, value));
  if (cell.find('.') == std::string_view::npos) return;
  ++with_point_;
  points_may_group_ = points_may_group_ && parse_written_number(cell, ',', value);
}

void ColumnSurvey::take_odd(std::string_view cell, const RecordReader& reader) {
  if (!bad_text_ && !is_utf8(cell))
    bad_text_ = reader.error(
        place_, fmt::format("'{}' is not valid UTF-8; convert the file", printable(cell)));
  if (const auto found = counts_.find(cell); found != counts_.end()) {
    ++found->second;
  } else if (counts_.size() < kMostTexts && bytes_ + cell.size() <= kMostBytes) {
    counts_.emplace(cell, 1);
    bytes_ += cell.size();
  } else {
    full_ = true;
    classify(cell, 1);
  }
}

void ColumnSurvey::finish() {
  for (const auto& [cell, times] : counts_) classify(cell, times);
}

void ColumnSurvey::classify(std::string_view cell, std::size_t times) {
  double value = 0.0;
  const bool point = parse_written_number(cell, '.', value);
  const bool comma = parse_written_number(cell, ',', value);
  point_ += point ? times : 0;
  comma_ += comma ? times : 0;
  only_point_ += point && !comma ? times : 0;
  only_comma_ += comma && !point ? times : 0;
  for (std::size_t i = 0; i < dates_.size(); ++i)
    dates_[i] += parse_date(cell, kDateOrders[i]) ? times : 0;
}

void ColumnSurvey::forget_counts() {
  counts_.clear();
  bytes_ = 0;
  full_ = false;
  odd_ += plain_;
  plain_ = 0;
}

void ColumnSurvey::count_different(const RecordReader& reader) {
  const std::string_view cell = reader.cells()[place_];
  if (!is_missing(cell)) take_odd(cell, reader);
}

std::size_t ColumnSurvey::readable(char decimal) const {
  if (decimal == '.') return plain_ + point_;
  return plain_ - (points_may_group_ ? 0 : with_point_) + comma_;
}

bool ColumnSurvey::surely(char decimal) const {
  if (decimal == ',') return only_comma_ > 0;
  return only_point_ > 0 || (with_point_ > 0 && !points_may_group_);
}

std::pair<DateOrder, std::size_t> ColumnSurvey::best_date() const {
  const auto most = std::ranges::max_element(dates_);
  auto best = static_cast<std::size_t>(most - dates_.begin());
  // 3/5/2024 alone: the separator tells. A day of 13 and above has told it otherwise.
  const auto slashes = [](const auto& cell) { return cell.first.find('/') != std::string::npos; };
  if (kDateOrders[best] == DateOrder::kDayMonthYear && dates_[best] == dates_[best + 1] &&
      std::ranges::any_of(counts_, slashes))
    ++best;
  return {kDateOrders[best], *most};
}

void ColumnSurvey::check_texts() const {
  if (bad_text_) throw *bad_text_;
}

void ColumnSurvey::check_numbers() const {
  if (out_of_range_) throw *out_of_range_;
}

Survey::Survey(RecordReader& reader, const LoadOptions& options, std::size_t target)
    : reader_(reader), options_(options), target_(target), classes_(reader, target) {
  std::set<std::size_t> unused{target};
  std::vector<Wish> wishes(reader.columns().size(), Wish::kNone);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    constexpr Wish kByHint[] = {Wish::kNone, Wish::kNumber, Wish::kCategory, Wish::kDate,
                                Wish::kText};
    wishes[i] = kByHint[static_cast<std::size_t>(reader.hints()[i].kind)];
  }
  const auto wish = [&](const std::vector<std::string>& names, Wish what, const char* option) {
    for (const std::string& name : names) wishes[find_column(reader, name, option)] = what;
  };
  wish(options.categorical, Wish::kCategory, "categorical");
  wish(options.numeric, Wish::kNumber, "numeric");
  wish(options.date, Wish::kDate, "date");
  for (const std::string& name : options.drop) unused.insert(find_column(reader, name, "drop"));
  for (std::size_t i = 0; i < wishes.size(); ++i)
    if (!unused.contains(i)) columns_.emplace_back(i, wishes[i]);
  while (reader_.next()) {
    if (classes_.take() < 0) continue;
    for (ColumnSurvey& column : columns_) column.take(reader_);
  }
  for (ColumnSurvey& column : columns_) column.finish();
}

Target Survey::target() const { return {checked_column(reader_, target_), classes_.sorted()}; }

// A column that is written with decimal commas tells how others are meant.
char Survey::file_decimal() const {
  const auto votes = [&](char decimal) {
    return std::ranges::count_if(columns_, [&](const ColumnSurvey& column) {
      return column.surely(decimal) && column.readable(decimal) == column.filled();
    });
  };
  return votes(',') > votes('.') ? ',' : '.';
}

char Survey::decimal_of(const ColumnSurvey& column, char file_decimal) const {
  if (options_.decimal != '\0') return options_.decimal;
  if (column.readable('.') != column.readable(','))
    return column.readable(',') > column.readable('.') ? ',' : '.';
  if (column.surely('.') != column.surely(',')) return column.surely(',') ? ',' : '.';
  return file_decimal;
}

Schema Survey::schema() {
  Schema schema;
  schema.missing = options_.missing;
  const char decimal = file_decimal();
  for (ColumnSurvey& column : columns_)
    if (auto feature = decide(column, decimal, schema))
      schema.features.push_back(std::move(*feature));
  return schema;
}

std::optional<FeatureColumn> Survey::decide(ColumnSurvey& column, char file_decimal,
                                            Schema& schema) {
  const std::string& name = checked_column(reader_, column.place());
  if (column.filled() == 0) {
    schema.left_out.push_back({name, LeftOut::Why::kEmpty});
    return std::nullopt;
  }
  const char decimal = decimal_of(column, file_decimal);
  const std::size_t numbers = column.readable(decimal);
  const std::size_t texts = column.filled() - numbers;
  const auto [order, dates] = column.best_date();
  // A few texts among numbers, or a single one that comes again and again, stand for missing cells.
  const bool one_text = column.counts().size() == 1 && 2 * texts <= column.filled();
  const bool mostly_numbers = 10 * texts <= column.filled() || one_text;
  const bool mostly_dates = 10 * (column.filled() - dates) <= column.filled();
  const Wish wish = column.wish();
  if (wish == Wish::kDate || (wish == Wish::kNone && mostly_dates && dates > numbers))
    return FeatureColumn{.name = name, .kind = ColumnKind::kDate, .order = order};
  if (wish == Wish::kNumber || (wish == Wish::kNone && mostly_numbers)) {
    column.check_numbers();
    return FeatureColumn{.name = name, .decimal = decimal};
  }
  return category(column, schema);
}

// Counts all cells of a column, as plain numbers were not counted one by one.
void Survey::count_again(ColumnSurvey& column) {
  column.forget_counts();
  reader_.rewind();
  while (reader_.next())
    if (classes_.take() >= 0) column.count_different(reader_);
}

std::optional<FeatureColumn> Survey::category(ColumnSurvey& column, Schema& schema) {
  if (!column.all_counted()) count_again(column);
  column.check_texts();
  FeatureColumn feature{.name = reader_.columns()[column.place()], .kind = ColumnKind::kCategory};
  std::vector<std::pair<std::size_t, std::string>> levels;  // the most frequent first
  for (const auto& [level, rows] : column.counts()) levels.emplace_back(rows, level);
  std::ranges::sort(levels, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const std::size_t filled = column.filled();
  const bool may_leave_out = column.wish() == Wish::kNone || column.wish() == Wish::kText;
  const bool all_differ = levels.front().first == 1;
  if (may_leave_out && all_differ && filled >= kTellingRows) {
    schema.left_out.push_back({feature.name, LeftOut::Why::kId});
    return std::nullopt;
  }
  std::size_t rows_that_recur = 0;
  for (auto& [rows, level] : levels) {
    const bool own =
        (rows >= kFewRows || filled < kTellingTexts) && feature.levels.size() < kMostLevels;
    rows_that_recur += rows >= kFewRows ? rows : 0;
    (own ? feature.levels : feature.rare).push_back(std::move(level));
  }
  if (may_leave_out && filled >= kTellingTexts && 2 * rows_that_recur < filled) {
    schema.left_out.push_back({feature.name, LeftOut::Why::kText});
    return std::nullopt;
  }
  if (feature.rare.size() == 1 && feature.levels.size() < kMostLevels) {  // it shares with nobody
    feature.levels.push_back(std::move(feature.rare.front()));
    feature.rare.clear();
  }
  order_levels(feature.levels, reader_.hints()[column.place()]);
  sort_names(feature.rare);
  return feature;
}

}  // namespace uaspl
