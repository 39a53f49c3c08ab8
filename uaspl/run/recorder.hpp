// Watches a fit and writes down what the results store keeps of its stages.
#pragma once

#include <functional>
#include <vector>

#include "uaspl/run/record.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

class Recorder final : public Observer {
 public:
  // `test_accuracy` is asked when a stage ends; `inner`, if any, is told everything.
  Recorder(const Method& method, std::function<double()> test_accuracy, bool trace,
           Observer* inner);

  std::vector<StageRecord> stages;
  std::vector<SampleRecord> samples;

  void on_stage_start(const Stage& stage, const Probe& probe, const Plan& plan) override;
  void on_step(const Visit& visit, std::span<const float> weights) override;
  void on_pass(int stage, int pass, double loss) override;
  void on_stage_end(const StageTrace& trace, const Probe& after) override;
  bool stop() override { return inner_ && inner_->stop(); }
  void save(Numbers& numbers) const override;
  void load(const Numbers& numbers) override;

 private:
  void add_samples(const Stage& stage, const Probe& probe, const Plan& plan,
                   std::span<const float> losses, std::span<const float> uncertainties);
  double variation(std::span<const float> after) const;

  const Method& method_;
  std::function<double()> test_accuracy_;
  bool trace_;
  Observer* inner_;
  Stage stage_{};
  std::vector<int> first_rows_;  // of the first stage
  std::vector<float> before_;    // losses when the stage began
};

// How unsure outputs are: vacuity of evidential losses, entropy / ln K of others.
std::vector<float> uncertainties(const Matrix& logits, const Loss& loss);

}  // namespace uaspl
