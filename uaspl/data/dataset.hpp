// A table of numeric features with one class label a row.
#pragma once

#include <string>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

struct Dataset {
  std::string name;
  std::vector<std::string> feature_names;
  DoubleMatrix features;    // as read: scaling happens in double, after the split
  std::vector<int> labels;  // 0..K-1
  std::size_t dropped = 0;  // rows left out because a value was missing

  std::size_t rows() const { return labels.size(); }
};

}  // namespace uaspl
