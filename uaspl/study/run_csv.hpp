// Writes finished runs to a CSV file, one line for each run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "uaspl/study/run_journal.hpp"

namespace uaspl {

// The lines of the file, by their place in the grid. Until all are there, finished lines are kept
// in a journal beside the file, so that they survive even if the program is killed; the same grid
// takes them over from there.
class RunCsv {
 public:
  // `-` and an empty name stand for no file: the lines are only collected.
  // If it is to be safe, cells that a spreadsheet would take for formulas get a ' in front.
  RunCsv(std::string output, const Grid& grid, bool safe = false);
  ~RunCsv();
  RunCsv(const RunCsv&) = delete;
  RunCsv& operator=(const RunCsv&) = delete;

  void add(std::size_t index, const RunRecord& run);

  // Returns the runs that were taken over, by their place in the grid; see RunJournal.
  const std::map<std::size_t, RunRecord>& earlier() const;

  // Returns the finished lines, in order.
  std::string text() const;

  // Writes the file. An incomplete one does not replace an earlier file. Returns where the lines
  // are now, for a message.
  std::string deliver();
  std::string journal() const { return journal_ ? journal_->path().string() : ""; }

 private:
  void keep_line(std::size_t index, const RunRecord& run);

  std::string output_;
  std::vector<std::string> lines_;
  std::size_t finished_ = 0;
  bool safe_;
  bool replaces_ = false;  // there was a file before
  std::optional<RunJournal> journal_;
};

}  // namespace uaspl
