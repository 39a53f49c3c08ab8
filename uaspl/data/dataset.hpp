// A table of encoded features, or images, with one class label a row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/data/images.hpp"
#include "uaspl/data/schema.hpp"
#include "uaspl/data/transform.hpp"

namespace uaspl {

struct Dataset {
  std::string name;
  Schema schema;
  DoubleMatrix features;    // encoded, not scaled: that happens in double, after the split
  std::vector<int> labels;  // places in schema.classes; -1 for a class that is not there
  std::size_t dropped = 0;  // rows left out because a value was missing
  std::string sha256;       // of the file, where it was asked for
  std::string content;      // what content_sha256() found, where it is kept; empty otherwise
  std::shared_ptr<const ImageSet> images = nullptr;  // instead of features
  ImageTransform transform = {};                     // how a network sees them
  // METHOD.OPTION=VALUE that suit it, where nothing else is asked for.
  std::vector<std::string> settings = {};

  std::size_t rows() const { return labels.size(); }
};

}  // namespace uaspl
