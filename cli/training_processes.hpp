// Training one network on several ranks: `mpirun -n 2 uaspl train --images ...`, or ranks that were
// started by hand.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "uaspl/net/process_group.hpp"

namespace uaspl::cli {

// The ranks that train together, or this process alone.
class TrainingProcesses {
 public:
  // Joins the others where RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or the variables of
  // mpirun, say that there are some.
  explicit TrainingProcesses(double seconds);

  const std::shared_ptr<ProcessGroup>& group() const { return group_; }  // none: alone
  bool speaks() const { return !group_ || group_->rank() == 0; }         // and writes files
  bool any(bool mine) const { return group_ ? any_of(*group_, mine) : mine; }

  // Threads of each rank, where none are asked for: one where some share a machine, else all cores
  // of the smallest.
  std::size_t usual_threads() const;

  // Runs it on each rank; what it returns, line by line, must be the same on all. Where it fails on
  // one of them, or differs, all of them fail. False: rank 0 says why, and this one ends silently.
  bool prepare(const std::function<std::vector<std::string>()>& work) const;

  // What this process ends with where all of them end alike. mpirun would end rank 0 for the code
  // of another one before it has said why.
  int exit_code(int code) const;

 private:
  std::shared_ptr<ProcessGroup> group_;
  bool by_mpirun_ = false;
};

}  // namespace uaspl::cli
