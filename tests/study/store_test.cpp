// The results store: what comes back, the same run twice, merging, files that are not what they
// should be.
#include "uaspl/study/store.hpp"

#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/io/file_lock.hpp"
#include "uaspl/io/sha256.hpp"
#include "uaspl/study/protocol.hpp"

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
  run.parts.samples = samples;
  if (samples)
    run.samples = {{.stage = 0, .row = 7, .loss = 0.5F, .correct = true},
                   {.stage = 0, .row = 9, .weight = 1.0F, .selected = true}};
  run.version = "1.2.3";
  run.finished = "2026-01-01T00:00:00Z";
  run.calibration = {.log_loss = 0.4, .brier = 0.3, .ece = 0.1};  // and no AUROC
  run.predicted_classes = 2;
  run.majority = 0.4;
  run.class_ratio = 1.25;
  run.stages[1].train_accuracy = 0.875;
  run.stages[1].variation = {-3.0, 0.5, 0.25};
  run.stages[1].groups.wrong_sure = {7, 1.5};
  return run;
}

// Makes a store as version 0.1 wrote it, before there were formats after the first.
void write_format_1(const fs::path& path) {
  Database(path, Database::Mode::kCreate).execute(R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  dataset TEXT NOT NULL, data_sha256 TEXT NOT NULL, method TEXT NOT NULL,
  configuration_hash TEXT NOT NULL, seed INTEGER NOT NULL, results_version INTEGER NOT NULL,
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
INSERT INTO runs VALUES (5, 'iris', 'abc', 'spl',
  '49ea7ffe7bd2b6ec3f5ff0cc62ffc75e4c6dcf7e68a30c05d4eea1a4ae1f4a28', 7, 2, '{"steps":150}',
  0.625, 0.5, 0.25, 0.125, 1.5, 150, 3, 0, 0, 0, 1, '0.1.0', '', 'AVX2', '2026-01-01T00:00:00Z');
INSERT INTO stages VALUES (5, 0, 18, 150, 0.25, 0.5, 2, 0, 0.75, 0.125, -0.5, 0.375);
INSERT INTO samples VALUES (5, 0, 11, 0.5, 0.25, 1, 1, 1.0);
PRAGMA application_id = 0x75617370;
PRAGMA user_version = 1;
)sql");
  // The hash decides whether a run is there already.
  Database file(path, Database::Mode::kReadWrite);
  Statement(file, "UPDATE runs SET configuration_hash = ?").with(sha256(R"({"steps":150})")).run();
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

TEST_F(StoreTest, KeepsWhatWasJudged) {
  Store(path("a.db"), Store::Open::kCreate).add(make_run(7));
  const RunRecord run = Store(path("a.db"), Store::Open::kRead).runs().at(0);
  EXPECT_TRUE(run.is_judged());
  EXPECT_EQ(run.calibration.log_loss, 0.4);
  EXPECT_EQ(run.calibration.brier, 0.3);
  EXPECT_EQ(run.calibration.ece, 0.1);
  EXPECT_TRUE(std::isnan(run.calibration.error_auroc));
  EXPECT_EQ(run.predicted_classes, 2U);
  EXPECT_EQ(run.majority, 0.4);
  EXPECT_EQ(run.class_ratio, 1.25);
  EXPECT_TRUE(std::isnan(run.stages[0].train_accuracy));
  EXPECT_EQ(run.stages[1].train_accuracy, 0.875);
  EXPECT_EQ(run.stages[1].variation.mean, -3.0);
  EXPECT_EQ(run.stages[1].variation.median, 0.5);
  EXPECT_EQ(run.stages[1].variation.robust, 0.25);
  EXPECT_EQ(run.stages[1].groups.wrong_sure.rows, 7U);
  EXPECT_EQ(run.stages[1].groups.wrong_sure.loss, 1.5);
  EXPECT_TRUE(std::isnan(run.stages[1].groups.right_sure.loss));
}

void expect_old_run(const RunRecord& run) {
  EXPECT_EQ(run.key.seed, 7U);
  EXPECT_EQ(run.metrics.accuracy, 0.625);
  EXPECT_EQ(run.target, "AVX2");
  EXPECT_FALSE(run.is_judged());
  EXPECT_TRUE(std::isnan(run.calibration.brier));
  EXPECT_TRUE(std::isnan(run.majority));
  ASSERT_EQ(run.stages.size(), 1U);
  EXPECT_EQ(run.stages[0].loss_variation, -0.5);
  EXPECT_EQ(run.stages[0].test_accuracy, 0.375);
  EXPECT_TRUE(std::isnan(run.stages[0].train_accuracy));
  EXPECT_EQ(run.stages[0].groups.right_sure.rows, 0U);
}

TEST_F(StoreTest, StoresOfTheFirstFormatAreReadAsTheyAre) {
  write_format_1(path("old.db"));
  const auto before = fs::file_size(path("old.db"));
  Store old(path("old.db"), Store::Open::kRead);
  ASSERT_EQ(old.runs().size(), 1U);
  expect_old_run(old.runs()[0]);
  EXPECT_EQ(old.samples(old.runs()[0].key).size(), 1U);
  EXPECT_EQ(fs::file_size(path("old.db")), before);
  EXPECT_EQ(Database(path("old.db"), Database::Mode::kReadOnly).pragma("user_version"), 1);
}

TEST_F(StoreTest, StoresOfTheFirstFormatAreBroughtToThisOneForWriting) {
  write_format_1(path("old.db"));
  {
    Store store(path("old.db"), Store::Open::kExisting);
    Store open(path("old.db"), Store::Open::kRead);
    EXPECT_TRUE(store.has(make_run(7).key, {.samples = true}));  // so nothing is run again
    store.add(make_run(7, 0.9, true));
    store.add(make_run(8, 0.9));
    expect_old_run(open.runs().at(0));
    EXPECT_TRUE(open.runs().at(1).is_judged());
  }
  Store store(path("old.db"), Store::Open::kRead);
  ASSERT_EQ(store.runs().size(), 2U);
  expect_old_run(store.runs()[0]);
  EXPECT_EQ(store.runs()[1].calibration.brier, 0.3);
}

TEST_F(StoreTest, MergesStoresOfTheFirstFormat) {
  write_format_1(path("old.db"));
  Store store(path("new.db"), Store::Open::kCreate);
  store.add(make_run(8, 0.9));
  EXPECT_EQ(store.merge(path("old.db")).taken, 1U);
  EXPECT_EQ(store.merge(path("old.db")).taken, 0U);
  expect_old_run(store.runs().at(0));
  EXPECT_EQ(store.samples(store.runs()[0].key).size(), 1U);
  EXPECT_EQ(store.runs()[1].predicted_classes, 2U);
}

TEST_F(StoreTest, ARunIsKeptOnceAndTheFirstStays) {
  Store store(path("a.db"), Store::Open::kCreate);
  store.add(make_run(1, 0.5));
  store.add(make_run(1, 0.9));
  ASSERT_EQ(store.runs().size(), 1U);
  EXPECT_EQ(store.runs()[0].metrics.accuracy, 0.5);
  EXPECT_TRUE(store.has(make_run(1).key));
  EXPECT_FALSE(store.has(make_run(1).key, {.samples = true}));
  EXPECT_FALSE(store.has(make_run(2).key));
  RunKey other = make_run(1).key;
  other.configuration = R"({"steps":10})";
  EXPECT_FALSE(store.has(other));
  other = make_run(1).key;
  other.dataset = "another name for the same data";
  EXPECT_TRUE(store.has(other));
  store.add(make_run(1, 0.5, true));  // with samples it is more
  ASSERT_EQ(store.runs().size(), 1U);
  EXPECT_TRUE(store.has(make_run(1).key, {.samples = true}));
  EXPECT_EQ(store.runs()[0].stages.size(), 2U);
}

RunRecord with_rows(RunRecord run) {
  run.parts.predictions = run.parts.passes = true;
  run.class_names = R"(["a","b","c"])";
  run.predictions = {{4, 2, 1, 0.5F, {0.25F, 0.75F, 0.0F}}, {9, 0, -1, 1.0F, {}}};
  run.passes = {{.stage = 0, .pass = 1, .loss = 0.1, .test_accuracy = 0.5}};
  return run;
}

TEST_F(StoreTest, KeepsPredictionsAndPasses) {
  Store store(path("a.db"), Store::Open::kCreate);
  RunRecord run = with_rows(make_run(1));
  run.inference_seconds = 0.25;
  store.add(run);
  EXPECT_TRUE(store.has(run.key, {.predictions = true, .passes = true}));
  EXPECT_FALSE(store.has(run.key, {.samples = true, .passes = true}));
  const auto rows = store.predictions(run.key);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].row, 4);
  EXPECT_EQ(rows[0].label, 2);
  EXPECT_EQ(rows[0].predicted, 1);
  EXPECT_EQ(rows[0].uncertainty, 0.5F);
  EXPECT_EQ(rows[0].probabilities, (std::vector{0.25F, 0.75F, 0.0F}));
  EXPECT_TRUE(rows[1].probabilities.empty());
  ASSERT_EQ(store.passes(run.key).size(), 1U);
  EXPECT_EQ(store.passes(run.key)[0].test_accuracy, 0.5);
  EXPECT_EQ(store.runs().at(0).class_names, run.class_names);
  EXPECT_EQ(store.runs().at(0).inference_seconds, 0.25);
}

