// Reports: grouping of runs, labels, standings by hand, files.
#include <cmath>
#include <sstream>

#include "tests/runs.hpp"
#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/report/analysis.hpp"
#include "uaspl/report/csv.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/report/report.hpp"
#include "uaspl/report/results.hpp"
#include "uaspl/report/selection.hpp"
#include "uaspl/study/experiment.hpp"
#include "uaspl/train/training_options.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

TEST(Results, StandingsByHand) {
  const auto runs = testing::some_runs();
  const auto tables = tabulate(runs);
  ASSERT_EQ(tables.size(), 1U);
  const ResultsTable& table = tables[0];
  EXPECT_EQ(table.variant, "");
  EXPECT_EQ(table.datasets, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(table.methods, (std::vector<std::string>{"direct", "spl", "uaspl"}));
  EXPECT_EQ(table.complete(), (std::vector<std::size_t>{0, 1}));
  EXPECT_NEAR(table.summary(kMetrics[0], 0, 1).deviation, std::sqrt(0.02), 1e-12);
  const auto standings = table.standings(kMetrics[0]);
  EXPECT_NEAR(standings[0].mean, 0.65, 1e-12);
  EXPECT_NEAR(standings[1].deviation, std::sqrt(0.02) / 2, 1e-12);
  EXPECT_NEAR(standings[2].rank, (1.0 + 1.5) / 2, 1e-12);
  EXPECT_NEAR(standings[0].rank, (2.5 + 3.0) / 2, 1e-12);
  EXPECT_EQ(standings[2].best, 2U);
  EXPECT_EQ(standings[1].best, 1U);
  EXPECT_EQ(standings[0].best, 0U);
}

TEST(Results, RankRules) {
  const std::vector<RunRecord> runs{
      testing::make_run("a", "direct", 1, 0.8), testing::make_run("a", "spl", 1, 0.8),
      testing::make_run("a", "uaspl", 1, 0.9), testing::make_run("a", "mw_net", 1, 0.7)};
  const auto ranks_by = [&](RankRule rule) {
    std::vector<double> all;
    for (const Standing& one : tabulate(runs, rule)[0].standings(kMetrics[0]))
      all.push_back(one.rank);
    return all;  // direct, spl, mw_net, uaspl
  };
  EXPECT_EQ(ranks_by({}), (std::vector<double>{2.5, 2.5, 4.0, 1.0}));
  EXPECT_EQ(ranks_by({Ties::kMinimum, {}}), (std::vector<double>{2.0, 2.0, 4.0, 1.0}));
  EXPECT_EQ(ranks_by({Ties::kDense, {}}), (std::vector<double>{2.0, 2.0, 3.0, 1.0}));
  EXPECT_EQ(ranks_by({Ties::kMinimum, 0}), (std::vector<double>{1.0, 1.0, 1.0, 1.0}));
  EXPECT_EQ(tabulate(runs, {Ties::kMinimum, 0})[0].standings(kMetrics[0])[2].best, 1U);
  EXPECT_NE((RankRule{Ties::kDense, 2}).text().find("rounded to 2 decimals"), std::string::npos);
  // All deviations are 0: shared.
  EXPECT_EQ(tabulate(runs)[0].standings(kMetrics[0])[0].deviation_rank, 2.5);
}

TEST(Results, NothingIsMadeUpWhereNothingIsCommon) {
  const std::vector<RunRecord> runs{testing::make_run("a", "spl", 1, 0.5),
                                    testing::make_run("b", "uaspl", 1, 0.7)};
  const Report report{tabulate(runs), {}, {}};
  const std::vector<std::string> all{"standings", "wilcoxon"};
  EXPECT_NE(markdown_report(report, all).find(kNoRanks), std::string::npos);
  EXPECT_EQ(markdown_report(report, all).find("0.0000"), std::string::npos);
  RunRecord nothing = testing::make_run("a", "uaspl", 1, std::nan(""));
  const std::vector<RunRecord> more{runs[0], nothing};
  EXPECT_TRUE(tabulate(more)[0].complete().empty());
}

TEST(Results, SeedsOfOneContentAreInOrderWhateverItsNames) {
  std::vector<RunRecord> runs{
      testing::make_run("a", "spl", 3, 0.5), testing::make_run("z", "spl", 1, 0.7),
      testing::make_run("a", "uaspl", 1, 0.5), testing::make_run("a", "uaspl", 3, 0.5)};
  runs[1].key.data_sha256 = runs[0].key.data_sha256;
  EXPECT_EQ(tabulate(runs)[0].complete().size(), 1U);
}

TEST(Results, ContentsOfOneNameStayApartAndNamesOfOneContentTogether) {
  auto runs = testing::some_runs();
  RunRecord other = testing::make_run("a", "spl", 1, 0.1);
  other.key.data_sha256 = "0123456789";
  runs.push_back(other);
  RunRecord renamed = testing::make_run("z", "spl", 9, 0.1);
  renamed.key.data_sha256 = "sha of b";
  runs.push_back(renamed);
  const auto tables = tabulate(runs);
  EXPECT_EQ(tables[0].datasets,
            (std::vector<std::string>{"a (01234567)", "a (sha of a)", "b", "c"}));
  EXPECT_EQ(tables[0].runs(2, 1).size(), 2U);
}

TEST(Results, OnlyEqualSeedsAreComparedAndEqualMeansTie) {
  std::vector<RunRecord> runs;
  const double accuracies[] = {0.1, 0.2, 0.3, 0.7, 0.9, 0.6};
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    runs.push_back(testing::make_run("a", "spl", seed, accuracies[seed]));
    runs.push_back(
        testing::make_run("a", "uaspl", seed, accuracies[5 - seed]));  // added up the other way
    runs.push_back(testing::make_run("b", "spl", seed, accuracies[seed]));
    if (seed > 0) runs.push_back(testing::make_run("b", "uaspl", seed, accuracies[seed]));
  }
  const auto tables = tabulate(runs);
  EXPECT_EQ(tables[0].complete(), (std::vector<std::size_t>{0}));
  for (const Standing& one : tables[0].standings(kMetrics[0])) {
    EXPECT_EQ(one.rank, 1.5);
    EXPECT_EQ(one.best, 1U);
  }
}

