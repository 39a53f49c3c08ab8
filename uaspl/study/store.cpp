// The results store, see store.hpp and docs/formats.md.
#include "uaspl/study/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "uaspl/base/error.hpp"
#include "uaspl/io/sha256.hpp"

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
)sql",
                                       R"sql(
ALTER TABLE runs ADD COLUMN log_loss REAL;
ALTER TABLE runs ADD COLUMN brier REAL;
ALTER TABLE runs ADD COLUMN ece REAL;
ALTER TABLE runs ADD COLUMN error_auroc REAL;
ALTER TABLE runs ADD COLUMN predicted_classes INTEGER;
ALTER TABLE runs ADD COLUMN majority REAL;
ALTER TABLE runs ADD COLUMN class_ratio REAL;
ALTER TABLE stages ADD COLUMN train_accuracy REAL;
ALTER TABLE stages ADD COLUMN quarter_median REAL;
ALTER TABLE stages ADD COLUMN quarter_robust REAL;
ALTER TABLE stages ADD COLUMN variation REAL;
ALTER TABLE stages ADD COLUMN variation_median REAL;
ALTER TABLE stages ADD COLUMN variation_robust REAL;
ALTER TABLE stages ADD COLUMN right_sure_rows INTEGER;
ALTER TABLE stages ADD COLUMN right_unsure_rows INTEGER;
ALTER TABLE stages ADD COLUMN wrong_unsure_rows INTEGER;
ALTER TABLE stages ADD COLUMN wrong_sure_rows INTEGER;
ALTER TABLE stages ADD COLUMN right_sure_loss REAL;
ALTER TABLE stages ADD COLUMN right_unsure_loss REAL;
ALTER TABLE stages ADD COLUMN wrong_unsure_loss REAL;
ALTER TABLE stages ADD COLUMN wrong_sure_loss REAL;
)sql"};
constexpr auto kFormat = static_cast<std::int64_t>(std::size(kMigrations));

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
  if (database.pragma("user_version") >= kFormat) return Columns<Record>().names;
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

template <typename Record>
void read_fields(const Statement& row, int column, Record& record) {
  visit_fields(record, [&](const char*, auto& field) { row.get(column++, field); });
}

// Binds the fields of a record to the question marks from `place` on; returns the next place.
template <typename Record>
int bind_fields(Statement& statement, int place, const Record& record) {
  visit_fields(record, [&](const char*, const auto& field) { statement.bind(place++, field); });
  return place;
}

// Inserts the stages or samples of a run.
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

void check_format(const std::filesystem::path& path, std::int64_t format) {
  if (format < 0)
    throw Error(fmt::format("{}: not a uaspl results file: format {}", path.string(), format));
  if (format > kFormat)
    throw Error(fmt::format("{}: written by a newer uaspl (format {}, this one knows up to {})",
                            path.string(), format, kFormat));
}

// A thing in a file's schema, and the statement that made it.
struct SchemaEntry {
  std::string type, name, table, sql;
  bool operator==(const SchemaEntry&) const = default;
};

// Blanks count as one each: other programs that copy a store may set its statements out anew.
std::string with_single_blanks(std::string_view sql) {
  std::string text;
  for (const char c : sql) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) text += c;
    if (blank && !text.ends_with(' ')) text += ' ';
  }
  return text;
}

