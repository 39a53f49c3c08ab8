// UASPL whose schedule follows the network: a stage ends when its loss has settled, and the next
// one is as large as there are rows that are no harder than the hardest of the present one.
#include "uaspl/method/uaspl_adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "uaspl/method/recipes.hpp"

namespace uaspl {

bool has_settled(std::span<const double> losses, int window) {
  const auto before = static_cast<std::size_t>(window);
  if (losses.size() <= before) return false;
  return losses.back() > 0.99 * losses[losses.size() - 1 - before];
}

double next_share(double share, std::span<const float> losses, std::span<const int> chosen) {
  std::vector<float> inside;
  for (const int row : chosen) {
    const float loss = losses[static_cast<std::size_t>(row)];
    inside.push_back(std::isnan(loss) ? std::numeric_limits<float>::infinity() : loss);
  }
  std::ranges::sort(inside, std::greater<>());
  inside.resize(std::max<std::size_t>(1, inside.size() / 10));
  double bound = 0.0;
  for (const float loss : inside)
    bound += static_cast<double>(loss) / static_cast<double>(inside.size());
  const auto below = std::ranges::count_if(
      losses, [bound](float loss) { return static_cast<double>(loss) < bound; });
  const double wanted = static_cast<double>(below) / static_cast<double>(losses.size());
  return std::min(1.0, std::clamp(wanted, share + kLeastGrowth, share + kMostGrowth));
}

int part_of_passes(double share, int left) {
  const double stages = 1.0 + std::ceil((1.0 - share) / kLeastGrowth - 1e-9);
  return std::max(1, static_cast<int>(left / stages));
}

namespace {

class Adaptive final : public Method {
 public:
  explicit Adaptive(StageLoss loss) : paced_(paced({.loss = std::move(loss)})) {}

  Selection take() const override { return paced_->take(); }
  Loss loss(const Stage& stage) const override { return paced_->loss(stage); }
  double share(const Stage& stage) const override { return chosen_.empty() ? stage.share : share_; }
  bool paces_itself() const override { return true; }

  int most_passes(const Stage&, int left) const override { return part_of_passes(share_, left); }

  StageRows begin_stage(const Stage& stage, const Probe& probe) override {
    share_ =
        stage.index == 0 ? stage.share : next_share(share_, probe.losses(loss(stage)), chosen_);
    Stage now = stage;
    now.share = share_;
    StageRows rows = paced_->begin_stage(now, probe);
    chosen_ = rows.rows;
    return rows;
  }

  // 20 of 150 passes show whether the loss falls; the stage with all rows uses up the budget.
  bool ends_stage(const Stage& stage, std::span<const double> losses) const override {
    const int window = std::max(2, static_cast<int>(std::lround(stage.passes * 20.0 / 150.0)));
    return share_ < 1.0 && has_settled(losses, window);
  }

  void save(SavedState& numbers) const override {
    numbers.put("share", std::vector{share_});
    numbers.put("chosen", chosen_);
  }
  void load(const SavedState& numbers, std::size_t rows) override {
    share_ = numbers.get<double>("share", 1).front();
    if (!(share_ > 0.0 && share_ <= 1.0)) throw Error("saved state: a share beyond 0 to 1");
    chosen_ = numbers.get<int>("chosen");
    if (chosen_.empty() || std::ranges::any_of(chosen_, [rows](int row) {
          return row < 0 || std::cmp_greater_equal(row, rows);
        }))
      throw Error("saved state: rows that are not there");
  }

 private:
  std::unique_ptr<Method> paced_;
  double share_ = 0.0;
  std::vector<int> chosen_;  // rows of the present stage
};

}  // namespace

std::unique_ptr<Method> make_uaspl_adaptive(const Settings& settings) {
  return std::make_unique<Adaptive>(uaspl_loss(settings));
}

}  // namespace uaspl