TEST(Results, LabelsSayWhatIsNotUsual) {
  EXPECT_EQ(method_label(testing::make_run("a", "spl_mixture", 1, 0.5).key), "spl_mixture");
  EXPECT_EQ(
      method_label(testing::make_run("a", "spl_mixture", 1, 0.5, {"spl_mixture.gamma=2"}).key),
      "spl_mixture gamma=2");
  EXPECT_EQ(variant_label(testing::make_run("a", "spl", 1, 0.5).key), "");
  ExperimentOptions options;
  options.rows.noise = {NoiseKind::kAsymmetric, 0.4};
  options.rows.clean_pretraining = true;
  options.fit.training.passes = 30;
  EXPECT_EQ(variant_label(testing::make_run("a", "spl", 1, 0.5, {}, options).key),
            "noise asymmetric 0.4 after clean pre-training, steps 30");
  const std::vector<RunRecord> runs{testing::make_run("a", "spl", 1, 0.5),
                                    testing::make_run("a", "spl", 1, 0.4, {}, options)};
  EXPECT_EQ(tabulate(runs).size(), 2U);
  RunKey broken = runs[0].key;
  broken.configuration = "no json";
  EXPECT_THROW(method_label(broken), Error);
  broken.configuration = R"({"method":{"new":"x"}})";
  broken.method = "of_tomorrow";
  EXPECT_EQ(method_label(broken), "of_tomorrow new=x");
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Store empty_store(const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  return {folder / "empty.db", Store::Open::kCreate};
}

TEST(Report, WritesCsvFiles) {
  const fs::path folder =
      fs::temp_directory_path() / ("uaspl_report_" + std::to_string(::getpid()));
  auto runs = testing::some_runs();
  runs.push_back(testing::make_run("odd, \"name\"", "spl", 3, 0.25));
  Store store = empty_store(folder);
  write_csv_report(folder / "deep", Report{tabulate(runs), {}, {}}, store);
  const std::string all = read(folder / "deep" / "runs.csv");
  EXPECT_TRUE(all.starts_with("variant,dataset,method,seed,accuracy,precision,recall,f1,"));
  EXPECT_NE(all.find("\n,a,direct,1,0.8,0.4,0.2,0.19999999999999996,0,0,,,,,,0,,,0.0000,\n"),
            std::string::npos);
  EXPECT_NE(all.find("\n,\"odd, \"\"name\"\"\",spl,3,0.25,"), std::string::npos);
  EXPECT_NE(read(folder / "deep" / "summary.csv").find("\n,a,spl,accuracy,2,0.8,0.1414213562"),
            std::string::npos);
  EXPECT_NE(read(folder / "deep" / "ranks.csv").find("\n,accuracy,uaspl,2,0.75,0,1.25,2,1.75,2\n"),
            std::string::npos);
  EXPECT_NE(read(folder / "deep" / "stages.csv").find("\n,a,spl,2,0,5,"), std::string::npos);
  EXPECT_NE(read(folder / "deep" / "wilcoxon.csv").find("\n,accuracy,direct,spl,"),
            std::string::npos);
  EXPECT_NE(read(folder / "deep" / "errors.csv").find("\nspl,\"odd, \"\"name\"\"\",3,0.75,0,\n"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "deep" / "traces.csv"));
  EXPECT_THROW(write_csv_report("/proc/no/such", Report{tabulate(runs), {}, {}}, store), Error);
  fs::remove_all(folder);
}

TEST(Report, WritesWhatWasKeptOfRowsAndPasses) {
  const fs::path folder =
      fs::temp_directory_path() / ("uaspl_report_" + std::to_string(::getpid()));
  Store store = empty_store(folder);
  ExperimentOptions noisy;
  noisy.rows.noise = parse_noise("uniform:0.4");
  RunRecord run = testing::make_run("a/../b", "spl", 1, 0.5, {}, noisy);
  run.seconds = 3.0;
  run.inference_seconds = 0.5;
  run.classes = 2;
  run.class_names = R"(["no","=1,\"2\""])";
  run.parts = {true, true, true};
  run.samples = {{.stage = 1, .row = 7, .loss = 0.5F, .weight = 1.0F, .selected = true}};
  run.predictions = {{3, 1, 0, 0.25F, {0.75F, 0.25F}}, {4, 0, -1, 1.0F, {}}};
  run.passes = {{.stage = 0, .pass = 2, .loss = 0.5, .train_loss = 0.25}};
  store.add(run);
  store.add(testing::make_run("a/../b", "spl", 2, 0.5, {}, noisy));
  run.key.dataset = "a_.._b";
  run.key.data_sha256 = "other";
  run.class_names.clear();
  store.add(run);
  const auto runs = store.runs();
  const Report report = make_report(runs, store);
  ASSERT_EQ(report.curves.runs.size(), 2U);
  EXPECT_EQ(report.curves.runs[0].passes.at(0).train_loss, 0.25);
  write_csv_report(folder, report, store);
  EXPECT_EQ(read(folder / "predictions-a_.._b.csv"),
            "variant,dataset,method,seed,row,label,predicted,uncertainty,p_no,\"p_=1,\"\"2\"\"\"\n"
            "noise uniform 0.4,a/../b,spl,1,4,\"=1,\"\"2\"\"\",no,0.25,0.75,0.25\n"
            "noise uniform 0.4,a/../b,spl,1,5,no,,1,,\n");
  EXPECT_NE(read(folder / "predictions-a_.._b-2.csv").find(",4,1,0,0.25,0.75,0.25\n"),
            std::string::npos);
  EXPECT_NE(read(folder / "traces.csv").find("\nnoise uniform 0.4,a/../b,spl,1,1,8,0.5,0,1,0,1\n"),
            std::string::npos);
  EXPECT_NE(
      read(folder / "curves.csv").find("\nnoise uniform 0.4,a/../b,spl,1,0,2,0.5,0.25,0,0,0\n"),
      std::string::npos);
  EXPECT_NE(read(folder / "errors.csv").find("\nspl,a/../b (noise uniform 0.4),1,0.5,2.5,0.5\n"),
            std::string::npos);
  write_csv_report(folder, report, store, true);
  EXPECT_NE(read(folder / "predictions-a_.._b.csv").find(",\"'=1,"), std::string::npos);
  fs::remove_all(folder);
}

