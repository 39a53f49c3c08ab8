// Wraps SQLite, see sqlite.hpp.
#include "uaspl/io/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <system_error>
#include <thread>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

constexpr int kBusyMilliseconds = 120000;  // another process may hold the file for a while

// A file in a folder that cannot be written has no room for SQLite's helper files; it can still be
// read as it is, as long as no other process has changes waiting beside it.
std::string immutable_address(const std::filesystem::path& path) {
  std::string address = "file:";
  for (const char c : path.string())
    address += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02X}", static_cast<unsigned>(c))
                                                : std::string(1, c);
  return address + "?immutable=1";
}

const char* meaning(int code) {
  switch (code & 0xff) {
    case SQLITE_NOTADB: return "not a uaspl results file";
    case SQLITE_CORRUPT: return "the file is damaged";
    case SQLITE_FULL:
      return "no space left; what was finished is safe, and the same command goes on";
    case SQLITE_READONLY: return "the file or its folder cannot be written";
    case SQLITE_CANTOPEN: return "cannot be opened";
    case SQLITE_BUSY: return "another process has locked it";
    case SQLITE_IOERR: return "reading or writing failed";
    default: return nullptr;
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database::Database(const std::filesystem::path& path, Mode mode) : path_(path) {
  std::error_code ignored;
  if (path.empty()) throw Error("the name of a results store is empty");
  if (mode != Mode::kCreate && !std::filesystem::exists(path, ignored))
    throw Error(fmt::format("{}: no such file", path.string()));
  if (std::filesystem::is_directory(path, ignored))
    throw Error(fmt::format("{}: is a folder", path.string()));
  const auto open = [&](const std::string& address, int flags) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(address.c_str(), &raw, flags | SQLITE_OPEN_EXRESCODE, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) return code;
    if (mode != Mode::kReadOnly && sqlite3_db_readonly(raw, "main") == 1) return SQLITE_READONLY;
    sqlite3_busy_timeout(raw, kBusyMilliseconds);
    // Opening reads nothing yet: a query makes sure that a bad file is found at once.
    return sqlite3_exec(raw, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
  };
  const int create = mode == Mode::kCreate ? SQLITE_OPEN_CREATE : 0;
  // The path is made absolute because some short names have a special meaning for SQLite.
  const std::string whole = std::filesystem::absolute(path).string();
  int code = open(whole, SQLITE_OPEN_READWRITE | create);
  if (mode == Mode::kReadOnly) {
    // Read-only access leaves SQLite's helper files behind, so it is only the second choice.
    if (code != SQLITE_OK) code = open(whole, SQLITE_OPEN_READONLY);
    const bool waiting = std::filesystem::exists(path.string() + "-wal", ignored);
    const bool closed = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
    if (closed && !waiting)
      code = open(immutable_address(whole), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  }
  if (code != SQLITE_OK) fail(code);
  if (mode == Mode::kReadOnly) execute("PRAGMA query_only = ON");
}

void Database::fail(int code) const {
  const bool no_space = (code & 0xff) == SQLITE_IOERR && handle_ &&
                        (sqlite3_system_errno(handle_.get()) == ENOSPC ||
                         sqlite3_system_errno(handle_.get()) == EDQUOT);
  const char* known = meaning(no_space ? SQLITE_FULL : code);
  throw Error(fmt::format("{}: {} (SQLite: {})", path_.string(), known ? known : "cannot be used",
                          handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code)));
}

void Database::execute(const std::string& sql) {
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
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                      &raw, nullptr);
  statement_.reset(raw);
  if (code != SQLITE_OK) database.fail(code);
}

void Statement::restart() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) database_.fail(code);
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

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return null(column) ? std::nan("") : sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return data ? std::string(
                    data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)))
              : std::string();
}

bool Statement::null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

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
