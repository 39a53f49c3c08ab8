// The results store: what comes back, the same run twice, merging, files that are not what they
// should be.
#include "uaspl/study/store.hpp"

#include <cmath>
#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/io/file_lock.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : folder_(fs::temp_directory_path() / ("uaspl_store_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~StoreTest() override { fs::remove_all(folder_); }
  fs::path path(const std::string& name) const { return folder_ / name; }

  std::string error_of(const std::function<void()>& action) const {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  fs::path folder_;
};

RunRecord make_run(std::uint32_t seed, double accuracy = 0.75, bool samples = false) {
  RunRecord run;
  run.key = {"iris", "abc", "spl", R"({"steps":150})", seed};
  run.metrics = {accuracy, 0.1 + 0.2, 1.0 / 3.0, std::nan("")};
  run.seconds = 1.5;
  run.rows = 150;
  run.classes = 3;
  run.diverged = true;
  run.stages = {{.stage = 0, .selected = 18, .passes = 150, .mean_loss = 0.25, .ties = 2},
                {.stage = 1, .selected = 30, .passes = 9, .last_loss = 1e-5, .test_accuracy = 0.9}};
  if (samples)
    run.samples = {{.stage = 0, .row = 7, .loss = 0.5F, .correct = true},
                   {.stage = 0, .row = 9, .weight = 1.0F, .selected = true}};
  run.version = "1.2.3";
  run.finished = "2026-01-01T00:00:00Z";
  return run;
}

TEST_F(StoreTest, GivesBackWhatItTook) {
  Store(path("a.db"), Store::Open::kCreate).add(make_run(7, 0.75, true));
  Store store(path("a.db"), Store::Open::kRead);
  const auto runs = store.runs();
  ASSERT_EQ(runs.size(), 1U);
  const RunRecord expected = make_run(7, 0.75, true);
  EXPECT_EQ(runs[0].key.dataset, "iris");
  EXPECT_EQ(runs[0].key.configuration, expected.key.configuration);
  EXPECT_EQ(runs[0].key.seed, 7U);
  EXPECT_EQ(runs[0].metrics.precision, expected.metrics.precision);  // to the last bit
  EXPECT_EQ(runs[0].metrics.recall, expected.metrics.recall);
  EXPECT_TRUE(std::isnan(runs[0].metrics.f1));
  EXPECT_TRUE(runs[0].diverged);
  EXPECT_FALSE(runs[0].stalled);
  ASSERT_EQ(runs[0].stages.size(), 2U);
  EXPECT_EQ(runs[0].stages[0].selected, 18U);
  EXPECT_EQ(runs[0].stages[0].ties, 2U);
  EXPECT_EQ(runs[0].stages[1].last_loss, 1e-5);
  EXPECT_EQ(runs[0].stages[1].test_accuracy, 0.9);
  const auto samples = store.samples(runs[0].key);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].row, 7);
  EXPECT_TRUE(samples[0].correct);
  EXPECT_FALSE(samples[0].selected);
  EXPECT_EQ(samples[1].weight, 1.0F);
}

TEST_F(StoreTest, ARunIsKeptOnceAndTheFirstStays) {
  Store store(path("a.db"), Store::Open::kCreate);
  store.add(make_run(1, 0.5));
  store.add(make_run(1, 0.9));
  ASSERT_EQ(store.runs().size(), 1U);
  EXPECT_EQ(store.runs()[0].metrics.accuracy, 0.5);
  EXPECT_TRUE(store.has(make_run(1).key));
  EXPECT_FALSE(store.has(make_run(1).key, true));
  EXPECT_FALSE(store.has(make_run(2).key));
  RunKey other = make_run(1).key;
  other.configuration = R"({"steps":10})";
  EXPECT_FALSE(store.has(other));
  other = make_run(1).key;
  other.dataset = "another name for the same data";
  EXPECT_TRUE(store.has(other));
  store.add(make_run(1, 0.5, true));  // with samples it is more
  ASSERT_EQ(store.runs().size(), 1U);
  EXPECT_TRUE(store.has(make_run(1).key, true));
  EXPECT_EQ(store.runs()[0].stages.size(), 2U);
}

