// Wraps SQLite: a database, statements with bound values, transactions. Errors name the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace uaspl {

class Database {
 public:
  enum class Mode { kReadOnly, kReadWrite, kCreate };
  Database(const std::filesystem::path& path, Mode mode);

  // Runs one or more statements without values.
  void execute(const std::string& sql);
  void use_wal();  // allows readers and a writer at the same time
  std::int64_t last_id() const;
  std::int64_t pragma(const std::string& name);

  // Throws an Error that says what the code means for this file.
  [[noreturn]] void fail(int code) const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::filesystem::path path_;
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

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool null(int column) const;

  // Reads a column as the type of `value`.
  template <typename Value>
  void get(int column, Value& value) const {
    if constexpr (std::is_same_v<Value, std::string>)
      value = text(column);
    else if constexpr (std::is_floating_point_v<Value>)
      value = static_cast<Value>(real(column));
    else if constexpr (std::is_same_v<Value, bool>)
      value = integer(column) != 0;
    else
      value = static_cast<Value>(integer(column));
  }

 private:
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
