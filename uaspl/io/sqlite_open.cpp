// Opens SQLite files that may come from anybody, see sqlite_open.hpp.
#include "uaspl/io/sqlite_open.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::string_view kSecondJournal = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";  // ends its name

fs::path beside(const fs::path& database, const char* end) {
  fs::path path = database;
  path += end;
  return path;
}

std::uintmax_t size_of(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(path, missing);
  return missing ? 0 : size;
}

// Throws if a file that is there and not empty begins in none of these ways.
void check_beginning(const fs::path& path, std::initializer_list<std::string_view> beginnings) {
  std::string found(8, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(found.data(), static_cast<std::streamsize>(found.size()));
  found.resize(static_cast<std::size_t>(in.gcount()));
  const auto begins = [&](std::string_view wanted) { return found.starts_with(wanted); };
  if (!found.empty() && std::ranges::none_of(beginnings, begins))
    throw Error(fmt::format(
        "{}: is in the place of a file of the results store beside it, and is none; move or remove "
        "it",
        path.string()));
}

}  // namespace

Companions::Companions(const fs::path& database)
    : journal_(beside(database, "-journal")),
      log_(beside(database, "-wal")),
      index_(beside(database, "-shm")) {}

void Companions::check() const {
  for (const fs::path& path : {journal_, log_, index_}) {
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(path, ignored);
    if (!fs::exists(status)) continue;
    if (!fs::is_regular_file(status) || fs::hard_link_count(path, ignored) > 1)
      throw Error(
          fmt::format("{}: is a link or no file, expected a file of the results store "
                      "beside it, or none; remove it",
                      path.string()));
  }
  // SQLite removes or overwrites what does not begin as a file of its own.
  check_beginning(journal_, {"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"sv, "\0\0\0\0\0\0\0\0"sv});
  check_beginning(log_, {"\x37\x7f\x06\x82"sv, "\x37\x7f\x06\x83"sv});
  check_beginning(index_, {"\x18\xe2\x2d\0"sv, "\0\x2d\xe2\x18"sv, "\0\0\0\0"sv});
}

void Companions::check_for_writing() const {
  if (!has_journal()) return;
  std::ifstream in(journal_, std::ios::binary);
  std::string end(kSecondJournal.size(), '\0');
  in.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
  if (in.read(end.data(), static_cast<std::streamsize>(end.size())) && end == kSecondJournal)
    throw Error(fmt::format(
        "{}: names another file that would be deleted, which no journal of a results store does; "
        "remove it if the store beside it is whole",
        journal_.string()));
}

// A journal that begins with a zero is one that was finished.
bool Companions::has_journal() const {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(journal_, ignored))) return false;
  char first = 0;
  return std::ifstream(journal_, std::ios::binary).get(first) && first != 0;
}

bool Companions::has_log() const {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(log_, ignored));
}

std::uintmax_t Companions::log_bytes() const { return size_of(log_); }

QueryBudget::QueryBudget(fs::path database) : database_(std::move(database)) {}

void QueryBudget::begin() { steps_ = text_ = 0; }

std::uint64_t QueryBudget::bytes_on_disk() const {
  return size_of(database_) + size_of(beside(database_, "-wal"));
}

// A row of a store takes some 25 bytes or more and some 60 operations.
bool QueryBudget::step() {
  constexpr std::uint64_t kAlways = 5'000'000;
  constexpr std::uint64_t kForAByte = 20;
  const std::uint64_t operations = ++steps_ * kOperations;
  return operations <= kAlways || operations <= kAlways + kForAByte * bytes_on_disk();
}

bool QueryBudget::take_text(std::uint64_t bytes) {
  constexpr std::uint64_t kAlways = 1 << 20;
  text_ += bytes;
  return text_ <= kAlways || text_ <= kAlways + 2 * bytes_on_disk();
}

std::string sqlite_address(const fs::path& path, const std::string& options) {
  std::string address = "file:";
  for (const char c : path.string())
    address += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02X}", static_cast<unsigned>(c))
                                                : std::string(1, c);
  return address + "?" + options;
}

int restrict_database(sqlite3* handle, QueryBudget& budget) {
  constexpr std::pair<int, int> kSwitches[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                               {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                               {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                               {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                               {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}};
  constexpr std::pair<int, int> kLimits[] = {
      {SQLITE_LIMIT_LENGTH, 1 << 20},      {SQLITE_LIMIT_SQL_LENGTH, 100'000},
      {SQLITE_LIMIT_COLUMN, 100},          {SQLITE_LIMIT_EXPR_DEPTH, 50},
      {SQLITE_LIMIT_COMPOUND_SELECT, 5},   {SQLITE_LIMIT_VDBE_OP, 25'000},
      {SQLITE_LIMIT_FUNCTION_ARG, 10},     {SQLITE_LIMIT_ATTACHED, 0},
      {SQLITE_LIMIT_VARIABLE_NUMBER, 100}, {SQLITE_LIMIT_TRIGGER_DEPTH, 10},
      {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (const auto& [which, value] : kSwitches)
    if (const int code = sqlite3_db_config(handle, which, value, nullptr); code != SQLITE_OK)
      return code;
  for (const auto& [which, value] : kLimits) sqlite3_limit(handle, which, value);
  const auto stop = [](void* of) { return static_cast<QueryBudget*>(of)->step() ? 0 : 1; };
  sqlite3_progress_handler(handle, QueryBudget::kOperations, stop, &budget);
  return sqlite3_exec(handle, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
}

}  // namespace uaspl
