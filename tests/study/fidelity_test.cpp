// The whole chain against runs of the published code: splits, pre-training, stages, accuracies.
#include <algorithm>
#include <cmath>

#include "tests/support.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/study/experiment.hpp"

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
  void on_stage_start(const Stage&, const Probe& probe, const StageRows&) override {
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

bool stages_agree(const Recorder& ours, const nlohmann::json& golden, std::size_t from,
                  std::size_t to, double tolerance) {
  bool agree = true;
  for (std::size_t t = from; t < to; ++t)
    for (const auto& [step, loss] : golden["stages"][t]["inner"].items())
      agree = agree && close(ours.inner[t].at(std::stoul(step)), loss, tolerance);
  return agree;
}

struct Agreement {
  int later_stages = 0;
  int accuracies = 0;
};

// Checks what must agree in every run, and counts what may drift through float rounding.
void compare_run(const nlohmann::json& run, const Dataset& data, Agreement& agreement) {
  SCOPED_TRACE(run["dataset"].get<std::string>() + " " + std::to_string(int(run["seed"])));
  ASSERT_EQ(data.rows(), std::size_t(run["rows"]));
  Recorder recorder;
  const PreparedRun prepared(data, run["seed"], {}, &recorder);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_TRUE(close(recorder.pretraining[i], run["pretrain_loss"][i], 1e-5)) << "step " << i;
  EXPECT_EQ(prepared.start().test(prepared.start().pretrained()).accuracy,
            double(run["pretrain_test_accuracy"]));

  const auto chosen = choose_methods(std::vector<std::string>{"uaspl"});
  const RunRecord result = *prepared.run(chosen[0], &recorder);
  const auto& first_losses = run["stages"][0]["sample_loss"];
  for (std::size_t i = 0; i < first_losses.size(); ++i)
    EXPECT_NEAR(recorder.sample_loss[0][i], double(first_losses[i]),
                1e-5 * double(first_losses[i]) + 5e-8)  // they are printed with seven decimals
        << "row " << i;
  EXPECT_TRUE(stages_agree(recorder, run, 0, 1, 1e-5)) << "first stage";
  for (std::size_t t = 0; t < 6; ++t)
    EXPECT_EQ(recorder.inner[t].size(), std::size_t(run["stages"][t]["steps"]));
  agreement.later_stages += stages_agree(recorder, run, 1, 6, 1e-3);
  const bool equal = result.metrics.accuracy == double(run["accuracy"]);
  agreement.accuracies += equal;
  if (!equal) return;
  EXPECT_NEAR(result.metrics.precision, double(run["precision"]), 1e-12);
  EXPECT_NEAR(result.metrics.recall, double(run["recall"]), 1e-12);
  EXPECT_NEAR(result.metrics.f1, double(run["f1"]), 1e-12);
}

TEST(Fidelity, TheShippedSetsRunsEqualThePublishedCode) {
  Agreement agreement;
  const Dataset wine = open_dataset("wine", {testing::shipped_data_folder()});
  const nlohmann::json golden = testing::reference("trajectories.json");
  for (const auto& run : golden["runs"])
    if (run["dataset"] == "wine") compare_run(run, wine, agreement);
  EXPECT_EQ(agreement.later_stages, 2);
  EXPECT_EQ(agreement.accuracies, 2);
}

TEST(Fidelity, AllRunsEqualThePublishedCode) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << "UASPL_DATA names no folder with the paper's data sets";
  const nlohmann::json golden = testing::reference("trajectories.json");
  ASSERT_EQ(golden["runs"].size(), 16U);
  Agreement agreement;
  for (const auto& run : golden["runs"])
    compare_run(run, open_dataset(run["dataset"], {*folder}), agreement);
  std::printf("later stages agree in %d of 16 runs, final accuracies in %d\n",
              agreement.later_stages, agreement.accuracies);
  EXPECT_GE(agreement.later_stages, 14);
  EXPECT_GE(agreement.accuracies, 15);
}

}  // namespace
}  // namespace uaspl