TEST(Report, ShowsPassesEvenlyAndTheLastOfEachStage) {
  std::vector<PassRecord> passes;
  for (int stage = 0; stage < 3; ++stage)
    for (int pass = 0; pass < 7; ++pass) passes.push_back({.stage = stage, .pass = pass});
  EXPECT_EQ(shown_passes(passes, 100).size(), 21U);
  EXPECT_EQ(shown_passes(passes, 5), (std::vector<std::size_t>{0, 5, 6, 10, 13, 15, 20}));
  EXPECT_TRUE(shown_passes({}, 5).empty());
}

TEST(Report, MarkdownCannotBeBrokenByNames) {
  const std::vector<RunRecord> runs{testing::make_run("<script>|alert*_`", "spl", 1, 0.5),
                                    testing::make_run("<script>|alert*_`", "uaspl", 1, 0.75)};
  const std::string text = markdown_report(Report{tabulate(runs), {}, {}});
  EXPECT_NE(text.find("| \\<script\\>\\|alert\\*\\_\\` | 0.5000 ± 0.0000 | **0.7500** ± 0.0000 |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("equal means share the average of their ranks"), std::string::npos);
}

TEST(Analysis, LossVariationIsAMeanOverRunsThenDataSets) {
  auto runs = testing::some_runs();
  runs[0].stages = {{.stage = 0, .loss_variation = 1.0}, {.stage = 1, .loss_variation = -1.0}};
  runs[1].stages = {{.stage = 0, .loss_variation = 0.0}};  // stopped early
  const auto tables = tabulate(runs);
  const std::vector<std::size_t> two{0, 1};
  const auto curves = loss_variation(tables[0], two);
  EXPECT_EQ(curves[2].method, "uaspl");
  EXPECT_EQ(curves[2].values, (std::vector<double>{(0.5 + 0.5) / 2, -1.0}));
  const std::vector<std::size_t> last{2};
  EXPECT_TRUE(loss_variation(tables[0], last)[0].values.empty());  // c has no direct
}

TEST(Analysis, SweepsTakeSeedsThatAllPointsHave) {
  const auto noisy = [](double ratio, bool clean) {
    ExperimentOptions options;
    options.rows.noise = {NoiseKind::kUniform, ratio};
    options.rows.clean_pretraining = clean;
    return options;
  };
  ExperimentOptions longer;
  longer.fit.pretraining = 50;
  const std::vector<RunRecord> runs{testing::make_run("a", "spl", 1, 0.9),
                                    testing::make_run("a", "spl", 2, 0.1),
                                    testing::make_run("a", "uaspl", 1, 0.8),
                                    testing::make_run("a", "spl", 1, 0.5, {}, noisy(0.4, false)),
                                    testing::make_run("a", "spl", 1, 0.6, {}, noisy(0.2, false)),
                                    testing::make_run("a", "spl", 1, 0.7, {}, noisy(0.2, true)),
                                    testing::make_run("a", "spl", 2, 0.3, {}, longer),
                                    testing::make_run("b", "spl", 2, 0.3, {}, longer)};
  const auto all = sweeps(tabulate(runs));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].title, "uniform noise");
  EXPECT_EQ(all[0].points, (std::vector<double>{0.0, 0.2, 0.4}));
  ASSERT_EQ(all[0].accuracy.size(), 1U);  // uaspl has no noisy run
  EXPECT_EQ(all[0].accuracy[0].values, (std::vector<double>{0.9, 0.6, 0.5}));
  EXPECT_EQ(all[1].title, "uniform noise after clean pre-training");
  EXPECT_EQ(all[1].accuracy[0].values, (std::vector<double>{0.9, 0.7}));
  EXPECT_EQ(all[2].title, "pre-training");
  EXPECT_EQ(all[2].points, (std::vector<double>{20.0, 50.0}));
  EXPECT_EQ(all[2].datasets, 1U);
  EXPECT_EQ(all[2].accuracy[0].values, (std::vector<double>{0.1, 0.3}));
}

