// Trains one network on several ranks: `mpirun -n 2 uaspl train --images ...`, or ranks that were
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
  // Joins the other ranks if RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or the variables of
  // mpirun, say that there are some.
  explicit TrainingProcesses(double seconds);

  const std::shared_ptr<ProcessGroup>& group() const { return group_; }  // null if alone
  bool speaks() const { return !group_ || group_->rank() == 0; }         // and writes files
  bool any(bool mine) const { return group_ ? any_of(*group_, mine) : mine; }

  // Returns the threads of each rank if none are asked for: one if ranks share a machine, else all
  // cores of the smallest machine.
  std::size_t usual_threads() const;

  // Runs the work on each rank; the lines that it returns must be the same on all. If it fails on
  // one of them, or differs, all of them fail. Returns false if rank 0 says why, and this one
  // should end silently.
  bool prepare(const std::function<std::vector<std::string>()>& work) const;

  // Returns the exit code of this process if all ranks end alike. An error code of another rank
  // would make mpirun end rank 0 before it has said why.
  int exit_code(int code) const;

 private:
  std::shared_ptr<ProcessGroup> group_;
  bool by_mpirun_ = false;
};

}  // namespace uaspl::cli
