// Finished runs as a CSV file, one line a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "uaspl/io/file.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

// The lines of the file, by their place in the grid. Until all are there, finished ones are kept in
// a journal beside the file, so that not even a killed program loses them.
class RunCsv {
 public:
  // `-` and nothing stand for no file: the lines are only collected.
  RunCsv(std::string output, std::size_t count);
  void add(std::size_t index, const RunRecord& run);

  // What is finished, in order.
  std::string text() const;

  // Puts it where it was wanted. A part does not replace an earlier file. Returns where it is now,
  // for a message.
  std::string deliver();
  std::string journal() const { return journal_ ? journal_->path().string() : ""; }

 private:
  std::string output_;
  std::vector<std::string> lines_;
  std::size_t finished_ = 0;
  bool replaces_ = false;  // there was a file before
  std::optional<Journal> journal_;
};

}  // namespace uaspl
