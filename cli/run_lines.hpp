// The CSV file of `uaspl bench`, one line a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "uaspl/base/file.hpp"
#include "uaspl/run/record.hpp"

namespace uaspl::cli {

// The lines of the output, by their place in the grid. Until all are there, finished ones are kept
// in a journal beside the file, so that not even a killed program loses them.
class Lines {
 public:
  Lines(std::string output, std::size_t count);
  void add(std::size_t index, const RunRecord& run);

  // What is finished, in order, to where it was wanted. A part does not replace an earlier file.
  // Returns where it is now, for a message.
  std::string deliver();
  std::string journal() const { return journal_ ? journal_->path().string() : ""; }

 private:
  std::string output_;
  std::vector<std::string> lines_;
  std::size_t finished_ = 0;
  bool replaces_ = false;  // there was a file before
  std::optional<Journal> journal_;
};

}  // namespace uaspl::cli