std::vector<SchemaEntry> schema_of(Database& database) {
  std::vector<SchemaEntry> all;
  Statement entries(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
  while (entries.step())
    all.push_back(
        {entries.text(0), entries.text(1), entries.text(2), with_single_blanks(entries.text(3))});
  return all;
}

// Returns what the migrations make of an empty file, by format.
const std::vector<SchemaEntry>& our_schema(std::int64_t format) {
  static const std::vector<std::vector<SchemaEntry>> kOurs = [] {
    Database empty;
    std::vector<std::vector<SchemaEntry>> all = {{}};
    for (const char* script : kMigrations) {
      empty.execute(script);
      all.push_back(schema_of(empty));
    }
    return all;
  }();
  return kOurs[static_cast<std::size_t>(format)];
}

// Makes sure that the tables are tables: something else by their names, a trigger or an index that
// calculates, could do anything when it is read or written. Other things in the file are not used.
void check_schema(Database& database) {
  const ReadTransaction same_moment(database);  // another process may be migrating the file
  const std::int64_t format = database.pragma("user_version");
  check_format(database.path(), format);
  const std::vector<SchemaEntry>& ours = our_schema(format);
  std::size_t found = 0;
  for (const SchemaEntry& entry : schema_of(database)) {
    if (std::ranges::find(ours, entry) != ours.end())
      ++found;
    else if (std::ranges::any_of(ours, [&](const SchemaEntry& one) {
               return one.name == entry.name || one.name == entry.table;
             }))
      throw Error(fmt::format("{}: not a uaspl results file: {} '{}' is not as uaspl makes it",
                              database.path().string(), entry.type, entry.name));
  }
  if (found != ours.size())
    throw Error(
        fmt::format("{}: not a uaspl results file: {} of its {} tables and indices are "
                    "missing",
                    database.path().string(), ours.size() - found, ours.size()));
}

}  // namespace

Store::Store(const std::filesystem::path& path, Open how) : database_(path, mode(how)) {
  const std::int64_t format = database_.pragma("user_version");
  const bool empty = format == 0 && database_.pragma("schema_version") == 0;
  if (!empty && database_.pragma("application_id") != kApplication)
    throw Error(fmt::format("{}: not a uaspl results file", path.string()));
  check_format(path, format);
  if (how == Open::kRead) {
    if (format < 1)
      throw Error(fmt::format("{}: an empty file, no run was ever stored in it", path.string()));
    check_schema(database_);
    return;  // older formats are read as they are
  }
  check_schema(database_);
  database_.use_wal();
  database_.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  if (format == kFormat) return;
  migrate(path);
  check_schema(database_);  // another process may have made it meanwhile
}

// Brings the file to the present format. The format is checked again inside the transaction,
// because another process may have migrated it meanwhile.
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
  query.with(key.data_sha256, key.method, sha256(key.configuration), key.seed,
             key.results_version(), traced);
  return query.step() ? query.integer(0) : 0;
}

bool Store::has(const RunKey& key, bool with_samples) { return find(key, with_samples) != 0; }

void Store::add(const RunRecord& run) {
  Transaction all(database_);
  if (find(run.key, !run.samples.empty()) != 0) return;  // another process was first
  if (const std::int64_t plain = find(run.key, false); plain != 0)
    Statement(database_, "DELETE FROM runs WHERE id = ?").with(plain).run();
  const Columns<RunRecord> columns;
  Statement insert(database_,
                   fmt::format("INSERT INTO runs ({}, configuration_hash, results_version) VALUES "
                               "({}, ?, ?)",
                               columns.names, columns.marks));
  insert.restart();
  const int next = bind_fields(insert, 1, run);
  insert.bind(next - 1, !run.samples.empty());  // `traced`, the last field
  insert.bind(next, sha256(run.key.configuration));
  insert.bind(next + 1, run.key.results_version());
  insert.run();
  const std::int64_t id = database_.last_id();
  insert_parts(database_, "stages", id, run.stages);
  insert_parts(database_, "samples", id, run.samples);
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

std::vector<SampleRecord> Store::samples(const RunKey& key) {
  std::vector<SampleRecord> all;
  Statement rows(database_, fmt::format("SELECT {} FROM samples WHERE run = ? ORDER BY stage, row",
                                        Columns<SampleRecord>().names));
  rows.with(find(key, true));
  while (rows.step()) read_fields(rows, 0, all.emplace_back());
  return all;
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
    if (has(run.key, run.traced)) continue;
    if (run.traced) run.samples = from.samples(run.key);
    add(run);
    ++merged.taken;
  }
  return merged;
}

}  // namespace uaspl
