// Wraps SQLite: a database, statements with bound values, transactions. Errors name the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace uaspl {

class QueryBudget;

class Database {
 public:
  // A file that is only read is opened so that SQLite can change and delete nothing.
  enum class Mode { kReadOnly, kReadWrite, kCreate };
  Database(const std::filesystem::path& path, Mode mode);
  Database();  // an empty one in memory
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs one or more statements without values.
  void execute(const std::string& sql);
  void use_wal();  // allows readers and a writer at the same time
  std::int64_t last_id() const;
  std::int64_t pragma(const std::string& name);

  // Throws an Error that says what the code means for this file.
  [[noreturn]] void fail(int code) const;
  sqlite3* handle() const { return handle_.get(); }
  const std::filesystem::path& path() const { return path_; }

  // Statements call these: what one may take is limited, and what was read must be of one moment.
  void begin_statement();
  void take_text(std::size_t bytes) const;
  void check_unchanged() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  struct FileState {
    std::uint64_t number = 0;
    std::int64_t size = -1, seconds = 0, nanoseconds = 0;
    bool operator==(const FileState&) const = default;
  };
  int open(const std::string& options, int flags);  // these three return an SQLite code
  int open_to_write(bool create);
  int open_to_read();
  FileState state_of_file() const;

  std::filesystem::path path_;      // as it was given
  std::filesystem::path file_;      // where it is
  std::optional<FileState> found_;  // if it is read as it is, and must not change
  std::unique_ptr<QueryBudget> budget_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  // Starts anew with these values for the question marks.
  template <typename... Values>
  Statement& with(const Values&... values) {
    restart();
    int place = 0;
    (bind(++place, values), ...);
    return *this;
  }

  // Binds values one by one: first call restart(), then bind the question marks, counted from 1.
  void restart();
  void bind(int place, std::int64_t value);
  void bind(int place, std::size_t value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, std::uint32_t value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, int value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, bool value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, double value);  // NaN and infinities become NULL
  void bind(int place, float value) { bind(place, static_cast<double>(value)); }
  void bind(int place, std::string_view value);
  void bind(int place, const std::string& value) { bind(place, std::string_view(value)); }
  void bind(int place, const char* value) { bind(place, std::string_view(value)); }

  bool step();  // true while there is a row
  void run();   // for statements without rows

  // These throw where a column has a value of another type; NULL is 0, NaN or the empty text.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool null(int column) const;

  // Reads a column as the type of `value`, which must hold it.
  template <typename Value>
  void get(int column, Value& value) const {
    if constexpr (std::is_same_v<Value, std::string>)
      value = text(column);
    else if constexpr (std::is_floating_point_v<Value>)
      value = static_cast<Value>(real(column));
    else
      value = whole<Value>(column);
  }

 private:
  template <typename Whole>
  Whole whole(int column) const {
    const std::int64_t found = integer(column);
    if constexpr (std::is_same_v<Whole, bool>)
      expect(column, found == 0 || found == 1, "0 or 1");
    else
      expect(column, std::in_range<Whole>(found), "in the range of its count");
    return static_cast<Whole>(found);
  }
  void expect(int column, bool good, std::string_view expected) const;
  int type(int column) const;

  struct Finalise {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
};

// Everything read in this transaction is of one moment.
class ReadTransaction {
 public:
  explicit ReadTransaction(Database& database);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

 private:
  Database& database_;
};

// All changes until commit() are made, or none.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace uaspl
