// The plain CSV reader, see csv.hpp.
#include "uaspl/data/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

// Cuts the next piece off the front of `rest`, up to the separator or the end.
std::string_view next_piece(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return piece;
}

std::vector<std::string_view> split_line(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t start = 0;;) {
    const std::size_t end = line.find(',', start);
    cells.push_back(trimmed(line.substr(start, end - start)));
    if (end == std::string_view::npos) return cells;
    start = end + 1;
  }
}

bool is_missing(std::string_view cell) { return cell.empty() || cell == "?"; }

// Fills one row; the place of an error is filled in by the caller's line number.
class RowParser {
 public:
  RowParser(std::string_view name, Dataset& data) : name_(name), data_(data) {}

  void header(std::string_view line) {
    const auto cells = split_line(line);
    if (cells.size() < 2)
      throw Error(fmt::format("{}:1: {} column(s), expected a label and at least one feature",
                              name_, cells.size()));
    columns_.assign(cells.begin(), cells.end());
    data_.feature_names.assign(columns_.begin() + 1, columns_.end());
  }

  void row(std::string_view line, std::size_t number) {
    const auto cells = split_line(line);
    if (cells.size() != columns_.size())
      throw Error(fmt::format("{}:{}: {} fields, header has {}", name_, number, cells.size(),
                              columns_.size()));
    for (const auto cell : cells)
      if (is_missing(cell)) {
        ++data_.dropped;
        return;
      }
    data_.labels.push_back(label(cells[0], number));
    for (std::size_t j = 1; j < cells.size(); ++j) values_.push_back(value(cells[j], number, j));
  }

  void finish() {
    if (data_.labels.empty()) throw Error(fmt::format("{}: no complete row of data", name_));
    data_.features.resize(data_.labels.size(), columns_.size() - 1);
    std::ranges::copy(values_, data_.features.values().begin());
  }

 private:
  std::string place(std::size_t line, std::size_t column) const {
    return fmt::format("{}:{}: column {} ('{}')", name_, line, column + 1, columns_[column]);
  }

  double value(std::string_view cell, std::size_t line, std::size_t column) const {
    double x = 0.0;
    if (cell.size() > 1 && cell.front() == '+') cell.remove_prefix(1);
    const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
    if (status != std::errc() || end != cell.data() + cell.size() || !std::isfinite(x))
      throw Error(fmt::format("{}: '{}' is not a finite number", place(line, column), cell));
    return x;
  }

  // Labels such as `1` and `1.0` are both met in the wild.
  int label(std::string_view cell, std::size_t line) const {
    const double x = value(cell, line, 0);
    if (x < 0 || x >= kMaxClasses || x != std::floor(x))
      throw Error(fmt::format("{}: '{}' is not a class label, expected a whole number 0..{}",
                              place(line, 0), cell, kMaxClasses - 1));
    return static_cast<int>(x);
  }

  // The network has an output for every number up to the highest label.
  static constexpr int kMaxClasses = 10000;

  std::string_view name_;
  Dataset& data_;
  std::vector<std::string> columns_;
  std::vector<double> values_;
};

}  // namespace

Dataset parse_csv(std::string_view text, std::string_view name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Dataset data;
  RowParser parser(name, data);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = next_piece(text, '\n');
    ++number;
    if (number == 1) {
      parser.header(line);
    } else if (!trimmed(line).empty()) {
      parser.row(line, number);
    }
  }
  if (number == 0) throw Error(fmt::format("{}: the file is empty, expected a header line", name));
  parser.finish();
  return data;
}

Dataset read_csv(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (std::filesystem::is_directory(file))
    throw Error(fmt::format("{}: is a directory, expected a CSV file", file.string()));
  if (!stream) throw Error(fmt::format("{}: cannot be opened for reading", file.string()));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw Error(fmt::format("{}: reading failed", file.string()));
  Dataset data = parse_csv(text, file.string());
  data.name = file.stem().string();
  return data;
}

}  // namespace uaspl
