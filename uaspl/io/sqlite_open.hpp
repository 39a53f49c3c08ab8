// Opens SQLite files that may come from anybody: what lies beside them is looked at before SQLite
// acts on it, and what a query may do and take is limited.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

struct sqlite3;

namespace uaspl {

// The files with which SQLite works beside a database.
class Companions {
 public:
  explicit Companions(const std::filesystem::path& database);

  // Throws if SQLite would follow one of them to something that is not its own: a link, a pipe.
  void check() const;
  // Throws if the journal names a second one: SQLite would delete that file, wherever it is. It is
  // never one of this library's, which does not change several files at once.
  void check_for_writing() const;

  // Whether a change that was not finished, or is being made, has left a journal to be rolled back.
  bool has_journal() const;
  bool has_log() const;  // the write-ahead log
  std::uintmax_t log_bytes() const;

 private:
  std::filesystem::path journal_, log_, index_;
};

// What a query may still take. A damaged or hostile file can have the same pages in a hundred
// places, so that reading it never ends; an honest one needs some steps for each of its bytes.
class QueryBudget {
 public:
  explicit QueryBudget(std::filesystem::path database);
  void begin();                             // a statement starts
  bool step();                              // false once too many steps were taken
  bool take_text(std::uint64_t bytes);      // false once more was read than the file can hold
  static constexpr int kOperations = 1000;  // in a step

 private:
  std::uint64_t bytes_on_disk() const;
  std::filesystem::path database_;
  std::uint64_t steps_ = 0;
  std::uint64_t text_ = 0;
};

// An address that SQLite reads as one, whatever characters the path has.
std::string sqlite_address(const std::filesystem::path& path, const std::string& options);

// Switches off what a file could otherwise make SQLite do, and sets limits on statements. Returns
// an SQLite code.
int restrict_database(sqlite3* handle, QueryBudget& budget);

}  // namespace uaspl
