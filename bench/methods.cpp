// Cost of a whole fit of every method, relative to training on everything, interleaved.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "uaspl/base/rng.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/net/mlp.hpp"
#include "uaspl/train/trainer.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// A data shape with a pre-trained network, and the best time of each method on it.
class Case {
 public:
  Case(std::size_t n, std::size_t d, std::size_t k)
      : rows_(n), labels_(n), classes_(k), seconds_(uaspl::methods().size(), kNever) {
    uaspl::Stream stream(1, "bench");
    auto inputs = std::make_shared<uaspl::Matrix>(n, d);
    for (int& label : labels_) label = static_cast<int>(stream.below(k));
    for (std::size_t i = 0; i < n; ++i)
      for (float& x : inputs->row(i)) x = static_cast<float>(stream.normal() + 0.3 * labels_[i]);
    std::iota(rows_.begin(), rows_.end(), 0);
    net_ = std::make_unique<uaspl::Mlp>(inputs, uaspl::MlpShape{.inputs = d, .classes = k}, 2025);
    history_ = uaspl::pretrain(*net_, set(), 20, training_).history;
  }

  void measure() {
    for (std::size_t m = 0; m < seconds_.size(); ++m) {
      const uaspl::MethodInfo& info = uaspl::methods()[m];
      const auto start = Clock::now();
      const auto network = net_->clone();
      const auto method = info.make(uaspl::Settings(info.options));
      uaspl::fit(*network, *method, set(), training_);
      seconds_[m] =
          std::min(seconds_[m], std::chrono::duration<double>(Clock::now() - start).count());
    }
  }

  double relative(std::size_t method) const { return seconds_[method] / seconds_[0]; }
  double milliseconds() const { return 1e3 * seconds_[0]; }
  std::string name() const {
    return fmt::format("{},{},{}", rows_.size(), net_->save().at("fc1.weight").shape[1], classes_);
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  uaspl::TrainingSet set() const { return {rows_, labels_, classes_, &history_}; }

  std::vector<int> rows_;
  std::vector<int> labels_;
  std::size_t classes_;
  uaspl::PredictionHistory history_;
  // No early stop: every method makes all its steps.
  uaspl::Training training_{.stop_below = 0.0, .step = {}};
  std::unique_ptr<uaspl::Mlp> net_;
  std::vector<double> seconds_;
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  if (rounds < 1) {
    fmt::print(stderr, "usage: bench_methods [ROUNDS=3]\n");
    return 2;
  }
  std::vector<Case> cases;
  cases.emplace_back(89, 13, 3);
  cases.emplace_back(374, 4, 2);
  cases.emplace_back(2391, 21, 3);
  for (int round = 0; round < rounds; ++round)
    for (Case& one : cases) one.measure();
  fmt::print("a fit (6 x 150 steps) relative to direct, by rows,columns,classes\n{:<22}", "");
  for (const Case& one : cases) fmt::print("{:>12}", one.name());
  fmt::print("\n{:<22}", "direct, milliseconds");
  for (const Case& one : cases) fmt::print("{:>12.1f}", one.milliseconds());
  fmt::print("\n");
  for (std::size_t m = 0; m < uaspl::methods().size(); ++m) {
    fmt::print("{:<22}", uaspl::methods()[m].name);
    for (const Case& one : cases) fmt::print("{:>12.2f}", one.relative(m));
    fmt::print("\n");
  }
  return 0;
}