TEST_F(StoreTest, ARunGetsThePartsThatItLacks) {
  Store store(path("a.db"), Store::Open::kCreate);
  const RunRecord plain = make_run(1, 0.5);
  store.add(plain);
  RunRecord again = with_rows(plain);
  again.seconds = 99.0;
  store.add(again);
  store.add(make_run(1, 0.5, true));
  EXPECT_TRUE(store.has(plain.key, {true, true, true}));
  EXPECT_EQ(store.runs().at(0).seconds, plain.seconds);  // the first one stays
  EXPECT_EQ(store.runs().at(0).class_names, again.class_names);
  EXPECT_EQ(store.predictions(plain.key).size(), 2U);
  EXPECT_EQ(store.samples(plain.key).size(), 2U);
  store.add(make_run(1, 0.625, true));  // nothing new
  EXPECT_EQ(store.runs().at(0).metrics.accuracy, 0.5);
}

TEST_F(StoreTest, PartsOfARunFitEachOther) {
  Store store(path("a.db"), Store::Open::kCreate);
  store.add(make_run(1, 0.5, true));
  store.add(with_rows(make_run(1, 0.625)));  // as another instruction set might have it
  ASSERT_EQ(store.runs().size(), 1U);
  EXPECT_EQ(store.runs()[0].metrics.accuracy, 0.625);
  EXPECT_EQ(store.runs()[0].parts, (RunParts{false, true, true}));
  EXPECT_TRUE(store.samples(make_run(1).key).empty());
  RunRecord other = make_run(1, 0.625, true);
  other.target = "of another kind";
  store.add(other);
  EXPECT_EQ(store.runs()[0].parts, (RunParts{true, false, false}));
}

