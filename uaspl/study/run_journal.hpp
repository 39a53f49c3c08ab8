// Keeps the finished runs of a grid in a file until its results are written, so that a bench that
// was killed goes on where it was.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "uaspl/io/file.hpp"
#include "uaspl/study/grid.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

// A text file. Its first line names the grid by a hash of everything that decides the runs; each
// further line is a finished run, with its place in the grid.
class RunJournal {
 public:
  // Takes up the journal of the same grid if there is one. Any other file of that name is left as
  // it is, and an Error is thrown.
  RunJournal(const std::filesystem::path& path, const Grid& grid);

  const std::filesystem::path& path() const { return file_.path(); }
  // Returns the runs that were there, by their place in the grid, without stages, and without
  // what says which program they come from. The key is the grid's.
  const std::map<std::size_t, RunRecord>& earlier() const { return earlier_; }

  void add(std::size_t index, const RunRecord& run);
  void remove() { file_.remove(); }

 private:
  void take_up(const Grid& grid);

  std::string head_;  // the first line
  KeptFile file_;
  bool has_head_ = false;
  std::map<std::size_t, RunRecord> earlier_;
};

}  // namespace uaspl
