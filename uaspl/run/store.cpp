// The results store, see store.hpp and docs/formats.md.
#include "uaspl/run/store.hpp"

#include <iterator>
#include <map>

#include <fmt/format.h>

#include "uaspl/base/error.hpp"
#include "uaspl/base/sha256.hpp"

namespace uaspl {
namespace {

constexpr std::int64_t kApplication = 0x75617370;  // "uasp", in the file's header

// The n-th script takes a file of format n to format n + 1.
constexpr const char* kMigrations[] = {R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  dataset TEXT NOT NULL,
  data_sha256 TEXT NOT NULL,
  method TEXT NOT NULL,
  configuration_hash TEXT NOT NULL,
  seed INTEGER NOT NULL,
  results_version INTEGER NOT NULL,
  configuration TEXT NOT NULL,
  accuracy REAL, precision REAL, recall REAL, f1 REAL,
  seconds REAL,
  rows INTEGER NOT NULL, classes INTEGER NOT NULL, unseen_rows INTEGER NOT NULL,
  diverged INTEGER NOT NULL, stalled INTEGER NOT NULL, traced INTEGER NOT NULL,
  version TEXT NOT NULL, code_commit TEXT NOT NULL, target TEXT NOT NULL, finished TEXT NOT NULL,
  UNIQUE (data_sha256, method, configuration_hash, seed, results_version));
CREATE TABLE stages (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  stage INTEGER NOT NULL,
  selected INTEGER NOT NULL, passes INTEGER NOT NULL,
  mean_loss REAL, mean_uncertainty REAL, ties INTEGER NOT NULL, dead INTEGER NOT NULL,
  first_loss REAL, last_loss REAL, loss_variation REAL, test_accuracy REAL,
  PRIMARY KEY (run, stage)) WITHOUT ROWID;
CREATE TABLE samples (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  stage INTEGER NOT NULL, row INTEGER NOT NULL,
  loss REAL, uncertainty REAL, correct INTEGER NOT NULL, selected INTEGER NOT NULL, weight REAL,
  PRIMARY KEY (run, stage, row)) WITHOUT ROWID;
)sql"};
constexpr auto kFormat = static_cast<std::int64_t>(std::size(kMigrations));

Database::Mode mode(Store::Open how) {
  switch (how) {
    case Store::Open::kCreate: return Database::Mode::kCreate;
    case Store::Open::kExisting: return Database::Mode::kReadWrite;
    case Store::Open::kRead: return Database::Mode::kReadOnly;
  }
  return Database::Mode::kReadOnly;
}

constexpr const char* kRunColumns =
    "dataset, data_sha256, method, configuration, seed, accuracy, precision, recall, f1, seconds, "
    "rows, classes, unseen_rows, diverged, stalled, version, code_commit, target, finished, traced";

RunRecord read_run(const Statement& row) {  // columns: id, then kRunColumns
  RunRecord run;
  run.key = {row.text(1), row.text(2), row.text(3), row.text(4),
             static_cast<std::uint32_t>(row.integer(5))};
  run.metrics = {row.real(6), row.real(7), row.real(8), row.real(9)};
  run.seconds = row.real(10);
  run.rows = static_cast<std::size_t>(row.integer(11));
  run.classes = static_cast<std::size_t>(row.integer(12));
  run.unseen_rows = static_cast<std::size_t>(row.integer(13));
  run.diverged = row.integer(14) != 0;
  run.stalled = row.integer(15) != 0;
  run.version = row.text(16);
  run.commit = row.text(17);
  run.target = row.text(18);
  run.finished = row.text(19);
  run.traced = row.integer(20) != 0;
  return run;
}

StageRecord read_stage(const Statement& row) {  // columns: run, stage, selected, ...
  return {.stage = static_cast<int>(row.integer(1)),
          .selected = static_cast<std::size_t>(row.integer(2)),
          .passes = static_cast<int>(row.integer(3)),
          .mean_loss = row.real(4),
          .mean_uncertainty = row.real(5),
          .ties = static_cast<std::size_t>(row.integer(6)),
          .dead = static_cast<std::size_t>(row.integer(7)),
          .first_loss = row.real(8),
          .last_loss = row.real(9),
          .loss_variation = row.real(10),
          .test_accuracy = row.real(11)};
}

void check_format(const std::filesystem::path& path, std::int64_t format) {
  if (format > kFormat)
    throw Error(fmt::format("{}: written by a newer uaspl (format {}, this one knows up to {})",
                            path.string(), format, kFormat));
}

}  // namespace

Store::Store(const std::filesystem::path& path, Open how) : database_(path, mode(how)) {
  const std::int64_t format = database_.pragma("user_version");
  const bool empty = format == 0 && database_.pragma("schema_version") == 0;
  if (!empty && database_.pragma("application_id") != kApplication)
    throw Error(fmt::format("{}: not a uaspl results file", path.string()));
  check_format(path, format);
  if (how == Open::kRead) {
    if (format < kFormat)
      throw Error(fmt::format("{}: of format {}; open it once for writing to bring it to {}",
                              path.string(), format, kFormat));
    return;
  }
  database_.use_wal();
  database_.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  if (format < kFormat) migrate(path);
}