TEST_F(StoreTest, AddsAllOrNone) {
  Store store(path("a.db"), Store::Open::kCreate);
  RunRecord bad = with_rows(make_run(2));
  bad.predictions.push_back(bad.predictions[0]);  // a row twice
  EXPECT_THROW(store.add_all(std::vector{make_run(1), bad}), Error);
  EXPECT_TRUE(store.runs().empty());
  store.add_all(std::vector{make_run(1, 0.5), make_run(2)});
  store.add_all(std::vector{make_run(1, 0.625)});
  EXPECT_EQ(store.runs().at(0).metrics.accuracy, 0.5);
  store.add_all(std::vector{make_run(1, 0.625)}, true);
  EXPECT_EQ(store.runs().at(0).metrics.accuracy, 0.625);
  EXPECT_EQ(store.runs().size(), 2U);
}

TEST_F(StoreTest, PredictionsThatNoRunHasAreErrors) {
  for (const char* bad : {"label = 3", "label = -1", "predicted = 3", "predicted = -2", "row = -1",
                          "probabilities = '[0.5,0.5]'", "probabilities = '[0.5,0.5,7]'",
                          "probabilities = '[0.5,0.5,nan]'", "probabilities = '[0.5,,0.5]'",
                          "probabilities = '[0.5,0.5,0.5,]'", "probabilities = '0.5,0.5,0.5'",
                          "probabilities = '['", "probabilities = ''", "uncertainty = 'much'"}) {
    fs::remove(path("a.db"));
    Store(path("a.db"), Store::Open::kCreate).add(with_rows(make_run(1)));
    Database(path("a.db"), Database::Mode::kReadWrite)
        .execute(fmt::format("UPDATE predictions SET {} WHERE row = 4", bad));
    Store store(path("a.db"), Store::Open::kRead);
    const std::string error = error_of([&] { store.predictions(make_run(1).key); });
    EXPECT_EQ(error.find(path("a.db").string() + ": "), 0U) << bad << ": " << error;
    EXPECT_THROW(Store(path("b.db"), Store::Open::kCreate).merge(path("a.db")), Error) << bad;
  }
}

