// DIHCL (Zhou et al. 2020): rows that have been hard for long are drawn more often, from fewer rows
// stage by stage.
#include <algorithm>
#include <cmath>

#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

constexpr double kKept = 0.9;        // share of the past in the running mean
constexpr double kLeast = 1e-9;      // hardness of rows that would never be drawn again
constexpr double kLastShare = 0.25;  // of the rows, in the last stage

class HardnessDraws final : public Method {
 public:
  explicit HardnessDraws(bool by_flips) : by_flips_(by_flips) {}

  Selection take() const override { return Selection::kEasiest; }
  Loss loss(const Stage& stage) const override { return softmax_loss(stage); }
  double share(const Stage& stage) const override {
    if (stage.count < 2) return 1.0;
    return 1.0 - (1.0 - kLastShare) * stage.index / (stage.count - 1);
  }

  StageRows begin_stage(const Stage& stage, const Probe& probe) override {
    loss_ = softmax_loss(stage);
    if (stage.index == 0) begin(probe);
    // The largest of ln(hardness) + Gumbel noise are a draw without replacement by hardness.
    Stream stream = probe.stream("dihcl", static_cast<std::uint64_t>(stage.index));
    std::vector<float> scores;
    for (const double hardness : hardness_) {
      const double weight = hardness > kLeast ? hardness : kLeast;
      scores.push_back(static_cast<float>(-std::log(weight) - stream.gumbel()));
    }
    StageRows chosen;
    chosen.rows = easiest(scores, stage_rows(share(stage), probe.rows())).rows;
    chosen.weights.assign(chosen.rows.size(), 1.0F);
    return chosen;
  }

  void after_step(const Visit& visit, const Probe& probe, const Matrix& logits) override {
    std::vector<float> losses(visit.positions.size());
    loss_(logits, probe.labels_at(visit.positions), losses, nullptr);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const auto row = static_cast<std::size_t>(visit.positions[i]);
      const double now = by_flips_ ? flip(row, logits.row(i)) : static_cast<double>(losses[i]);
      hardness_[row] = kKept * hardness_[row] + (1.0 - kKept) * now;
    }
  }

  void save(SavedState& numbers) const override {
    numbers.put("hardness", hardness_);
    numbers.put("predicted", predicted_);
  }
  void load(const SavedState& numbers, std::size_t rows) override {
    hardness_ = numbers.get<double>("hardness", rows);
    predicted_ = numbers.get<int>("predicted", rows);
  }

 private:
  void begin(const Probe& probe) {
    const std::vector<float> losses = probe.losses(loss_);
    hardness_.assign(probe.rows(), 0.0);
    if (!by_flips_) std::ranges::copy(losses, hardness_.begin());
    predicted_.resize(probe.rows());
    for (std::size_t i = 0; i < probe.rows(); ++i) predicted_[i] = highest(probe.logits().row(i));
  }

  static int highest(std::span<const float> logits) {
    return static_cast<int>(std::ranges::max_element(logits) - logits.begin());
  }

  // Returns 1 if the row is predicted as another class than at its last visit.
  double flip(std::size_t row, std::span<const float> logits) {
    const int before = predicted_[row];
    predicted_[row] = highest(logits);
    return predicted_[row] != before ? 1.0 : 0.0;
  }

  bool by_flips_;
  Loss loss_ = cross_entropy();  // of the stage
  std::vector<double> hardness_;
  std::vector<int> predicted_;
};

}  // namespace

std::unique_ptr<Method> make_dihcl(const Settings& settings) {
  return std::make_unique<HardnessDraws>(settings["hardness"] == 1.0);
}

}  // namespace uaspl