TEST_F(StoreTest, MergesWhatIsMissing) {
  {
    Store a(path("a.db"), Store::Open::kCreate);
    a.add(make_run(1, 0.1));
    a.add(make_run(2, 0.2));
    Store b(path("b.db"), Store::Open::kCreate);
    b.add(make_run(2, 0.9));
    b.add(make_run(3, 0.3, true));
  }
  Store a(path("a.db"), Store::Open::kExisting);
  EXPECT_EQ(a.merge(path("b.db")).taken, 1U);
  Database(path("b.db"), Database::Mode::kReadWrite)
      .execute("UPDATE runs SET results_version = 99 WHERE seed = 2");
  const Merged again = a.merge(path("b.db"));
  EXPECT_EQ(again.taken, 0U);
  EXPECT_EQ(again.other_versions, 1U);
  const auto runs = a.runs();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[1].metrics.accuracy, 0.2);
  EXPECT_EQ(a.samples(runs[2].key).size(), 2U);
}

TEST_F(StoreTest, RefusesWhatIsNoStore) {
  std::ofstream(path("text.db")) << "dataset,method\niris,spl\n" << std::string(5000, 'x');
  EXPECT_NE(error_of([&] {
              Store(path("text.db"), Store::Open::kCreate);
            }).find("text.db: not a uaspl results file"),
            std::string::npos);
  Database(path("other.db"), Database::Mode::kCreate).execute("CREATE TABLE t (x)");
  EXPECT_NE(error_of([&] {
              Store(path("other.db"), Store::Open::kCreate);
            }).find("not a uaspl results file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { Store(path("none.db"), Store::Open::kRead); }).find("no such file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { Store(path(""), Store::Open::kRead); }).find("is a folder"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              Store(path("no/such/folder.db"), Store::Open::kCreate);
            }).find("cannot be opened"),
            std::string::npos);
  std::ofstream(path("empty.db")).close();  // an empty file is an empty database
  EXPECT_EQ(error_of([&] { Store(path("empty.db"), Store::Open::kCreate).add(make_run(1)); }),
            "no error");
}

