// Watches a fit and records what the results store keeps of its stages.
#pragma once

#include <functional>
#include <vector>

#include "uaspl/study/record.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {

// How a recorder judges the network, and what it keeps.
struct RecorderOptions {
  std::function<double(const Network&)> test_accuracy;  // when a stage ends
  bool trace = false;
  // After each pass: losses and accuracies of the rows, by the loss of the stage. None: no passes.
  std::function<PassRecord(const Network&, const Loss&)> judge_pass = nullptr;
};

class Recorder final : public Observer {
 public:
  // `inner`, if any, receives all calls.
  explicit Recorder(RecorderOptions options, Observer* inner = nullptr);

  std::vector<StageRecord> stages;
  std::vector<SampleRecord> samples;
  std::vector<PassRecord> passes;
  double judging_seconds = 0.0;  // of the passes; no part of the training

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

  RecorderOptions options_;
  Observer* inner_;
  const Network* network_ = nullptr;
  const Method* method_ = nullptr;
  Stage stage_{};
  std::vector<int> first_rows_;  // rows of the first stage; the easiest quarter, if it took all
  std::vector<float> before_;    // losses when the stage began
};

}  // namespace uaspl
