// Columns that nothing can be learned from, see useless.hpp.
#include "uaspl/data/table/useless.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kTellingRows = 10;  // of fewer, nothing is concluded
constexpr std::size_t kLookedAt =
    1000;  // rows that most columns of numbers give themselves away in

// A column of a matrix.
class Cells {
 public:
  Cells(const DoubleMatrix& all, std::size_t column) : all_(all), column_(column) {}
  std::size_t size() const { return all_.rows(); }
  double operator[](std::size_t row) const { return all_(row, column_); }

 private:
  const DoubleMatrix& all_;
  std::size_t column_;
};

bool all_missing(const Cells& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!std::isnan(cells[i])) return false;
  return true;
}

bool all_same(const Cells& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!(cells[i] == cells[0])) return false;  // a missing cell is different
  return true;
}

// Returns the first `count` cells in order if they are whole numbers, all different.
std::optional<std::vector<double>> different_whole(const Cells& cells, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = cells[i];
    if (!(std::floor(values[i]) == values[i])) return std::nullopt;
  }
  std::ranges::sort(values);
  if (std::ranges::adjacent_find(values) != values.end()) return std::nullopt;
  return values;
}

// The last word of a name, in small letters: `id` of customer_id, customerID and `Customer Id`.
std::string last_word(std::string_view name) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  std::size_t start = name.size();
  while (start > 0) {
    const char c = name[start - 1];
    if (!is_upper(c) && !is_lower(c)) break;
    --start;
    const bool begins = is_upper(c) && start > 0 && is_lower(name[start - 1]);
    if (begins) break;
  }
  std::string word(name.substr(start));
  for (char& c : word)
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  return word;
}

bool is_name_of_id(std::string_view name) {
  constexpr std::string_view kWords[] = {"id", "ids",    "uuid",   "guid",  "key", "nr",
                                         "no", "number", "nummer", "index", "row"};
  return std::ranges::find(kWords, last_word(name)) != std::end(kWords);
}

bool is_id(const Cells& cells, const std::string& name) {
  if (!different_whole(cells, std::min(cells.size(), kLookedAt))) return false;
  const auto values = different_whole(cells, cells.size());
  if (!values) return false;
  const bool one_after_the_other =
      values->back() - values->front() == static_cast<double>(values->size() - 1);
  return one_after_the_other || is_name_of_id(name);
}

std::optional<LeftOut::Why> why_useless(const FeatureColumn& column, const Cells& cells) {
  if (all_missing(cells)) return LeftOut::Why::kEmpty;
  if (cells.size() < kTellingRows) return std::nullopt;
  if (all_same(cells)) return LeftOut::Why::kConstant;
  if (column.kind == ColumnKind::kNumber && is_id(cells, column.name)) return LeftOut::Why::kId;
  return std::nullopt;
}

DateParts varying_parts(const Cells& cells) {
  std::optional<DateShares> first;
  DateParts parts;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto shares = date_shares(cells[i]);
    if (!shares) continue;
    if (!first) first = shares;
    parts.months = parts.months || shares->month != first->month;
    parts.weekdays = parts.weekdays || shares->weekday != first->weekday;
    parts.times = parts.times || shares->time != first->time;
  }
  return parts;
}

// Keeps some columns of the cells, in place.
void keep_columns(DoubleMatrix& cells, const std::vector<std::size_t>& kept) {
  const std::size_t rows = cells.rows();
  const std::size_t before = cells.cols();
  double* const values = cells.values().data();
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < kept.size(); ++j)
      values[i * kept.size() + j] = values[i * before + kept[j]];
  cells.resize(rows, kept.size());
}

}  // namespace

void leave_out_useless(Dataset& data, const LoadOptions& options) {
  Table& table = data.table();
  std::vector<FeatureColumn>& features = table.schema.features;
  const auto is_wanted = [&](const std::string& name) {
    const auto among = [&](const auto& names) {
      return std::ranges::find(names, name) != names.end();
    };
    return among(options.numeric) || among(options.categorical) || among(options.date);
  };
  std::vector<std::size_t> kept;
  for (std::size_t f = 0; f < features.size(); ++f) {
    FeatureColumn& column = features[f];
    const Cells cells(table.features, f);
    const auto why = is_wanted(column.name) ? std::nullopt : why_useless(column, cells);
    if (why) {
      table.schema.left_out.push_back({column.name, *why});
      continue;
    }
    if (column.kind == ColumnKind::kDate) column.parts = varying_parts(cells);
    kept.push_back(f);
  }
  if (kept.empty()) {
    std::string words;
    for (const LeftOut& column : table.schema.left_out)
      words += fmt::format("{}'{}' ({})", words.empty() ? "" : ", ", printable(column.name),
                           words_for(column.why));
    throw Error(fmt::format("{}: no column to learn from; left out: {}", data.name, words));
  }
  if (kept.size() == features.size()) return;
  keep_columns(table.features, kept);
  std::vector<FeatureColumn> staying;
  std::vector<OddCells> odd;
  for (const std::size_t f : kept) {
    staying.push_back(std::move(features[f]));
    if (!table.odd.empty()) odd.push_back(std::move(table.odd[f]));
  }
  features = std::move(staying);
  table.odd = std::move(odd);
}

}  // namespace uaspl