TEST(Analysis, EveryOptionOfTrainingIsAnAxis) {
  const auto with = [](const char* name, double value) {
    ExperimentOptions options;
    for (const TrainingOption& option : training_options())
      if (option.name == name) option.set(options.fit, value);
    return testing::make_run("a", "spl", 1, value, {}, options);
  };
  for (const TrainingOption& option : training_options()) {
    const std::string name(option.name);
    const double usual = option.get(FitOptions());
    const double other = usual == option.highest ? option.lowest : option.highest;
    const std::vector<RunRecord> runs{with(name.c_str(), usual), with(name.c_str(), other)};
    const auto all = sweeps(tabulate(runs));
    ASSERT_EQ(all.size(), 1U) << name;
    EXPECT_EQ(all[0].title, name == "pretraining" ? "pre-training" : name);
    EXPECT_EQ(all[0].axis, option.title);
    ASSERT_EQ(all[0].points.size(), 2U);
    EXPECT_FLOAT_EQ(static_cast<float>(all[0].points[0]),
                    static_cast<float>(std::min(usual, other)));
    EXPECT_FLOAT_EQ(static_cast<float>(all[0].points[1]),
                    static_cast<float>(std::max(usual, other)));
    EXPECT_FLOAT_EQ(static_cast<float>(all[0].accuracy[0].values[0]),
                    static_cast<float>(std::min(usual, other)));
  }
  const RunRecord carried = with("carry_momentum", 1.0);
  EXPECT_EQ(variant_label(carried.key), "carry_momentum");
}

