// Inputs out of cells, see expansion.hpp.
#include "uaspl/data/table/expansion.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace uaspl {
namespace {

// Points on a circle, so that December is beside January. Without a date: the middle.
void expand_parts(const DateParts& parts, double day, std::span<double> out) {
  const auto shares = date_shares(day);
  std::size_t at = 0;
  const auto add = [&](bool varies, double share) {
    if (!varies) return;
    const double angle = 2.0 * std::numbers::pi * share;
    out[at++] = shares ? std::cos(angle) : 0.0;
    out[at++] = shares ? std::sin(angle) : 0.0;
  };
  const DateShares known = shares.value_or(DateShares());
  add(parts.months, known.month);
  add(parts.weekdays, known.weekday);
  add(parts.times, known.time);
}

bool is_level(const FeatureColumn& column, double cell) {
  return cell >= 0.0 && cell < static_cast<double>(column.places());
}

}  // namespace

Expansion::Expansion(const Schema& schema) : schema_(schema), width_(schema.width()) {
  plain_ = std::ranges::all_of(schema.features,
                               [](const FeatureColumn& column) {
                                 return column.kind == ColumnKind::kNumber && !column.indicator;
                               }) &&
           schema.missing != Missing::kKeep;
}

void Expansion::expand(const FeatureColumn& column, double cell, std::span<double> out) const {
  const bool missing = std::isnan(cell);
  const bool keep = schema_.missing == Missing::kKeep;
  std::ranges::fill(out, missing && !keep ? std::numeric_limits<double>::quiet_NaN() : 0.0);
  if (missing && !keep) return;
  if (missing && column.indicator) out.back() = 1.0;
  if (column.categorical()) {
    if (is_level(column, cell)) out[static_cast<std::size_t>(cell)] = 1.0;
    return;
  }
  out[0] = missing ? column.median : cell;
  if (column.kind == ColumnKind::kDate) expand_parts(column.parts, cell, out.subspan(1));
}

std::span<const double> Expansion::inputs(std::span<const double> cells,
                                          std::vector<double>& room) const {
  assert(cells.size() == schema_.features.size());
  if (plain_) return cells;
  room.resize(width_);
  std::span<double> rest = room;
  for (std::size_t f = 0; f < cells.size(); ++f) {
    const FeatureColumn& column = schema_.features[f];
    const std::size_t width = column.width();
    expand(column, cells[f], rest.first(width));
    rest = rest.subspan(width);
  }
  return room;
}

int Expansion::unknown(std::span<const double> cells) const {
  int count = 0;
  for (std::size_t f = 0; f < cells.size(); ++f) {
    const FeatureColumn& column = schema_.features[f];
    if (std::isnan(cells[f]))
      count += schema_.missing == Missing::kKeep && !column.indicator ? 1 : 0;
    else
      count += column.categorical() && !is_level(column, cells[f]) ? 1 : 0;
  }
  return count;
}

}  // namespace uaspl
