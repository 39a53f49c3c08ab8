// The smaller tables of reports, by hand, and what the paper prints.
#include "uaspl/report/sheet.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/runs.hpp"
#include "tests/support.hpp"
#include "uaspl/data/table/known_tables.hpp"
#include "uaspl/report/analysis.hpp"
#include "uaspl/report/json.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/study/study.hpp"

namespace uaspl {
namespace {

// Returns the number in the column of the row that begins with these names.
double value(const Sheet& sheet, const std::vector<std::string>& names, const std::string& column) {
  const auto at = std::ranges::find(sheet.columns, column) - sheet.columns.begin();
  for (const auto& row : sheet.rows) {
    bool same = true;
    for (std::size_t i = 0; i < names.size(); ++i) same = same && row[i].text == names[i];
    if (same) return row.at(static_cast<std::size_t>(at)).value;
  }
  ADD_FAILURE() << names.front() << " has no row";
  return 0.0;
}

// Every run is judged: with two of three classes, and below the majority where the accuracy is.
std::vector<RunRecord> judged_runs() {
  std::vector<RunRecord> runs = testing::some_runs();
  for (RunRecord& run : runs) {
    run.classes = 3;
    run.predicted_classes = run.key.method == "spl" ? 2 : 3;
    run.majority = 0.65;
    run.class_ratio = run.key.dataset == "a" ? 1.5 : 1.6;
    run.calibration = {.log_loss = run.metrics.accuracy, .brier = 0.5, .ece = 0.1};
    run.stages[0].train_accuracy = 0.25;
  }
  return runs;
}

TEST(Sheets, DeviationsByHand) {
  const auto runs = testing::some_runs();
  const Sheet sheet = deviation_sheet(tabulate(runs)[0]);
  EXPECT_EQ(sheet.columns.size(), 13U);
  EXPECT_NEAR(value(sheet, {"spl"}, "accuracy deviation"), std::sqrt(0.02) / 2, 1e-12);
  EXPECT_EQ(value(sheet, {"direct"}, "accuracy rank"), (1.5 + 2.0) / 2);
  EXPECT_EQ(value(sheet, {"spl"}, "accuracy rank"), (3.0 + 2.0) / 2);
  EXPECT_EQ(value(sheet, {"direct"}, "accuracy best"), 2.0);
  EXPECT_EQ(value(sheet, {"spl"}, "accuracy best"), 1.0);
}

TEST(Sheets, BalancedAndImbalancedDataSets) {
  const auto runs = judged_runs();
  const Sheet sheet = group_sheet(tabulate(runs)[0]);
  EXPECT_NEAR(value(sheet, {"uaspl"}, "balanced: mean"), 0.9, 1e-12);
  EXPECT_EQ(value(sheet, {"uaspl"}, "balanced: rank"), 1.0);
  EXPECT_NEAR(value(sheet, {"uaspl"}, "imbalanced: mean"), 0.6, 1e-12);
  EXPECT_EQ(value(sheet, {"uaspl"}, "imbalanced: rank"), 1.5);
  EXPECT_EQ(value(sheet, {"direct"}, "imbalanced: best"), 0.0);
  auto old = testing::some_runs();
  EXPECT_TRUE(group_sheet(tabulate(old)[0]).rows.empty());  // nobody knows it
  old[0].class_ratio = 1.0;                                 // one run is enough for its data set
  const Sheet one = group_sheet(tabulate(old)[0]);
  EXPECT_EQ(value(one, {"uaspl"}, "balanced: rank"), 1.0);
  EXPECT_TRUE(std::isnan(value(one, {"uaspl"}, "imbalanced: mean")));
  EXPECT_EQ(one.rows[0].back().text, "-");
  EXPECT_NE(one.caption.find("Of 1 more no run knows it."), std::string::npos);
}

TEST(Sheets, CalibrationByHand) {
  auto runs = judged_runs();
  const Sheet sheet = calibration_sheet(tabulate(runs)[0]);
  EXPECT_NEAR(value(sheet, {"spl"}, "log-loss"), (0.8 + 0.6) / 2, 1e-12);
  EXPECT_NEAR(value(sheet, {"spl"}, "Brier"), 0.5, 1e-12);
  EXPECT_NEAR(value(sheet, {"spl"}, "training accuracy"), 0.25, 1e-12);
  EXPECT_TRUE(std::isnan(value(sheet, {"spl"}, "AUROC of errors")));
  EXPECT_EQ(value(sheet, {"spl"}, "runs"), 3.0);
  EXPECT_EQ(value(sheet, {"spl"}, "fewer classes"), 3.0);
  EXPECT_EQ(value(sheet, {"uaspl"}, "fewer classes"), 0.0);
  EXPECT_EQ(value(sheet, {"uaspl"}, "below majority"), 1.0);
}

TEST(Sheets, RunsOfOlderProgramsAreNotMixedIn) {
  auto runs = judged_runs();
  runs[0].predicted_classes = 0;  // of data set a
  const Sheet sheet = calibration_sheet(tabulate(runs)[0]);
  EXPECT_NEAR(value(sheet, {"spl"}, "log-loss"), 0.6, 1e-12);  // b alone
  EXPECT_NE(sheet.caption.find("mean over 1 of 2 data sets"), std::string::npos) << sheet.caption;
  EXPECT_NE(sheet.caption.find("older programs"), std::string::npos);
  EXPECT_TRUE(calibration_sheet(tabulate(testing::some_runs())[0]).rows.empty());
}

StageRecord stage_of(int index, const std::array<double, 4>& losses) {
  StageRecord stage{.stage = index};
  stage.groups = {{2, losses[0]}, {3, losses[1]}, {2, losses[2]}, {1, losses[3]}};
  return stage;
}

TEST(Sheets, OrderingByHand) {
  std::vector<RunRecord> runs{testing::make_run("a", "uaspl", 1, 0.5),
                              testing::make_run("b", "uaspl", 1, 0.5)};
  runs[0].stages = {stage_of(0, {0.1, 0.2, 0.3, 0.4}), stage_of(1, {0.1, 0.2, 0.5, 0.4})};
  runs[1].stages = {stage_of(0, {0.2, 0.1, 0.3, 0.4}), stage_of(1, {0.1, 0.2, 0.3, 0.4})};
  runs[1].stages[1].groups.wrong_sure = {};  // nobody is wrong and sure: the whole cannot be told
  const ResultsTable table = tabulate(runs)[0];
  const Sheet rounds = ordering_sheet(table);
  EXPECT_EQ(value(rounds, {"uaspl", "1"}, "with four groups"), 2.0);
  EXPECT_EQ(value(rounds, {"uaspl", "1"}, "order holds"), 0.5);
  EXPECT_EQ(value(rounds, {"uaspl", "1"}, "right: sure < unsure"), 0.5);
  EXPECT_EQ(value(rounds, {"uaspl", "2"}, "stages"), 2.0);
  EXPECT_EQ(value(rounds, {"uaspl", "2"}, "with four groups"), 1.0);
  EXPECT_EQ(value(rounds, {"uaspl", "2"}, "order holds"), 0.0);
  EXPECT_EQ(value(rounds, {"uaspl", "2"}, "wrong: unsure < sure"), 0.0);
  EXPECT_EQ(value(rounds, {"uaspl", "2"}, "unsure: right < wrong"), 1.0);
  EXPECT_NEAR(value(rounds, {"uaspl", "all"}, "order holds"), 1.0 / 3.0, 1e-12);
  const Sheet datasets = ordering_by_dataset_sheet(table);
  EXPECT_EQ(value(datasets, {"uaspl", "a"}, "order holds"), 0.5);
  EXPECT_EQ(value(datasets, {"uaspl", "b"}, "order holds"), 0.0);
  EXPECT_TRUE(ordering_sheet(tabulate(testing::some_runs())[0]).rows.empty());  // not recorded
}

std::vector<RunRecord> main_runs(const std::vector<std::string>& datasets = {"a"}) {
  std::vector<RunRecord> runs;
  for (const std::string& dataset : datasets)
    for (const auto& method : find_study("table-main").methods)
      runs.push_back(testing::make_run(dataset, method, 1, method == "uaspl" ? 0.9 : 0.7));
  return runs;
}

TEST(Sheets, ThePaperStandsBesideTheRuns) {
  auto runs = main_runs();
  const std::vector<Sheet> all = printed_sheets(tabulate(runs)[0], "main");
  ASSERT_EQ(all.size(), 5U);  // means, deviations, and three metrics from the text
  EXPECT_EQ(all[0].rows.size(), 16U);
  EXPECT_EQ(value(all[0], {"uaspl"}, "mean: paper"), 0.8285);
  EXPECT_NEAR(value(all[0], {"uaspl"}, "mean: difference"), 0.9 - 0.8285, 1e-12);
  EXPECT_EQ(value(all[0], {"uaspl"}, "rank: paper"), 1.76);
  EXPECT_EQ(value(all[0], {"uaspl"}, "rank: ours"), 1.0);
  EXPECT_EQ(value(all[0], {"direct"}, "rank: ours"), 9.0);
  EXPECT_EQ(value(all[1], {"mc_balent"}, "deviation best: paper"), 5.0);
  EXPECT_EQ(value(all[2], {"uaspl"}, "mean: paper"), 0.772);
  EXPECT_NEAR(value(all[2], {"uaspl"}, "mean: ours"), 0.1, 1e-12);  // F1 of these runs
  runs.pop_back();
  const std::vector<Sheet> fewer = printed_sheets(tabulate(runs)[0], "main");
  EXPECT_NEAR(value(fewer[0], {"direct"}, "mean: ours"), 0.7, 1e-12);
  EXPECT_TRUE(std::isnan(value(fewer[0], {"direct"}, "rank: ours")));  // of other methods
  ExperimentOptions longer;
  longer.fit.training.passes = 7;
  const std::vector<RunRecord> other{testing::make_run("a", "uaspl", 1, 0.5, {}, longer)};
  EXPECT_TRUE(printed_sheets(tabulate(other)[0], "main").empty());
}

// The remarks on the print are true of the numbers that are stored.
TEST(Sheets, WhereThePrintContradictsItself) {
  std::vector<RunRecord> runs;
  for (const char* name : {"table-main", "table-linear", "table-mixture", "table-ablation"})
    for (const auto& method : find_study(name).methods)
      if (std::ranges::none_of(runs, [&](auto& run) { return run.key.method == method; }))
        runs.push_back(testing::make_run("a", method, 1, 0.5));
  const ResultsTable table = tabulate(runs)[0];
  const auto sum = [](const Sheet& sheet, const std::string& column) {
    double all = 0.0;
    for (const auto& row : sheet.rows) all += value(sheet, {row[0].text}, column);
    return all;
  };
  const auto main = printed_sheets(table, "main");
  EXPECT_NEAR(sum(main[0], "rank: paper"), 96.04, 1e-9);
  EXPECT_NEAR(sum(main[1], "deviation rank: paper"), 136.0, 1e-9);
  EXPECT_EQ(sum(main[0], "best: paper"), 30.0);
  EXPECT_EQ(sum(main[1], "deviation best: paper"), 31.0);
  EXPECT_NE(main[0].remarks.front().find("96.04"), std::string::npos);
  const auto linear = printed_sheets(table, "linear");
  EXPECT_NEAR(sum(linear[0], "rank: paper"), 118.80, 1e-9);
  EXPECT_NEAR(sum(linear[1], "deviation rank: paper"), 118.08, 1e-9);
  EXPECT_EQ(value(linear[0], {"direct"}, "rank: paper"), 9.72);
  const auto mixture = printed_sheets(table, "mixture");
  EXPECT_NEAR(sum(mixture[0], "rank: paper"), 118.80, 1e-9);
  EXPECT_NEAR(sum(mixture[1], "deviation rank: paper"), 118.28, 1e-9);
  const Sheet parts = printed_sheets(table, "ablation").at(0);
  EXPECT_EQ(parts.rows.size(), 12U);
  EXPECT_EQ(value(parts, {"uaspl_beta_t_linear"}, "ablation rank: paper"), 2.0);
  EXPECT_EQ(value(parts, {"spl_mixture"}, "difference: paper"), -0.0107);
  EXPECT_NEAR(
      value(parts, {"spl_mixture"}, "mean: paper") - value(parts, {"uaspl_mixture"}, "mean: paper"),
      -0.0106, 1e-9);
}

TEST(Sheets, ImagesArePrintedByDataSet) {
  const ExperimentOptions options = image_protocol(find_image_profile("full"));
  const std::vector<RunRecord> runs{
      testing::make_run("svhn", "uaspl_hybrid", 83105, 0.96, {}, options)};
  const auto all = printed_sheets(tabulate(runs)[0], "images");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rows.size(), 60U);
  EXPECT_EQ(value(all[0], {"svhn", "uaspl_hybrid"}, "mean: paper"), 0.9653);
  EXPECT_NEAR(value(all[0], {"svhn", "uaspl_hybrid"}, "mean: difference"), -0.0053, 1e-12);
  EXPECT_EQ(value(all[0], {"mnist", "mw_net"}, "deviation: paper"), 0.0002);
}

TEST(Sheets, FormatsShowThem) {
  const auto runs = main_runs(named_sets("paper"));
  const Report report{tabulate(runs), {}, {}};
  const std::vector<std::string> sections{"deviations", "printed-main"};
  const std::string text = markdown_report(report, sections);
  EXPECT_NE(text.find("| 0.8285 | 0.9000 | +0.0715 | 1.76 | 1.00 | -0.76 | 13 | 25 | +12 |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("add up to 96.04"), std::string::npos);
  const std::string json = json_report(report.tables);
  EXPECT_NE(json.find(R"("table":"printed-main","row":{"method":"direct","mean: paper":0.7986)"),
            std::string::npos);
  // On other data sets, what the paper prints is shown only where it is asked for.
  const auto few = main_runs();
  EXPECT_EQ(json_report(tabulate(few)).find("printed-main"), std::string::npos);
}

TEST(Analysis, KindsOfLossVariation) {
  auto runs = testing::some_runs();
  for (RunRecord& run : runs)
    run.stages = {{.stage = 0,
                   .loss_variation = -1.0,
                   .train_accuracy = 0.5,
                   .quarter_median = 0.25,
                   .quarter_robust = 0.125,
                   .variation = {-5.0, 0.5, 0.75}}};
  const ResultsTable table = tabulate(runs)[0];
  const std::vector<std::size_t> datasets{0};
  const double expected[] = {-5.0, 0.5, 0.75, -1.0, 0.25, 0.125};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(loss_variation(table, datasets, kVariations[i])[0].values.at(0), expected[i]);
  // Older programs recorded the mean alone, and that of a quarter where all rows are taken.
  const auto old_runs = testing::some_runs();
  const ResultsTable old = tabulate(old_runs)[0];
  EXPECT_EQ(loss_variation(old, datasets)[1].method, "spl");
  EXPECT_EQ(loss_variation(old, datasets)[1].values.at(0), 0.5);
  EXPECT_TRUE(std::isnan(loss_variation(old, datasets)[0].values.at(0)));  // direct
  EXPECT_EQ(loss_variation(old, datasets, kVariations[3])[0].values.at(0), 0.5);
  EXPECT_TRUE(std::isnan(loss_variation(old, datasets, kVariations[1])[1].values.at(0)));
}

TEST(Analysis, AblationBeginsWithPlainSelfPacedLearning) {
  std::vector<RunRecord> runs;
  const std::pair<const char*, double> accuracies[] = {
      {"spl", 0.6}, {"uaspl_beta1", 0.7}, {"uaspl_beta_t", 0.85}, {"uaspl", 0.8}};
  for (const auto& [method, accuracy] : accuracies)
    runs.push_back(testing::make_run("a", method, 1, accuracy));
  const auto all = ablation(tabulate(runs)[0]);
  ASSERT_EQ(all.size(), 4U);
  const double ranks[] = {4.0, 3.0, 1.0, 2.0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[i].method, accuracies[i].first);
    EXPECT_EQ(all[i].rank, ranks[i]);
    EXPECT_NEAR(all[i].difference, accuracies[i].second - 0.8, 1e-12);
  }
}

}  // namespace
}  // namespace uaspl
