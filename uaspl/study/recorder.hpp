// Watches a fit and records what the results store keeps of its stages.
#pragma once

#include <functional>
#include <vector>

#include "uaspl/study/record.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

class Recorder final : public Observer {
 public:
  // `test_accuracy` is called when a stage ends; `inner`, if any, receives all calls.
  Recorder(std::function<double(const Network&)> test_accuracy, bool trace,
           Observer* inner = nullptr);

  std::vector<StageRecord> stages;
  std::vector<SampleRecord> samples;

  void on_start(const Network& network, const Method& method) override;
  void on_stage_start(const Stage& stage, const Probe& probe, const StageRows& chosen) override;
  void on_step(const Visit& visit, std::span<const float> weights) override;
  void on_pass(int stage, int pass, double loss) override;
  void on_stage_end(const StageTrace& trace, const Probe& after) override;
  bool stop() override { return inner_ && inner_->stop(); }
  void save(SavedState& numbers) const override;
  void load(const SavedState& numbers) override;

 private:
  void add_samples(const Stage& stage, const Probe& probe, const StageRows& chosen,
                   std::span<const float> losses, std::span<const float> uncertainties);
  void check_loaded() const;

  std::function<double(const Network&)> test_accuracy_;
  bool trace_;
  Observer* inner_;
  const Network* network_ = nullptr;
  const Method* method_ = nullptr;
  Stage stage_{};
  std::vector<int> first_rows_;  // rows of the first stage; the easiest quarter, if it took all
  std::vector<float> before_;    // losses when the stage began
};

}  // namespace uaspl
