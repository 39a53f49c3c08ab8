// Predictions as the lines of a CSV file, or as JSON objects.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "uaspl/model/readout.hpp"

namespace uaspl::cli {

class PredictionLines {
 public:
  // `key` names what a line is known by: the number of a row, or a file.
  PredictionLines(const std::vector<std::string>& classes, std::string key, bool json)
      : classes_(classes), key_(std::move(key)), json_(json) {}

  std::string header() const;  // nothing in JSON
  // One line for each prediction; the keys as they are to be written.
  std::string lines(const Predictions& predictions, std::span<const std::size_t> rows) const;
  std::string lines(const Predictions& predictions, std::span<const std::string> files) const;

 private:
  template <typename Key>
  std::string all_lines(const Predictions& predictions, std::span<const Key> keys) const;
  void add_csv(const Predictions& p, std::size_t i, std::string& text) const;

  const std::vector<std::string>& classes_;
  std::string key_;
  bool json_;
};

}  // namespace uaspl::cli
