// The results store: an SQLite file with one row for each run, its stages, and on request its
// samples. A run is committed whole as soon as it is finished, so that no finished run is lost and
// any grid can go on.
#pragma once

#include <cstdint>
#include <filesystem>
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

  bool has(const RunKey& key, bool with_samples = false);
  // Adds a run. It replaces the same run without samples if it has samples; otherwise the first one
  // stays.
  void add(const RunRecord& run);

  // Returns all runs without their samples, sorted by data set, method, configuration and seed.
  std::vector<RunRecord> runs();
  std::vector<SampleRecord> samples(const RunKey& key);

  std::size_t other_versions();  // number of runs of another results version

  // Copies the runs that are missing here.
  Merged merge(const std::filesystem::path& other);

 private:
  void migrate(const std::filesystem::path& path);
  std::int64_t find(const RunKey& key, bool traced);  // 0 if there is none

  Database database_;
};

}  // namespace uaspl
