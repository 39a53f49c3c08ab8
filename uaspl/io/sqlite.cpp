// Wraps SQLite, see sqlite.hpp.
#include "uaspl/io/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <system_error>
#include <thread>

#include "uaspl/base/error.hpp"
#include "uaspl/io/sqlite_open.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyMilliseconds = 120000;  // another process may hold the file for a while

const char* meaning(int code) {
  if (code == SQLITE_READONLY_ROLLBACK)
    return "a change to it was not finished, and its journal lies beside it; open it once with the "
           "program that wrote it, or remove the journal if it is not the store's";
  switch (code & 0xff) {
    case SQLITE_NOTADB: return "not a uaspl results file";
    case SQLITE_CORRUPT: return "the file is damaged";
    case SQLITE_FULL:
      return "no space left; what was finished is safe, and the same command goes on";
    case SQLITE_READONLY: return "the file or its folder cannot be written";
    case SQLITE_CANTOPEN: return "cannot be opened";
    case SQLITE_BUSY: return "another process has locked it";
    case SQLITE_IOERR: return "reading or writing failed";
    case SQLITE_TOOBIG: return "it has a value that is larger than any of a results store";
    case SQLITE_INTERRUPT: return "the file is damaged: reading it would never end";
    default: return nullptr;
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database::Database(const fs::path& path, Mode mode) : path_(path) {
  std::error_code ignored;
  if (path.empty()) throw Error("the name of a results store is empty");
  const fs::file_status status = fs::status(path, ignored);
  if (mode != Mode::kCreate && !fs::exists(status))
    throw Error(fmt::format("{}: no such file", path.string()));
  if (fs::is_directory(status)) throw Error(fmt::format("{}: is a folder", path.string()));
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(fmt::format("{}: not a uaspl results file, nor any other", path.string()));
  // The path is made absolute because some short names have a special meaning for SQLite, and
  // without links, as SQLite names the files beside it.
  file_ = fs::exists(status) ? fs::canonical(path, ignored) : fs::absolute(path, ignored);
  budget_ = std::make_unique<QueryBudget>(file_);
  const int code = mode == Mode::kReadOnly ? open_to_read() : open_to_write(mode == Mode::kCreate);
  if (code != SQLITE_OK) fail(code);
}

Database::Database() : path_("in memory"), budget_(std::make_unique<QueryBudget>(path_)) {
  if (const int code = open("mode=memory", SQLITE_OPEN_READWRITE); code != SQLITE_OK) fail(code);
}

Database::~Database() = default;

int Database::open(const std::string& options, int flags) {
  sqlite3* raw = nullptr;
  int code = sqlite3_open_v2(sqlite_address(file_, options).c_str(), &raw,
                             flags | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(raw);
  if (code != SQLITE_OK) return code;
  if ((flags & SQLITE_OPEN_READWRITE) != 0 && sqlite3_db_readonly(raw, "main") == 1)
    return SQLITE_READONLY;
  sqlite3_busy_timeout(raw, kBusyMilliseconds);
  code = restrict_database(raw, *budget_);
  if (code != SQLITE_OK) return code;
  // Opening reads nothing yet: a query makes sure that a bad file is found at once.
  return sqlite3_exec(raw, "SELECT 1 FROM sqlite_schema LIMIT 1", nullptr, nullptr, nullptr);
}

int Database::open_to_write(bool create) {
  const Companions companions(file_);
  companions.check();
  companions.check_for_writing();
  return open(create ? "mode=rwc" : "mode=rw",
              SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0));
}

// A file at rest, with nothing beside it, is read as it is: SQLite then writes nothing at all, and
// the folder need not be writable. Otherwise SQLite finds out what is to be read of the files
// beside it.
int Database::open_to_read() {
  const Companions companions(file_);
  const auto as_it_is = [&] {
    found_ = state_of_file();
    return open("immutable=1", SQLITE_OPEN_READONLY);
  };
  std::error_code ignored;
  if (fs::file_size(file_, ignored) == 0) return as_it_is();
  const bool journal = companions.has_journal();
  if (!journal && !companions.has_log()) return as_it_is();
  companions.check();
  const int code = open("mode=ro", SQLITE_OPEN_READONLY);
  const bool closed = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
  return closed && !journal && companions.log_bytes() == 0 ? as_it_is() : code;
}

Database::FileState Database::state_of_file() const {
  struct stat now {};
  if (::stat(file_.c_str(), &now) != 0) return {};
  return {now.st_ino, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec};
}

// A file that is read as it is must stay so: SQLite does not look whether it does.
void Database::check_unchanged() const {
  if (found_ && *found_ != state_of_file())
    throw Error(fmt::format("{}: was changed while it was read; try again", path_.string()));
}

void Database::begin_statement() { budget_->begin(); }

void Database::take_text(std::size_t bytes) const {
  if (!budget_->take_text(bytes)) fail(SQLITE_INTERRUPT);
}

void Database::fail(int code) const {
  check_unchanged();
  const bool no_space = (code & 0xff) == SQLITE_IOERR && handle_ &&
                        (sqlite3_system_errno(handle_.get()) == ENOSPC ||
                         sqlite3_system_errno(handle_.get()) == EDQUOT);
  const char* known = meaning(no_space ? SQLITE_FULL : code);
  const bool latest = handle_ && sqlite3_extended_errcode(handle_.get()) == code;
  throw Error(fmt::format("{}: {} (SQLite: {})", path_.string(), known ? known : "cannot be used",
                          latest ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code)));
}

void Database::execute(const std::string& sql) {
  begin_statement();
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

// Retries, since SQLite does not wait for a busy file when it changes the mode.
void Database::use_wal() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
  for (;;) {
    const int code =
        sqlite3_exec(handle_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() > end) fail(code);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_.get()); }

std::int64_t Database::pragma(const std::string& name) {
  Statement statement(*this, "PRAGMA " + name);
  return statement.step() ? statement.integer(0) : 0;
}

void Statement::Finalise::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  database.begin_statement();
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                      &raw, nullptr);
  statement_.reset(raw);
  if (code != SQLITE_OK) database.fail(code);
}