TEST_F(StoreTest, RefusesNewerFormatsAndDamagedFiles) {
  Store(path("a.db"), Store::Open::kCreate).add(make_run(1, 0.5, true));
  fs::copy(path("a.db"), path("damaged.db"));
  Database(path("a.db"), Database::Mode::kReadWrite).execute("PRAGMA user_version = 99");
  EXPECT_NE(error_of([&] {
              Store(path("a.db"), Store::Open::kCreate);
            }).find("written by a newer uaspl (format 99, this one knows up to 1)"),
            std::string::npos);
  // Zeros over everything but the header page: reading must end in an error, not in nonsense.
  const auto size = fs::file_size(path("damaged.db"));
  std::fstream file(path("damaged.db"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096);
  file << std::string(size - 4096, '\0');
  file.close();
  const std::string error = error_of([&] {
    Store store(path("damaged.db"), Store::Open::kRead);
    store.runs();
  });
  EXPECT_NE(error.find("damaged.db: the file is damaged"), std::string::npos) << error;
}

TEST_F(StoreTest, RefusesTablesThatAreNotAsItMakesThem) {
  Store(path("good.db"), Store::Open::kCreate).add(make_run(1));
  const auto refused = [&](const std::string& change, const std::string& expected) {
    fs::copy_file(path("good.db"), path("bad.db"), fs::copy_options::overwrite_existing);
    Database(path("bad.db"), Database::Mode::kReadWrite).execute(change);
    for (const auto how : {Store::Open::kRead, Store::Open::kExisting}) {
      const std::string error = error_of([&] { Store(path("bad.db"), how).runs(); });
      EXPECT_EQ(error.find(path("bad.db").string() + ": not a uaspl results file: "), 0U) << error;
      EXPECT_NE(error.find(expected), std::string::npos) << error;
    }
  };
  refused("PRAGMA user_version = -1", "format -1");
  refused("DROP TABLE stages", "tables and indices are missing");
  refused("DROP TABLE stages; CREATE VIEW stages AS SELECT * FROM runs", "view 'stages'");
  refused("ALTER TABLE runs ADD COLUMN more", "table 'runs'");
  refused("DROP TABLE samples; CREATE TABLE samples (run)", "table 'samples'");
  refused("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END", "trigger 't'");
  refused("CREATE INDEX i ON runs (abs(seed))", "index 'i'");
  refused("DROP TABLE stages; CREATE VIRTUAL TABLE stages USING fts5 (run)", "table 'stages'");
  fs::copy_file(path("good.db"), path("more.db"));  // what is not used may be there
  Database(path("more.db"), Database::Mode::kReadWrite)
      .execute("CREATE TABLE notes (x); CREATE VIEW best AS SELECT max(accuracy) FROM runs");
  EXPECT_EQ(Store(path("more.db"), Store::Open::kRead).runs().size(), 1U);
}

TEST_F(StoreTest, ValuesThatNoRunHasAreErrors) {
  Store(path("a.db"), Store::Open::kCreate).add(make_run(1, 0.5, true));
  for (const char* bad : {"runs SET rows = -5", "runs SET rows = 'many'", "runs SET seed = -1",
                          "runs SET seed = 4294967296", "runs SET configuration = x'00'",
                          "runs SET accuracy = 'good'", "runs SET diverged = 7",
                          "stages SET selected = -1", "stages SET passes = 1e300"}) {
    Database database(path("a.db"), Database::Mode::kReadWrite);
    Transaction undone(database);
    database.execute(std::string("UPDATE ") + bad);
    undone.commit();
    const std::string error = error_of([&] { Store(path("a.db"), Store::Open::kRead).runs(); });
    EXPECT_EQ(error.find(path("a.db").string() + ": '"), 0U) << bad << ": " << error;
    fs::remove(path("a.db"));
    Store(path("a.db"), Store::Open::kCreate).add(make_run(1, 0.5, true));
  }
}

TEST_F(StoreTest, TwoWritersWaitForEachOther) {
  {
    std::vector<std::jthread> writers;  // all begin with no file there
    for (std::uint32_t w = 0; w < 4; ++w)
      writers.emplace_back([this, w] {
        Store store(path("a.db"), Store::Open::kCreate);
        for (std::uint32_t seed = 0; seed < 20; ++seed)
          store.add(make_run(seed + 10 * w, 0.5, true));
      });
  }
  Store store(path("a.db"), Store::Open::kRead);
  const auto runs = store.runs();
  EXPECT_EQ(runs.size(), 50U);
  for (const RunRecord& run : runs) EXPECT_EQ(run.stages.size(), 2U);
}

TEST_F(StoreTest, OddNamesAreFiles) {
  EXPECT_THROW(Store("", Store::Open::kCreate), Error);
  const fs::path before = fs::current_path();
  fs::current_path(path(""));
  Store(":memory:", Store::Open::kCreate).add(make_run(1));
  EXPECT_TRUE(fs::exists(":memory:"));
  EXPECT_EQ(Store("file:x?mode=memory", Store::Open::kCreate).runs().size(), 0U);
  EXPECT_TRUE(fs::exists("file:x?mode=memory"));
  fs::current_path(before);
}

TEST_F(StoreTest, TheLastOneTakesTheLockFileAlong) {
  auto one = std::make_unique<FileLocks>(path("lock"));
  auto two = std::make_unique<FileLocks>(path("lock"));
  {
    const auto held = two->try_lock(7);
    one.reset();
    EXPECT_TRUE(fs::exists(path("lock")));
    FileLocks three(path("lock"));
    EXPECT_FALSE(three.try_lock(7));
  }
  two.reset();
  EXPECT_FALSE(fs::exists(path("lock")));
}

TEST_F(StoreTest, LocksAreHeldByOneUntilTheyGoAway) {
  FileLocks one(path("lock"));
  FileLocks two(path("lock"));
  {
    const auto held = one.try_lock(42);
    ASSERT_TRUE(held);
    EXPECT_FALSE(two.try_lock(42));
    EXPECT_TRUE(two.try_lock(4242));
    EXPECT_TRUE(two.try_lock(~std::uint64_t{0}));
  }
  EXPECT_TRUE(two.try_lock(42));
  EXPECT_THROW(FileLocks(path("no/such/folder")), Error);
}

}  // namespace
}  // namespace uaspl
