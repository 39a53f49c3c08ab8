// The work queue of a grid: it finds the missing runs, hands them out and takes in finished ones.
// Workers only see its WorkSource, wherever the queue is.
#pragma once

#include <atomic>
#include <compare>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "uaspl/io/file_lock.hpp"
#include "uaspl/study/grid.hpp"

namespace uaspl {

// Data set, variant and seed: the methods of a unit share a split and a pre-trained network.
struct Unit {
  std::size_t dataset = 0;
  std::size_t variant = 0;
  std::size_t run = 0;
  auto operator<=>(const Unit&) const = default;
};

struct Task {
  Unit unit;
  std::vector<std::size_t> methods;  // missing methods, by their place in the grid
};

// All functions may be called from any thread.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  virtual std::optional<Task> take() = 0;  // waits; nothing if there is no more to do
  virtual void finished(const Unit& unit, std::size_t method, RunRecord run) = 0;
  virtual void give_back(const Unit& unit) = 0;  // the worker is done with the unit
  virtual void stop() = 0;                       // runs in progress are given up
  virtual bool stopped() const = 0;
  virtual void stepped(std::size_t /*rows*/) {}  // a step used so many rows of a run
};

class WorkQueue final : public WorkSource {
 public:
  WorkQueue(const Grid& grid, const GridCallbacks& callbacks, const std::atomic<bool>& cancel);

  std::size_t total() const { return total_; }  // runs that were missing at the beginning
  std::size_t units() const { return units_; }

  std::optional<Task> take() override;
  // Takes a task without waiting; returns nothing if there is no more, or if other processes have
  // the rest.
  std::optional<Task> try_take();
  bool empty() const;  // no more to hand out
  // Says whether it is the run of that unit and method.
  bool fits(const Unit& unit, std::size_t method, const RunRecord& run) const;
  void finished(const Unit& unit, std::size_t method, RunRecord run) override;
  void give_back(const Unit& unit) override;
  void stop() override { failed_ = true; }
  bool stopped() const override;
  void stepped(std::size_t rows) override {
    if (callbacks_.on_step) callbacks_.on_step(rows);
  }

 private:
  RunKey key(const Unit& unit, std::size_t method) const;
  double size(const Unit& unit) const;
  std::vector<std::size_t> missing(const Unit& unit) const;
  void collect_units();
  bool lock_unit(const Unit& unit);

  const Grid& grid_;
  const GridCallbacks& callbacks_;
  const std::atomic<bool>& cancel_;
  std::vector<DatasetId> datasets_;
  std::vector<RunKey> keys_;  // by data set, variant and method, without their seeds
  std::atomic<bool> failed_{false};
  std::size_t total_ = 0;
  std::size_t units_ = 0;
  double total_work_ = 0.0;
  mutable std::mutex mutex_;  // guards all that follows
  std::deque<Unit> waiting_;
  std::vector<Unit> busy_;  // another process had them when they were tried
  std::map<Unit, FileLocks::Held> held_;
  std::size_t finished_ = 0;
  double done_work_ = 0.0;
};

// Does the tasks of the source, `jobs` units at a time; an error stops the source.
void work_off(WorkSource& source, const Grid& grid, std::size_t jobs);

}  // namespace uaspl
