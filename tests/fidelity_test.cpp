// The whole chain against runs of the published code: splits, pre-training, stages, accuracies.
#include <algorithm>
#include <cmath>

#include "tests/support.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/run/experiment.hpp"

namespace uaspl {
namespace {

class Recorder final : public Observer {
 public:
  void on_pass(int stage, int pass, double loss) override {
    if (stage < 0) {
      pretraining.push_back(loss);
    } else {
      inner[static_cast<std::size_t>(stage)].resize(static_cast<std::size_t>(pass) + 1, loss);
    }
  }
  void on_stage_start(const Stage&, const Probe& probe, const Plan&) override {
    std::vector<float> loss(probe.rows());
    evidential_loss({})(probe.logits(), probe.labels(), loss, nullptr);
    sample_loss.push_back(std::move(loss));
  }
  std::vector<double> pretraining;
  std::vector<std::vector<double>> inner = std::vector<std::vector<double>>(6);
  std::vector<std::vector<float>> sample_loss;
};

bool close(double value, double expected, double tolerance) {
  return std::abs(value - expected) <= tolerance * std::abs(expected);
}

bool stages_agree(const Recorder& ours, const nlohmann::json& golden, std::size_t from, std::size_t to,
                  double tolerance) {
  bool agree = true;
  for (std::size_t t = from; t < to; ++t)
    for (const auto& [step, loss] : golden["stages"][t]["inner"].items())
      agree = agree && close(ours.inner[t].at(std::stoul(step)), loss, tolerance);
  return agree;
}

TEST(Fidelity, RunsEqualThePublishedCode) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << "UASPL_DATA names no folder with the paper's data sets";
  const nlohmann::json golden = testing::reference("trajectories.json");
  ASSERT_EQ(golden["runs"].size(), 16U);
  const auto chosen = choose_methods(std::vector<std::string>{"uaspl"});
  int later_stages_agree = 0;
  int accuracies_agree = 0;
  for (const auto& run : golden["runs"]) {
    SCOPED_TRACE(run["dataset"].get<std::string>() + " " + std::to_string(int(run["seed"])));
    const Dataset data = open_dataset(run["dataset"], {*folder});
    ASSERT_EQ(data.rows(), std::size_t(run["rows"]));
    Recorder recorder;
    const PreparedRun prepared(data, run["seed"], {}, &recorder);
    for (std::size_t i = 0; i < 20; ++i)
      EXPECT_TRUE(close(recorder.pretraining[i], run["pretrain_loss"][i], 1e-5)) << "pre-training " << i;
    EXPECT_EQ(prepared.test(prepared.pretrained()).accuracy, double(run["pretrain_test_accuracy"]));

    const RunResult result = prepared.run(chosen[0], &recorder);
    const auto& first_losses = run["stages"][0]["sample_loss"];
    for (std::size_t i = 0; i < first_losses.size(); ++i)
      EXPECT_NEAR(recorder.sample_loss[0][i], double(first_losses[i]), 2e-6) << "row " << i;
    EXPECT_TRUE(stages_agree(recorder, run, 0, 1, 1e-5)) << "first stage";
    for (std::size_t t = 0; t < 6; ++t)
      EXPECT_EQ(recorder.inner[t].size(), std::size_t(run["stages"][t]["steps"]));
    later_stages_agree += stages_agree(recorder, run, 1, 6, 1e-3);
    accuracies_agree += result.metrics.accuracy == double(run["accuracy"]);
  }
  std::printf("later stages agree in %d of 16 runs, final accuracies in %d\n", later_stages_agree,
              accuracies_agree);
  EXPECT_GE(later_stages_agree, 14);
  EXPECT_GE(accuracies_agree, 15);
}

}  // namespace
}  // namespace uaspl