// Another process may have done it meanwhile: the format is looked at again inside.
void Store::migrate(const std::filesystem::path& path) {
  Transaction all(database_);
  std::int64_t format = database_.pragma("user_version");
  check_format(path, format);
  database_.execute(fmt::format("PRAGMA application_id = {}", kApplication));
  for (; format < kFormat; ++format) database_.execute(kMigrations[format]);
  database_.execute(fmt::format("PRAGMA user_version = {}", kFormat));
  all.commit();
}

std::int64_t Store::find(const RunKey& key, bool traced) {
  Statement query(database_,
                  "SELECT id FROM runs WHERE data_sha256 = ? AND method = ? AND "
                  "configuration_hash = ? AND seed = ? AND results_version = ? AND traced >= ?");
  query.with(key.data_sha256, key.method, sha256(key.configuration), key.seed, kResultsVersion,
             traced);
  return query.step() ? query.integer(0) : 0;
}

bool Store::has(const RunKey& key, bool with_samples) { return find(key, with_samples) != 0; }

void Store::add(const RunRecord& run) {
  Transaction all(database_);
  if (find(run.key, !run.samples.empty()) != 0) return;  // another process was first
  if (const std::int64_t plain = find(run.key, false); plain != 0)
    Statement(database_, "DELETE FROM runs WHERE id = ?").with(plain).run();
  Statement(database_,
            fmt::format("INSERT INTO runs ({}, configuration_hash, results_version) VALUES "
                        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        kRunColumns))
      .with(run.key.dataset, run.key.data_sha256, run.key.method, run.key.configuration,
            run.key.seed, run.metrics.accuracy, run.metrics.precision, run.metrics.recall,
            run.metrics.f1, run.seconds, run.rows, run.classes, run.unseen_rows, run.diverged,
            run.stalled, run.version, run.commit, run.target, run.finished, !run.samples.empty(),
            sha256(run.key.configuration), kResultsVersion)
      .run();
  const std::int64_t id = database_.last_id();
  Statement stage(database_, "INSERT INTO stages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const StageRecord& s : run.stages)
    stage
        .with(id, s.stage, s.selected, s.passes, s.mean_loss, s.mean_uncertainty, s.ties, s.dead,
              s.first_loss, s.last_loss, s.loss_variation, s.test_accuracy)
        .run();
  Statement sample(database_, "INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const SampleRecord& s : run.samples)
    sample
        .with(id, s.stage, s.row, static_cast<double>(s.loss), static_cast<double>(s.uncertainty),
              s.correct, s.selected, static_cast<double>(s.weight))
        .run();
  all.commit();
}

std::vector<RunRecord> Store::runs() {
  ReadTransaction same_moment(database_);
  constexpr const char* kOrder = "dataset, data_sha256, method, configuration, seed, id";
  std::vector<RunRecord> all;
  std::map<std::int64_t, std::size_t> place;
  Statement rows(database_, fmt::format("SELECT id, {} FROM runs WHERE results_version = ? "
                                        "ORDER BY {}",
                                        kRunColumns, kOrder));
  rows.with(kResultsVersion);
  while (rows.step()) {
    place[rows.integer(0)] = all.size();
    all.push_back(read_run(rows));
  }
  Statement stages(database_, "SELECT * FROM stages ORDER BY run, stage");
  while (stages.step())
    if (const auto found = place.find(stages.integer(0)); found != place.end())
      all[found->second].stages.push_back(read_stage(stages));
  return all;
}

std::vector<SampleRecord> Store::samples(const RunKey& key) {
  std::vector<SampleRecord> all;
  Statement rows(database_, "SELECT * FROM samples WHERE run = ? ORDER BY stage, row");
  rows.with(find(key, true));
  while (rows.step())
    all.push_back({.stage = static_cast<int>(rows.integer(1)),
                   .row = static_cast<int>(rows.integer(2)),
                   .loss = static_cast<float>(rows.real(3)),
                   .uncertainty = static_cast<float>(rows.real(4)),
                   .weight = static_cast<float>(rows.real(7)),
                   .correct = rows.integer(5) != 0,
                   .selected = rows.integer(6) != 0});
  return all;
}

std::size_t Store::other_versions() {
  Statement others(database_, "SELECT count(*) FROM runs WHERE results_version != ?");
  return others.with(kResultsVersion).step() ? static_cast<std::size_t>(others.integer(0)) : 0;
}

Merged Store::merge(const std::filesystem::path& other) {
  Store from(other, Open::kRead);
  Merged merged;
  merged.other_versions = from.other_versions();
  for (RunRecord& run : from.runs()) {
    if (has(run.key, run.traced)) continue;
    if (run.traced) run.samples = from.samples(run.key);
    add(run);
    ++merged.taken;
  }
  return merged;
}

}  // namespace uaspl
