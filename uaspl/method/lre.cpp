// Learning to reweight examples (Ren et al. 2018): in each step, rows count by how much a step on
// them would lower the loss of rows kept apart.
#include "uaspl/method/lre.hpp"

#include <algorithm>

#include "uaspl/method/recipes.hpp"

namespace uaspl {

std::vector<float> helpful_weights(std::span<const float> influences, double most) {
  std::vector<float> weights(influences.size(), 1.0F);
  double sum = 0.0;
  for (const float influence : influences) sum += std::max(0.0, -static_cast<double>(influence));
  if (!(sum > 0.0)) return weights;
  const double scale = static_cast<double>(influences.size()) / sum;
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(
        std::min(most, std::max(0.0, -static_cast<double>(influences[i])) * scale));
  return weights;
}

namespace {

class Reweighting final : public Method {
 public:
  Reweighting(double meta_fraction, double most) : meta_fraction_(meta_fraction), most_(most) {}

  Needs needs() const override {
    return {.network = {.weight_influence = true}, .meta_fraction = meta_fraction_};
  }
  Loss loss(const Stage& stage) const override { return all_rows_->loss(stage); }
  StageRows begin_stage(const Stage& stage, const Probe& probe) override {
    loss_ = loss(stage);
    return all_rows_->begin_stage(stage, probe);
  }

  void weigh(const Visit& visit, const Probe& probe, std::span<float> weights) override {
    // All rows have weight 0 in the trial, which therefore stays where it is.
    const auto nothing = [](std::size_t, const Matrix& logits, Matrix& dlogits) {
      dlogits.resize(logits.rows(), logits.cols());
      std::ranges::fill(dlogits.values(), 0.0F);
    };
    const std::vector<float> found =
        helpful_weights(probe.weight_influence(visit, nothing, loss_), most_);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= found[i];
  }

 private:
  double meta_fraction_;
  double most_;
  Loss loss_ = cross_entropy();  // of the stage
  std::unique_ptr<Method> all_rows_ = make_direct();
};

}  // namespace

std::unique_ptr<Method> make_lre(const Settings& settings) {
  return std::make_unique<Reweighting>(settings["meta"], settings["most"]);
}

}  // namespace uaspl