// Makes a store as it was before predictions and passes.
void write_format_2(const fs::path& path) {
  write_format_1(path);
  Database file(path, Database::Mode::kReadWrite);
  for (const char* column : {"log_loss REAL", "brier REAL", "ece REAL", "error_auroc REAL",
                             "predicted_classes INTEGER", "majority REAL", "class_ratio REAL"})
    file.execute(fmt::format("ALTER TABLE runs ADD COLUMN {}", column));
  for (const char* column :
       {"train_accuracy REAL", "quarter_median REAL", "quarter_robust REAL", "variation REAL",
        "variation_median REAL", "variation_robust REAL", "right_sure_rows INTEGER",
        "right_unsure_rows INTEGER", "wrong_unsure_rows INTEGER", "wrong_sure_rows INTEGER",
        "right_sure_loss REAL", "right_unsure_loss REAL", "wrong_unsure_loss REAL",
        "wrong_sure_loss REAL"})
    file.execute(fmt::format("ALTER TABLE stages ADD COLUMN {}", column));
  file.execute("UPDATE runs SET brier = 0.5, predicted_classes = 2; PRAGMA user_version = 2");
}

TEST_F(StoreTest, StoresOfTheSecondFormatAreReadMergedAndUpgraded) {
  write_format_2(path("old.db"));
  {
    Store old(path("old.db"), Store::Open::kRead);
    const RunRecord run = old.runs().at(0);
    EXPECT_EQ(run.calibration.brier, 0.5);
    EXPECT_TRUE(std::isnan(run.inference_seconds));
    EXPECT_EQ(run.parts, (RunParts{true, false, false}));
    EXPECT_TRUE(old.predictions(run.key).empty() && old.passes(run.key).empty());
    Store target(path("new.db"), Store::Open::kCreate);
    EXPECT_EQ(target.merge(path("old.db")).taken, 1U);
    EXPECT_EQ(target.samples(run.key).size(), 1U);
  }
  Store store(path("old.db"), Store::Open::kExisting);
  EXPECT_TRUE(store.has(make_run(7).key, {.samples = true}));
  EXPECT_FALSE(store.has(make_run(7).key, {.predictions = true}));
  store.add(with_rows(make_run(8)));
  EXPECT_EQ(store.predictions(make_run(8).key).size(), 2U);
  EXPECT_EQ(store.runs().at(0).calibration.brier, 0.5);
  EXPECT_EQ(Database(path("old.db"), Database::Mode::kReadOnly).pragma("user_version"), 3);
}

TEST_F(StoreTest, MergingTakesPartsThatAreMissing) {
  {
    Store a(path("a.db"), Store::Open::kCreate);
    a.add(make_run(1, 0.5, true));
    Store b(path("b.db"), Store::Open::kCreate);
    b.add(with_rows(make_run(1, 0.5)));
  }
  Store a(path("a.db"), Store::Open::kExisting);
  EXPECT_EQ(a.merge(path("b.db")).taken, 1U);
  EXPECT_EQ(a.merge(path("b.db")).taken, 0U);
  EXPECT_TRUE(a.has(make_run(1).key, {true, true, true}));
  EXPECT_EQ(a.predictions(make_run(1).key).at(0).probabilities.size(), 3U);
  EXPECT_EQ(a.passes(make_run(1).key).size(), 1U);
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

// Results of images became others when those of tables did not: runs on images of before are not
// known any more, and are no obstacle to new ones; runs on tables stay.
TEST_F(StoreTest, RunsOnImagesHaveAResultsVersionOfTheirOwn) {
  RunRecord images = make_run(1, 0.5);
  images.key.configuration =
      configuration(choose_methods(std::vector<std::string>{"spl"}, {}).front(),
                    image_protocol(find_image_profile("quick")));
  EXPECT_EQ(images.key.results_version(), kImageResultsVersion);
  EXPECT_EQ(make_run(1, 0.5).key.results_version(), kResultsVersion);
  Store store(path("a.db"), Store::Open::kCreate);
  store.add(make_run(1, 0.5));
  store.add(images);
  EXPECT_EQ(store.runs().size(), 2U);
  Database(path("a.db"), Database::Mode::kReadWrite)
      .execute(fmt::format("UPDATE runs SET results_version = {}", kResultsVersion));
  EXPECT_TRUE(store.has(make_run(1, 0.5).key));
  EXPECT_FALSE(store.has(images.key));
  EXPECT_EQ(store.runs().size(), 1U);
  EXPECT_EQ(store.other_versions(), 1U);
  store.add(images);
  EXPECT_TRUE(store.has(images.key));
  EXPECT_EQ(store.runs().size(), 2U);
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
            }).find("written by a newer uaspl (format 99, this one knows up to 3)"),
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
