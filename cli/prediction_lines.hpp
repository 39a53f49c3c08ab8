// Writes predictions as the lines of a CSV file, or as JSON objects.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "uaspl/model/readout.hpp"

namespace uaspl::cli {

enum class LineFormat { kCsv, kSafeCsv, kJson };  // safe: nothing that looks like a formula

class PredictionLines {
 public:
  // `key` is the name of what identifies a line: the number of a row, or a file. Lines of a table
  // also count the cells that are unknown.
  PredictionLines(const std::vector<std::string>& classes, std::string key, LineFormat format,
                  bool counts_unknown)
      : classes_(classes), key_(std::move(key)), format_(format), unknown_(counts_unknown) {}

  // The names of what a line says, in CSV and in JSON.
  std::vector<std::string> names() const;

  // Puts cells of the user's before a line's own: those of the header, and in order those of each
  // line that will be written.
  void begin_header(std::string text) { before_header_ = std::move(text); }
  void begin_line(std::string text);
  // So many bytes wait for their lines.
  std::size_t waiting() const { return waiting_; }

  std::string header() const;  // empty for JSON
  // Returns one line for each prediction; keys are written as they are.
  std::string lines(const Predictions& predictions, std::span<const std::size_t> rows);
  std::string lines(const Predictions& predictions, std::span<const std::string> files);

  // Says how many rows had no finite answer and which was the first; empty if all had one.
  std::string warning() const;

 private:
  template <typename Key>
  std::string all_lines(const Predictions& predictions, std::span<const Key> keys);
  void add_csv(const Predictions& p, std::size_t i, std::string& text) const;

  const std::vector<std::string>& classes_;
  std::string key_;
  LineFormat format_;
  std::string before_header_;
  std::vector<std::string> before_;  // the next lines
  std::size_t waiting_ = 0;
  bool unknown_;
  std::size_t unanswered_ = 0;
  std::string first_unanswered_;  // its key
};

}  // namespace uaspl::cli
