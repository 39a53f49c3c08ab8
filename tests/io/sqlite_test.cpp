// SQLite behind values: how a file is opened, what statements take and give, transactions, errors.
#include "uaspl/io/sqlite.hpp"

#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;
using Mode = Database::Mode;

class SqliteTest : public ::testing::Test {
 protected:
  fs::path path(const std::string& name = "a.db") const { return folder_.path() / name; }
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  static std::int64_t count(Database& database) {
    Statement statement(database, "SELECT count(*) FROM t");
    EXPECT_TRUE(statement.step());
    return statement.integer(0);
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(SqliteTest, OpensWhatTheModeAllows) {
  EXPECT_EQ(error_of([&] { Database(path(), Mode::kReadOnly); }),
            path().string() + ": no such file");
  EXPECT_EQ(error_of([&] { Database(path(), Mode::kReadWrite); }),
            path().string() + ": no such file");
  EXPECT_FALSE(fs::exists(path()));
  Database(path(), Mode::kCreate).execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  Database(path(), Mode::kReadWrite).execute("INSERT INTO t VALUES (2)");
  Database(path(), Mode::kCreate).execute("INSERT INTO t VALUES (3)");  // what is there stays
  Database reader(path(), Mode::kReadOnly);
  EXPECT_EQ(count(reader), 3);
  EXPECT_NE(error_of([&] { reader.execute("INSERT INTO t VALUES (4)"); }), "no error");
  EXPECT_NE(error_of([&] { reader.execute("DROP TABLE t"); }), "no error");
  EXPECT_EQ(count(reader), 3);
}

TEST_F(SqliteTest, ErrorsNameTheFileAndSayWhatItIs) {
  std::ofstream(path("text.db")) << std::string(5000, 'x');
  EXPECT_TRUE(error_of([&] {
                Database(path("text.db"), Mode::kReadWrite);
              }).starts_with(path("text.db").string() + ": not a uaspl results file"));
  EXPECT_EQ(error_of([&] { Database(path(""), Mode::kCreate); }),
            path("").string() + ": is a folder");
  EXPECT_TRUE(error_of([&] {
                Database(path("no/folder.db"), Mode::kCreate);
              }).starts_with(path("no/folder.db").string() + ": cannot be opened"));
  EXPECT_EQ(error_of([] { Database("", Mode::kCreate); }), "the name of a results store is empty");
  Database database(path(), Mode::kCreate);
  const std::string start = path().string() + ": ";
  EXPECT_TRUE(error_of([&] { database.execute("CREATE GARDEN"); }).starts_with(start));
  EXPECT_TRUE(error_of([&] { Statement(database, "SELECT x FROM nowhere"); }).starts_with(start));
  database.execute("CREATE TABLE t (x INTEGER UNIQUE)");
  Statement insert(database, "INSERT INTO t VALUES (?)");
  insert.with(1).run();
  EXPECT_TRUE(error_of([&] { insert.with(1).run(); }).starts_with(start));
  insert.with(2).run();  // and it serves again
  EXPECT_EQ(count(database), 2);
}

TEST_F(SqliteTest, GivesBackEveryTypeThatIsBound) {
  Database database(path(), Mode::kCreate);
  database.execute("CREATE TABLE t (a, b, c, d, e, f, g, h, i, j)");
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const std::size_t large = std::size_t{1} << 62;
  const std::string zeros("a\0b", 3);
  Statement insert(database, "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert
      .with(lowest, large, std::numeric_limits<std::uint32_t>::max(), -7, true, 0.1, 0.1F,
            std::string_view("größer"), zeros, "text")
      .run();
  Statement select(database, "SELECT * FROM t");
  ASSERT_TRUE(select.step());
  std::int64_t a = 0;
  std::size_t b = 0;
  std::uint32_t c = 0;
  int d = 0;
  bool e = false;
  double f = 0.0;
  float g = 0.0F;
  std::string h, i, j;
  select.get(0, a), select.get(1, b), select.get(2, c), select.get(3, d), select.get(4, e);
  select.get(5, f), select.get(6, g), select.get(7, h), select.get(8, i), select.get(9, j);
  EXPECT_EQ(a, lowest);
  EXPECT_EQ(b, large);
  EXPECT_EQ(c, std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(d, -7);
  EXPECT_TRUE(e);
  EXPECT_EQ(f, 0.1);  // to the last bit
  EXPECT_EQ(g, 0.1F);
  EXPECT_EQ(h, "größer");
  EXPECT_EQ(i, zeros);
  EXPECT_EQ(j, "text");
  EXPECT_FALSE(select.step());
}

TEST_F(SqliteTest, WhatIsNoNumberIsNull) {
  Database database(path(), Mode::kCreate);
  database.execute("CREATE TABLE t (x)");
  Statement insert(database, "INSERT INTO t VALUES (?)");
  insert.with(1.5).run();
  // Values of the time before do not come again in the place of those that are not bound.
  insert.with(std::nan("")).run();
  insert.with(std::numeric_limits<double>::infinity()).run();
  insert.with(std::nanf("")).run();
  insert.restart();
  insert.run();
  Statement select(database, "SELECT x FROM t ORDER BY rowid");
  ASSERT_TRUE(select.step());
  EXPECT_FALSE(select.null(0));
  EXPECT_EQ(select.real(0), 1.5);
  for (int again = 0; again < 4; ++again) {
    ASSERT_TRUE(select.step());
    EXPECT_TRUE(select.null(0));
    EXPECT_TRUE(std::isnan(select.real(0)));
    EXPECT_EQ(select.integer(0), 0);
    EXPECT_EQ(select.text(0), "");
    double value = 0.0;
    select.get(0, value);
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST_F(SqliteTest, AStatementStartsAnewWithEveryWith) {
  Database database(path(), Mode::kCreate);
  database.execute("CREATE TABLE t (x)");
  for (int i = 1; i <= 5; ++i) Statement(database, "INSERT INTO t VALUES (?)").with(i).run();
  EXPECT_EQ(database.last_id(), 5);
  Statement above(database, "SELECT x FROM t WHERE x > ? AND x < ? ORDER BY x");
  ASSERT_TRUE(above.with(1, 5).step());
  EXPECT_EQ(above.integer(0), 2);
  ASSERT_TRUE(above.with(3, 5).step());  // in the middle of the rows before
  EXPECT_EQ(above.integer(0), 4);
  EXPECT_FALSE(above.step());
  EXPECT_FALSE(above.with(5, 9).step());
  above.restart();
  above.bind(2, 5);
  above.bind(1, 2);
  ASSERT_TRUE(above.step());
  EXPECT_EQ(above.integer(0), 3);
}

TEST_F(SqliteTest, TransactionsAreWholeOrNothing) {
  Database database(path(), Mode::kCreate);
  database.execute("CREATE TABLE t (x)");
  {
    Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
    EXPECT_EQ(count(database), 1);
  }
  EXPECT_EQ(count(database), 0);
  try {
    Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
    throw Error("something else");
  } catch (const Error&) {
  }
  EXPECT_EQ(count(database), 0);
  {
    Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
    transaction.commit();
  }
  EXPECT_EQ(count(database), 1);
  Database again(path(), Mode::kReadOnly);
  EXPECT_EQ(count(again), 1);
}

TEST_F(SqliteTest, AReaderSeesOneMoment) {
  Database writer(path(), Mode::kCreate);
  writer.use_wal();
  {
    Statement mode(writer, "PRAGMA journal_mode");
    ASSERT_TRUE(mode.step());
    EXPECT_EQ(mode.text(0), "wal");
  }
  writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  Database reader(path(), Mode::kReadOnly);
  {
    const ReadTransaction moment(reader);
    EXPECT_EQ(count(reader), 1);
    writer.execute("INSERT INTO t VALUES (2)");
    EXPECT_EQ(count(writer), 2);
    EXPECT_EQ(count(reader), 1);
  }
  EXPECT_EQ(count(reader), 2);
}

TEST_F(SqliteTest, ReadingAFileAtRestWritesNothingAndSeesChanges) {
  Database(path(), Mode::kCreate).use_wal();
  Database(path(), Mode::kReadWrite).execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)");
  Database reader(path(), Mode::kReadOnly);
  EXPECT_EQ(count(reader), 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(path().parent_path()), {}), 1);
  Statement rows(reader, "SELECT x FROM t");
  ASSERT_TRUE(rows.step());
  Database(path(), Mode::kReadWrite).execute("INSERT INTO t VALUES (3)");
  EXPECT_EQ(error_of([&] { rows.run(); }),
            path().string() + ": was changed while it was read; try again");
}

TEST_F(SqliteTest, FilesBesideThatAreLinksOrPipesAreRefused) {
  Database(path(), Mode::kCreate).execute("CREATE TABLE t (x)");
  std::ofstream(path("precious")) << "mine";
  for (const char* end : {"-journal", "-wal", "-shm"}) {
    const fs::path beside = path().string() + end;
    fs::create_symlink(path("precious"), beside);
    EXPECT_NE(error_of([&] { Database(path(), Mode::kReadWrite); }).find("is a link"),
              std::string::npos);
    fs::remove(beside);
    fs::create_hard_link(path("precious"), beside);
    EXPECT_NE(error_of([&] { Database(path(), Mode::kReadWrite); }).find("is a link"),
              std::string::npos);
    fs::remove(beside);
    ASSERT_EQ(::mkfifo(beside.c_str(), 0600), 0);
    EXPECT_NE(error_of([&] { Database(path(), Mode::kReadWrite); }).find("no file"),
              std::string::npos);
    fs::remove(beside);
  }
  ASSERT_EQ(::mkfifo(path("pipe.db").c_str(), 0600), 0);
  EXPECT_NE(error_of([&] { Database(path("pipe.db"), Mode::kReadOnly); }), "no error");
  EXPECT_EQ(fs::file_size(path("precious")), 4U);
}

TEST_F(SqliteTest, WhatAFileCouldMakeItDoIsOff) {
  Database(path(), Mode::kCreate)
      .execute(
          "CREATE TABLE t (x); CREATE VIEW v AS SELECT x FROM t;"
          "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t VALUES (99); END");
  Database database(path(), Mode::kReadWrite);
  database.execute("INSERT INTO t VALUES (1)");
  EXPECT_EQ(count(database), 1);  // the trigger slept
  EXPECT_NE(error_of([&] { Statement(database, "SELECT x FROM v").run(); }), "no error");
  EXPECT_NE(error_of([&] { database.execute("ATTACH 'other.db' AS other"); }), "no error");
  EXPECT_NE(error_of([&] { Statement(database, "SELECT load_extension('x')").run(); }), "no error");
  const std::string large = "INSERT INTO t VALUES (zeroblob(2000000))";
  EXPECT_NE(error_of([&] { database.execute(large); }).find("larger than any"), std::string::npos);
}

TEST_F(SqliteTest, AQueryWithoutEndEnds) {
  Database database(path(), Mode::kCreate);
  database.execute("CREATE TABLE t (x)");
  const std::string endless =
      "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT ";
  EXPECT_NE(error_of([&] {
              Statement(database, endless + "count(*) FROM c").run();
            }).find("reading it would never end"),
            std::string::npos);
  Statement texts(database, endless + "substr(hex(zeroblob(50000)), 1, 100000) FROM c");
  EXPECT_NE(error_of([&] {
              while (texts.step()) static_cast<void>(texts.text(0));
            }).find("reading it would never end"),
            std::string::npos);
  Statement(database, "SELECT count(*) FROM t").run();  // and it serves again
}

TEST_F(SqliteTest, ValuesOfAnotherTypeOrRangeAreErrors) {
  Database database(path(), Mode::kCreate);
  const auto read = [&](const char* value, auto field) {
    Statement select(database, std::string("SELECT ") + value + " AS size");
    EXPECT_TRUE(select.step());
    return error_of([&] { select.get(0, field); });
  };
  const std::string start = path().string() + ": 'size' has a value that is not ";
  EXPECT_EQ(read("-1", std::size_t{0}), start + "in the range of its count");
  EXPECT_EQ(read("4294967296", std::uint32_t{0}), start + "in the range of its count");
  EXPECT_EQ(read("2147483648", 0), start + "in the range of its count");
  EXPECT_EQ(read("2", false), start + "0 or 1");
  EXPECT_EQ(read("1.5", 0), start + "a whole number");
  EXPECT_EQ(read("'7'", 0), start + "a whole number");
  EXPECT_EQ(read("'x'", 0.0), start + "a number");
  EXPECT_EQ(read("x'00'", 0.0), start + "a number");
  EXPECT_EQ(read("x'00'", std::string()), start + "a text");
  EXPECT_EQ(read("7", std::string()), start + "a text");
  EXPECT_EQ(read("7", 0.0), "no error");
}

TEST_F(SqliteTest, PragmasAreNumbersOfTheFile) {
  Database(path(), Mode::kCreate).execute("PRAGMA user_version = 42; CREATE TABLE t (x)");
  Database database(path(), Mode::kReadOnly);
  EXPECT_EQ(database.pragma("user_version"), 42);
  EXPECT_EQ(database.pragma("no_such_pragma"), 0);
}

}  // namespace
}  // namespace uaspl