void Statement::restart() {
  database_.begin_statement();
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) database_.fail(code);
  database_.check_unchanged();
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::bind(int place, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), place, value);
}

void Statement::bind(int place, double value) {
  if (std::isfinite(value)) sqlite3_bind_double(statement_.get(), place, value);
}

void Statement::bind(int place, std::string_view value) {
  sqlite3_bind_text(statement_.get(), place, value.data(), static_cast<int>(value.size()),
                    SQLITE_TRANSIENT);
}

// Columns are typed in name only: SQLite keeps any value in any of them.
void Statement::expect(int column, bool good, std::string_view expected) const {
  if (good) return;
  throw Error(fmt::format("{}: '{}' has a value that is not {}", database_.path().string(),
                          sqlite3_column_name(statement_.get(), column), expected));
}

std::int64_t Statement::integer(int column) const {
  expect(column, null(column) || type(column) == SQLITE_INTEGER, "a whole number");
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  const int found = type(column);
  if (found == SQLITE_NULL) return std::nan("");
  expect(column, found == SQLITE_FLOAT || found == SQLITE_INTEGER, "a number");
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  expect(column, null(column) || type(column) == SQLITE_TEXT, "a text");
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (!data) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  database_.take_text(size);
  return {data, size};
}

int Statement::type(int column) const { return sqlite3_column_type(statement_.get(), column); }

bool Statement::null(int column) const { return type(column) == SQLITE_NULL; }

ReadTransaction::ReadTransaction(Database& database) : database_(database) {
  database_.execute("BEGIN");
}

ReadTransaction::~ReadTransaction() {
  sqlite3_exec(database_.handle(), "COMMIT", nullptr, nullptr, nullptr);
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace uaspl
