// The format of results stores, see store_format.hpp and docs/formats.md.
#include "uaspl/study/store_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/base/error.hpp"

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
)sql",
                                       R"sql(
ALTER TABLE runs ADD COLUMN inference_seconds REAL;
ALTER TABLE runs ADD COLUMN class_names TEXT;
ALTER TABLE runs ADD COLUMN has_predictions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN has_passes INTEGER NOT NULL DEFAULT 0;
CREATE TABLE predictions (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  row INTEGER NOT NULL, label INTEGER NOT NULL, predicted INTEGER NOT NULL,
  uncertainty REAL, probabilities TEXT NOT NULL,
  PRIMARY KEY (run, row)) WITHOUT ROWID;
CREATE TABLE passes (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  stage INTEGER NOT NULL, pass INTEGER NOT NULL,
  loss REAL, train_loss REAL, train_accuracy REAL, test_loss REAL, test_accuracy REAL,
  PRIMARY KEY (run, stage, pass)) WITHOUT ROWID;
)sql"};
static_assert(std::size(kMigrations) == static_cast<std::size_t>(kStoreFormat));

void check_format(const std::filesystem::path& path, std::int64_t format) {
  if (format < 0)
    throw Error(fmt::format("{}: not a uaspl results file: format {}", path.string(), format));
  if (format > kStoreFormat)
    throw Error(fmt::format("{}: written by a newer uaspl (format {}, this one knows up to {})",
                            path.string(), format, kStoreFormat));
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

}  // namespace

std::int64_t store_format(Database& database) {
  const std::int64_t format = database.pragma("user_version");
  const bool empty = format == 0 && database.pragma("schema_version") == 0;
  if (!empty && database.pragma("application_id") != kApplication)
    throw Error(fmt::format("{}: not a uaspl results file", database.path().string()));
  check_format(database.path(), format);
  return format;
}

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

void bring_to_present_format(Database& database) {
  Transaction all(database);
  std::int64_t format = database.pragma("user_version");
  check_format(database.path(), format);
  database.execute(fmt::format("PRAGMA application_id = {}", kApplication));
  for (; format < kStoreFormat; ++format) database.execute(kMigrations[format]);
  database.execute(fmt::format("PRAGMA user_version = {}", kStoreFormat));
  all.commit();
}

}  // namespace uaspl