TEST(Analysis, AStrayRunDoesNotEmptyASweep) {
  const auto steps = [](int count) {
    ExperimentOptions options;
    options.fit.pretraining = count;
    return options;
  };
  std::vector<RunRecord> runs;
  for (const int count : {5, 10, 50})
    for (const char* method : {"spl", "uaspl"})
      runs.push_back(testing::make_run("a", method, 1, 0.5, {}, steps(count)));
  runs.push_back(testing::make_run("other", "spl", 1, 0.5, {}, steps(7)));
  runs.push_back(testing::make_run("a", "spl", 1, 0.5, {}, steps(8)));
  const auto all = sweeps(tabulate(runs));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].points, (std::vector<double>{5.0, 10.0, 50.0}));
  EXPECT_EQ(all[0].left_out, (std::vector<double>{7.0, 8.0}));
  EXPECT_EQ(all[0].accuracy.size(), 2U);
  EXPECT_EQ(left_out_text(all[0]), " Left out, for want of common runs: 7, 8.");
}

TEST(Analysis, GroupsOfMethodsThatDoNotDiffer) {
  std::vector<Standing> standings(5);
  const double ranks[] = {4.0, 1.0, 2.0, 4.5, 2.8};
  for (std::size_t i = 0; i < 5; ++i) standings[i].rank = ranks[i];
  const RankOrder order = order_by_rank(standings, 1.8);
  EXPECT_EQ(order.methods, (std::vector<std::size_t>{1, 2, 4, 0, 3}));
  using ProcessGroup = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(order.groups, (std::vector<ProcessGroup>{{0, 2}, {2, 4}}));  // 1..2.8 and 2.8..4.5
  EXPECT_TRUE(order_by_rank(standings, 0.1).groups.empty());
  EXPECT_EQ(order_by_rank(standings, 9.0).groups, (std::vector<ProcessGroup>{{0, 4}}));
}

TEST(Analysis, AblationComparesWithinAForm) {
  std::vector<RunRecord> runs;
  const std::pair<const char*, double> accuracies[] = {{"uaspl_linear", 0.8},
                                                       {"uaspl_beta1_linear", 0.7},
                                                       {"uaspl_beta_t_linear", 0.85},
                                                       {"uaspl", 0.9}};
  for (const auto& [method, accuracy] : accuracies)
    runs.push_back(testing::make_run("a", method, 1, accuracy));
  const auto all = ablation(tabulate(runs)[0]);
  ASSERT_EQ(all.size(), 3U);  // the hard form is not complete
  EXPECT_EQ(all[0].method, "uaspl_beta1_linear");
  EXPECT_NEAR(all[0].difference, -0.1, 1e-12);
  EXPECT_EQ(all[2].rank, 2.0);
  EXPECT_EQ(all[1].rank, 1.0);
}

TEST(SelectedRows, FourIntervalsByHand) {
  std::vector<SampleRecord> samples;
  // By loss: rows 4 3 9 | 7 (wrong) 1 5 2, with ties broken by row.
  const std::tuple<int, float, float, bool> rows[] = {
      {9, 0.3F, 0.5F, true}, {3, 0.2F, 0.4F, true},  {4, 0.1F, 0.2F, true}, {7, 0.4F, 0.9F, false},
      {2, 0.9F, 0.1F, true}, {5, 0.5F, 0.3F, false}, {1, 0.5F, 0.7F, true}};
  for (const auto& [row, loss, unsure, correct] : rows)
    samples.push_back(
        {.stage = 2, .row = row, .loss = loss, .uncertainty = unsure, .correct = correct});
  const SelectionStage stage = order_by_loss(samples);
  EXPECT_EQ(stage.stage, 2);
  EXPECT_EQ(stage.samples[4].row, 1);
  EXPECT_EQ(stage.cuts, (std::array<std::size_t, 5>{0, 1, 3, 5, 7}));
  EXPECT_NEAR(*stage.uncertainty[0], 0.2, 1e-6);
  EXPECT_NEAR(*stage.uncertainty[1], 0.45, 1e-6);
  EXPECT_NEAR(*stage.uncertainty[2], 0.8, 1e-6);
  EXPECT_NEAR(*stage.uncertainty[3], 0.2, 1e-6);
  for (SampleRecord& sample : samples) sample.correct = true;
  EXPECT_FALSE(order_by_loss(samples).uncertainty[2]);  // nothing wrong: no hard part
  EXPECT_FALSE(order_by_loss({}).uncertainty[0]);
}

}  // namespace
}  // namespace uaspl
