// Records with weights, see weighted_records.hpp.
#include "uaspl/data/table/weighted_records.hpp"

#include <fmt/format.h>

#include <cmath>

#include "uaspl/base/text.hpp"
#include "uaspl/data/table/class_names.hpp"
#include "uaspl/data/table/schema.hpp"

namespace uaspl {

WeightedRecords::WeightedRecords(RecordReader& records, const std::string& column)
    : RecordReader(records.name()),
      records_(records),
      place_(find_column(records, column, "weight")) {
  columns_ = records.columns();
  hints_ = records.hints();
  target_ = records.target();
}

bool WeightedRecords::next() {
  while (records_.next()) {
    line_ = records_.line();
    const auto cells = records_.cells();
    cells_.assign(cells.begin(), cells.end());
    has_room_ = records_.has_room();
    read_weight();
    if (weight_ > 0.0) return true;
    ++weightless_;
  }
  return false;
}

void WeightedRecords::read_weight() {
  const std::string_view cell = cells_[place_];
  if (is_missing(cell)) throw error(place_, "no weight, expected a finite number from 0");
  if (!number(place_, weight_) || !std::isfinite(weight_) || weight_ < 0.0)
    throw error(place_,
                fmt::format("the weight '{}', expected a finite number from 0", printable(cell)));
}

void WeightedRecords::rewind() {
  records_.rewind();
  weightless_ = 0;
}

RecordReader::Extent WeightedRecords::extent() { return records_.extent(); }

}  // namespace uaspl
