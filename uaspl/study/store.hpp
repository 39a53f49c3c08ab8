// The results store: an SQLite file with one row for each run, its stages, and on request its
// parts: samples, predictions and passes. A run is committed whole as soon as it is finished, so
// that no finished run is lost and any grid can go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "uaspl/io/sqlite.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

struct Merged {
  std::size_t taken = 0;
  std::size_t other_versions = 0;  // runs of another results version, which are not merged
};

class Store {
 public:
  enum class Open { kCreate, kExisting, kRead };
  Store(const std::filesystem::path& path, Open how);

  bool has(const RunKey& key, const RunParts& parts = {});
  // Adds a run. Of the same run that is there already, the first one stays, and gets the parts that
  // it lacks. If its results are others (another instruction set may change last digits), it is
  // replaced as a whole, and only by one with parts that it lacks: parts of a run fit each other.
  void add(const RunRecord& run);
  // Adds all of them or, after an error, none. With `replace`, runs that are there are replaced.
  void add_all(std::span<const RunRecord> runs, bool replace = false);

  // Returns all runs without their parts, sorted by data set, method, configuration and seed.
  std::vector<RunRecord> runs();
  std::vector<SampleRecord> samples(const RunKey& key);
  std::vector<PredictionRecord> predictions(const RunKey& key);
  std::vector<PassRecord> passes(const RunKey& key);

  std::size_t other_versions();  // number of runs of another results version

  // Copies the runs that are missing here.
  Merged merge(const std::filesystem::path& other);

 private:
  std::int64_t find(const RunKey& key);  // 0 if there is none
  RunParts parts_of(std::int64_t id);
  bool has_results_of(std::int64_t id, const RunRecord& run);
  void insert(const RunRecord& run);
  void insert_missing_parts(std::int64_t id, const RunParts& there, const RunRecord& run);
  void put(const RunRecord& run);  // within a transaction
  void remove(std::int64_t id);
  template <typename Record>
  std::vector<Record> parts(const RunKey& key, const char* table, const char* order);

  Database database_;
};

// Returns the runs of a store without changing it: none if there is no file yet, or one in which
// whoever began to make it was interrupted.
std::vector<RunRecord> stored_runs(const std::filesystem::path& path);

}  // namespace uaspl
