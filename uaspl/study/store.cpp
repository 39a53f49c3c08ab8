// The results store, see store.hpp and docs/formats.md.
#include "uaspl/study/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/io/sha256.hpp"
#include "uaspl/study/store_format.hpp"

namespace uaspl {
namespace {

constexpr std::int64_t kFirstWithParts = 3;  // before, samples were the only ones

// Returns the results version that this program gives to a stored run, as RunKey has it.
std::string present_version() {
  return fmt::format("iif(instr(configuration, '\"network\":') > 0, {}, {})", kImageResultsVersion,
                     kResultsVersion);
}

Database::Mode mode(Store::Open how) {
  switch (how) {
    case Store::Open::kCreate: return Database::Mode::kCreate;
    case Store::Open::kExisting: return Database::Mode::kReadWrite;
    case Store::Open::kRead: return Database::Mode::kReadOnly;
  }
  return Database::Mode::kReadOnly;
}

// Lists the columns of a record's fields, and as many question marks.
template <typename Record>
struct Columns {
  Columns() {
    const Record any;
    visit_fields(any, [&](const char* name, const auto&) {
      names += (names.empty() ? "" : ", ") + std::string(name);
      marks += marks.empty() ? "?" : ", ?";
    });
  }
  std::string names;
  std::string marks;
};

// Lists the columns of a record's fields as a file has them: NULL stands for those that older
// formats lack. It is asked at each reading, as another process may bring the file to this format.
template <typename Record>
std::string stored_columns(Database& database, const char* table) {
  if (database.pragma("user_version") >= kStoreFormat) return Columns<Record>().names;
  std::set<std::string> there;
  Statement columns(database, "SELECT name FROM pragma_table_info(?)");
  columns.with(table);
  while (columns.step()) there.insert(columns.text(0));
  std::string names;
  const Record any;
  visit_fields(any, [&](const char* name, const auto&) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", there.contains(name) ? name : "NULL");
  });
  return names;
}

// Probabilities are kept as a JSON list, which SQLite's own functions can read.
std::string list_text(const std::vector<float>& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

// Returns NaN, which is no probability, for a text that is no such list.
std::vector<float> parse_list(std::string_view text) {
  const std::vector<float> none{std::numeric_limits<float>::quiet_NaN()};
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return none;
  std::vector<float> values;
  const char* at = text.data() + 1;
  const char* const last = text.data() + text.size() - 1;
  while (at < last) {
    const auto [end, status] = std::from_chars(at, last, values.emplace_back());
    const bool more = end != last && *end == ',' && end + 1 < last;
    if (status != std::errc() || (end != last && !more)) return none;
    at = end + 1;
  }
  return values;
}

template <typename Record>
void read_fields(const Statement& row, int column, Record& record) {
  visit_fields(record, [&]<typename Field>(const char*, Field& field) {
    if constexpr (std::is_same_v<Field, std::vector<float>>)
      field = parse_list(row.text(column++));
    else
      row.get(column++, field);
  });
}

// Binds the fields of a record to the question marks from `place` on; returns the next place.
template <typename Record>
int bind_fields(Statement& statement, int place, const Record& record) {
  visit_fields(record, [&]<typename Field>(const char*, const Field& field) {
    if constexpr (std::is_same_v<Field, std::vector<float>>)
      statement.bind(place++, list_text(field));
    else
      statement.bind(place++, field);
  });
  return place;
}

// Inserts the stages of a run, or one of its parts.
template <typename Record>
void insert_parts(Database& database, const char* table, std::int64_t run,
                  const std::vector<Record>& records) {
  const Columns<Record> columns;
  Statement insert(database, fmt::format("INSERT INTO {} (run, {}) VALUES (?, {})", table,
                                         columns.names, columns.marks));
  for (const Record& record : records) {
    insert.restart();
    insert.bind(1, run);
    bind_fields(insert, 2, record);
    insert.run();
  }
}

}  // namespace

Store::Store(const std::filesystem::path& path, Open how) : database_(path, mode(how)) {
  const std::int64_t format = store_format(database_);
  if (how == Open::kRead) {
    if (format < 1)
      throw Error(fmt::format("{}: an empty file, no run was ever stored in it", path.string()));
    check_schema(database_);
    return;  // older formats are read as they are
  }
  check_schema(database_);
  database_.use_wal();
  database_.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  if (format == kStoreFormat) return;
  bring_to_present_format(database_);
  check_schema(database_);  // another process may have made it meanwhile
}

std::int64_t Store::find(const RunKey& key) {
  Statement query(database_,
                  "SELECT id FROM runs WHERE data_sha256 = ? AND method = ? AND "
                  "configuration_hash = ? AND seed = ? AND results_version = ?");
  query.with(key.data_sha256, key.method, sha256(key.configuration), key.seed,
             key.results_version());
  return query.step() ? query.integer(0) : 0;
}

RunParts Store::parts_of(std::int64_t id) {
  RunParts parts;
  Statement query(database_, fmt::format("SELECT {} FROM runs WHERE id = ?",
                                         stored_columns<RunParts>(database_, "runs")));
  query.with(id);
  if (query.step()) read_fields(query, 0, parts);
  return parts;
}

bool Store::has(const RunKey& key, const RunParts& parts) {
  const std::int64_t id = find(key);
  return id != 0 && parts_of(id).include(parts);
}

// Says whether the stored run is the same to the last digit of what is stored of its test.
bool Store::has_results_of(std::int64_t id, const RunRecord& run) {
  Statement query(database_,
                  "SELECT 1 FROM runs WHERE id = ? AND target = ? AND accuracy IS ? AND precision "
                  "IS ? AND recall IS ? AND f1 IS ?");
  const Metrics& m = run.metrics;
  return query.with(id, run.target, m.accuracy, m.precision, m.recall, m.f1).step();
}

void Store::insert(const RunRecord& run) {
  const Columns<RunRecord> columns;
  Statement insert(database_,
                   fmt::format("INSERT INTO runs ({}, configuration_hash, results_version) VALUES "
                               "({}, ?, ?)",
                               columns.names, columns.marks));
  insert.restart();
  const int next = bind_fields(insert, 1, run);
  insert.bind(next, sha256(run.key.configuration));
  insert.bind(next + 1, run.key.results_version());
  insert.run();
  const std::int64_t id = database_.last_id();
  insert_parts(database_, "stages", id, run.stages);
  insert_parts(database_, "samples", id, run.samples);
  insert_parts(database_, "predictions", id, run.predictions);
  insert_parts(database_, "passes", id, run.passes);
}

void Store::insert_missing_parts(std::int64_t id, const RunParts& there, const RunRecord& run) {
  const RunParts& more = run.parts;
  if (more.samples && !there.samples) insert_parts(database_, "samples", id, run.samples);
  if (more.passes && !there.passes) insert_parts(database_, "passes", id, run.passes);
  if (more.predictions && !there.predictions) {
    insert_parts(database_, "predictions", id, run.predictions);
    Statement(database_, "UPDATE runs SET class_names = ? WHERE id = ?")
        .with(run.class_names, id)
        .run();
  }
  Statement(database_,
            "UPDATE runs SET traced = ?, has_predictions = ?, has_passes = ? WHERE id = ?")
      .with(there.samples || more.samples, there.predictions || more.predictions,
            there.passes || more.passes, id)
      .run();
}

void Store::remove(std::int64_t id) {
  Statement(database_, "DELETE FROM runs WHERE id = ?").with(id).run();
}

void Store::put(const RunRecord& run) {
  const std::int64_t id = find(run.key);
  if (id == 0) return insert(run);
  const RunParts there = parts_of(id);
  if (there.include(run.parts)) return;  // another process was first
  if (has_results_of(id, run)) return insert_missing_parts(id, there, run);
  remove(id);
  insert(run);
}

void Store::add(const RunRecord& run) {
  Transaction all(database_);
  put(run);
  all.commit();
}

void Store::add_all(std::span<const RunRecord> runs, bool replace) {
  Transaction all(database_);
  for (const RunRecord& run : runs) {
    if (const std::int64_t id = find(run.key); replace && id != 0) remove(id);
    put(run);
  }
  all.commit();
}

std::vector<RunRecord> Store::runs() {
  ReadTransaction same_moment(database_);
  std::vector<RunRecord> all;
  std::map<std::int64_t, std::size_t> place;
  Statement rows(database_,
                 fmt::format("SELECT id, {} FROM runs WHERE results_version = {}",
                             stored_columns<RunRecord>(database_, "runs"), present_version()));
  while (rows.step()) {
    place[rows.integer(0)] = all.size();
    read_fields(rows, 1, all.emplace_back());
  }
  Statement stages(database_, fmt::format("SELECT run, {} FROM stages ORDER BY run, stage",
                                          stored_columns<StageRecord>(database_, "stages")));
  while (stages.step())
    if (const auto found = place.find(stages.integer(0)); found != place.end())
      read_fields(stages, 1, all[found->second].stages.emplace_back());
  // Sorted here, not by SQLite, which would write all of it to a file if there is much. Equal keys
  // stay in the order of their ids.
  std::ranges::stable_sort(all, {}, [](const RunRecord& run) {
    const RunKey& k = run.key;
    return std::tie(k.dataset, k.data_sha256, k.method, k.configuration, k.seed);
  });
  return all;
}

template <typename Record>
std::vector<Record> Store::parts(const RunKey& key, const char* table, const char* order) {
  std::vector<Record> all;
  Statement rows(database_, fmt::format("SELECT {} FROM {} WHERE run = ? ORDER BY {}",
                                        Columns<Record>().names, table, order));
  rows.with(find(key));
  while (rows.step()) read_fields(rows, 0, all.emplace_back());
  return all;
}

std::vector<SampleRecord> Store::samples(const RunKey& key) {
  return parts<SampleRecord>(key, "samples", "stage, row");
}

std::vector<PredictionRecord> Store::predictions(const RunKey& key) {
  if (database_.pragma("user_version") < kFirstWithParts) return {};
  Statement query(database_, "SELECT classes FROM runs WHERE id = ?");
  const auto classes = query.with(find(key)).step() ? query.integer(0) : 0;
  const auto fits = [&](const PredictionRecord& one) {
    return one.row >= 0 && one.label >= 0 && std::cmp_less(one.label, classes) &&
           one.predicted >= -1 && std::cmp_less(one.predicted, classes) &&
           (one.probabilities.empty() || std::cmp_equal(one.probabilities.size(), classes)) &&
           std::ranges::all_of(one.probabilities, [](float p) { return p >= 0.0F && p <= 1.0F; });
  };
  std::vector<PredictionRecord> all = parts<PredictionRecord>(key, "predictions", "row");
  if (!std::ranges::all_of(all, fits))
    throw Error(fmt::format("{}: predictions that do not fit the {} classes of their run",
                            database_.path().string(), classes));
  return all;
}

std::vector<PassRecord> Store::passes(const RunKey& key) {
  if (database_.pragma("user_version") < kFirstWithParts) return {};
  return parts<PassRecord>(key, "passes", "stage, pass");
}

std::size_t Store::other_versions() {
  Statement others(database_, fmt::format("SELECT count(*) FROM runs WHERE results_version != {}",
                                          present_version()));
  return others.step() ? static_cast<std::size_t>(others.integer(0)) : 0;
}

Merged Store::merge(const std::filesystem::path& other) {
  Store from(other, Open::kRead);
  Merged merged;
  merged.other_versions = from.other_versions();
  for (RunRecord& run : from.runs()) {
    if (has(run.key, run.parts)) continue;
    if (run.parts.samples) run.samples = from.samples(run.key);
    if (run.parts.predictions) run.predictions = from.predictions(run.key);
    if (run.parts.passes) run.passes = from.passes(run.key);
    add(run);
    ++merged.taken;
  }
  return merged;
}

std::vector<RunRecord> stored_runs(const std::filesystem::path& path) {
  std::error_code missing;
  if (const auto size = std::filesystem::file_size(path, missing); missing || size == 0) return {};
  if (Database begun(path, mode(Store::Open::kRead)); store_format(begun) == 0) return {};
  return Store(path, Store::Open::kRead).runs();
}

}  // namespace uaspl
