// MW-Net (Shu et al. 2019): all rows, weighted by a small network of their losses that learns, step
// by step, which weights would have lowered the loss of rows kept apart.
#include <algorithm>
#include <optional>

#include "uaspl/method/recipes.hpp"
#include "uaspl/method/weight_net.hpp"

namespace uaspl {
namespace {

struct MetaOptions {
  double meta_fraction;
  std::size_t hidden;
  double rate;   // of Adam
  double decay;  // L2, added to the gradient
  bool scaled;   // to mean 1 in each step
};

// Returns what brings the mean of the weights to 1; 1 if they are all 0.
double scale_to_mean_one(std::span<const float> weights) {
  double sum = 0.0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  return sum > 0.0 ? static_cast<double>(weights.size()) / sum : 1.0;
}

class MetaWeights final : public Method {
 public:
  explicit MetaWeights(const MetaOptions& options) : options_(options), all_rows_(make_direct()) {}

  Needs needs() const override {
    return {.network = {.weight_influence = true}, .meta_fraction = options_.meta_fraction};
  }

  Loss loss(const Stage& stage) const override { return all_rows_->loss(stage); }

  StageRows begin_stage(const Stage& stage, const Probe& probe) override {
    loss_ = loss(stage);
    if (stage.index == 0) net_.emplace(options_.hidden, probe.stream("mw_net"));
    return all_rows_->begin_stage(stage, probe);
  }

  void weigh(const Visit& visit, const Probe& probe, std::span<float> weights) override {
    const std::size_t n = visit.positions.size();
    const auto count = static_cast<float>(n);
    const std::vector<int> labels = probe.labels_at(visit.positions);
    const std::vector<float> given = probe.weights_at(visit.positions);  // of the rows themselves
    std::vector<float> losses(n);
    std::vector<float> v(n);
    float scale = 1.0F;
    if (options_.scaled) {  // a block of rows does not know the others, so all are looked at before
      loss_(probe.logits_at(visit.positions), labels, losses, nullptr);
      net_->weigh(losses, v);
      scale = static_cast<float>(scale_to_mean_one(v));
    }
    const auto weighted = [&](std::size_t first, const Matrix& logits, Matrix& dlogits) {
      const std::span<float> values = std::span(losses).subspan(first, logits.rows());
      const std::span<float> part = std::span(v).subspan(first, logits.rows());
      loss_(logits, std::span(labels).subspan(first, logits.rows()), values, &dlogits);
      net_->weigh(values, part);
      for (std::size_t i = 0; i < part.size(); ++i)
        for (float& g : dlogits.row(i)) g *= scale * part[i] * given[first + i] / count;
    };
    std::vector<float> slopes = probe.weight_influence(visit, weighted, loss_);
    for (std::size_t i = 0; i < n; ++i) slopes[i] = slopes[i] * given[i] / count;  // of the mean
    if (options_.scaled) scale_slopes(slopes, v, scale);
    net_->step(net_->gradient(losses, slopes), options_.rate, options_.decay);
    net_->weigh(losses, v);
    if (options_.scaled) scale = static_cast<float>(scale_to_mean_one(v));
    for (std::size_t i = 0; i < n; ++i) weights[i] *= scale * v[i];
  }

  void save(SavedState& numbers) const override {
    if (net_) net_->save(numbers);
  }
  void load(const SavedState& numbers, std::size_t) override {
    net_.emplace(options_.hidden, Stream(0));
    net_->load(numbers);
  }

 private:
  // Turns slopes on the scaled weights w = scale v into slopes on v: scale depends on all v.
  static void scale_slopes(std::span<float> slopes, std::span<const float> v, float scale) {
    double pull = 0.0;  // sum of slope * w, divided by the number of rows
    for (std::size_t i = 0; i < v.size(); ++i)
      pull += static_cast<double>(slopes[i]) * static_cast<double>(scale * v[i]);
    pull /= static_cast<double>(v.size());
    for (float& slope : slopes)
      slope = static_cast<float>((static_cast<double>(slope) - pull) * static_cast<double>(scale));
  }

  MetaOptions options_;
  Loss loss_ = cross_entropy();  // of the stage
  std::unique_ptr<Method> all_rows_;
  std::optional<WeightNet> net_;
};

}  // namespace

std::unique_ptr<Method> make_mw_net(const Settings& settings) {
  return std::make_unique<MetaWeights>(
      MetaOptions{.meta_fraction = settings["meta"],
                  .hidden = static_cast<std::size_t>(settings["hidden"]),
                  .rate = settings["rate"],
                  .decay = settings["decay"],
                  .scaled = settings["scale"] == 1.0});
}

}  // namespace uaspl
