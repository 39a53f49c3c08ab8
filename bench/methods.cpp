// Cost of a whole fit of every method, relative to training on everything, interleaved.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/method/ecm.hpp"
#include "uaspl/method/eknn.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/train/trainer.hpp"

namespace {

// The belief masses that methods compute before their first stage.
enum Masses { kEknnMasses, kEcmMasses, kMassKinds };
constexpr std::array<const char*, kMassKinds> kMassNames = {"eknn", "ecm"};
constexpr std::array<const char*, kMassKinds> kMassUsers = {"clu1", "clu2"};

// A data shape with a pre-trained network, and the best time of each method on it.
class Case {
 public:
  Case(std::size_t n, std::size_t d, std::size_t k)
      : rows_(n), labels_(n), classes_(k), seconds_(uaspl::methods().size(), kNever) {
    uaspl::Stream stream(1, "bench");
    uaspl::Matrix points(n, d);
    for (int& label : labels_) label = static_cast<int>(stream.below(k));
    for (std::size_t i = 0; i < n; ++i)
      for (float& x : points.row(i)) x = static_cast<float>(stream.normal() + 0.3 * labels_[i]);
    std::iota(rows_.begin(), rows_.end(), 0);
    inputs_ = uaspl::Inputs(std::move(points));
    net_ = std::make_unique<uaspl::Mlp>(uaspl::MlpShape{.inputs = d, .classes = k}, 2025);
    history_ = uaspl::pretrain(*net_, set(), 20, training_).history;
  }

  void measure() {
    for (std::size_t m = 0; m < seconds_.size(); ++m) {
      const uaspl::MethodInfo& info = uaspl::methods()[m];
      if (!info.has_stages()) continue;  // forests and committees have subjects of their own
      keep_best(seconds_[m], [&] {
        const auto network = net_->clone();
        const auto method = info.make(uaspl::Settings(info.options));
        uaspl::fit(*network, *method, set(), training_);
      });
    }
    keep_best(masses_[kEknnMasses],
              [&] { uaspl::eknn_masses(inputs_.matrix(), labels_, classes_); });
    keep_best(masses_[kEcmMasses],
              [&] { uaspl::ecm_pignistic(inputs_.matrix(), labels_, classes_); });
  }

  double seconds(std::size_t method) const { return seconds_[method]; }
  double relative(std::size_t method) const { return seconds_[method] / seconds_[0]; }
  double milliseconds() const { return 1e3 * seconds_[0]; }
  double mass_seconds(std::size_t kind) const { return masses_[kind]; }
  // Of a fit of the method that needs nothing else before it begins.
  double mass_share(std::size_t kind) const {
    const auto& all = uaspl::methods();
    const auto user = std::ranges::find(all, kMassUsers[kind], &uaspl::MethodInfo::name);
    return masses_[kind] / seconds_[static_cast<std::size_t>(user - all.begin())];
  }
  std::string name() const {
    return fmt::format("{},{},{}", rows_.size(), inputs_.matrix().cols(), classes_);
  }

 private:
  template <typename Work>
  static void keep_best(double& best, const Work& work) {
    const auto start = Clock::now();
    work();
    best = std::min(best, seconds_since(start));
  }

  uaspl::TrainingSet set() const { return {&inputs_, rows_, labels_, classes_, &history_}; }

  std::vector<int> rows_;
  std::vector<int> labels_;
  std::size_t classes_;
  uaspl::PredictionHistory history_;
  // No early stop: every method makes all its steps.
  uaspl::Training training_{.stop_below = 0.0, .step = {}};
  uaspl::Inputs inputs_{uaspl::Matrix()};
  std::unique_ptr<uaspl::Mlp> net_;
  std::vector<double> seconds_;
  std::array<double, kMassKinds> masses_{kNever, kNever};
};

void print_csv(const std::vector<Case>& cases) {
  fmt::print("what,rows,columns,classes,seconds,share\n");
  for (const Case& one : cases) {
    for (std::size_t m = 0; m < uaspl::methods().size(); ++m)
      fmt::print("{},{},{},{}\n", uaspl::methods()[m].name, one.name(), one.seconds(m),
                 one.relative(m));
    for (std::size_t kind = 0; kind < kMassKinds; ++kind)
      fmt::print("{},{},{},{}\n", kMassNames[kind], one.name(), one.mass_seconds(kind),
                 one.mass_share(kind));
  }
}

void print_table(const std::vector<Case>& cases) {
  const auto print_line = [&](std::string_view name, int digits, const auto& value) {
    fmt::print("{:<22}", name);
    for (const Case& one : cases) fmt::print("{:>12.{}f}", value(one), digits);
    fmt::print("\n");
  };
  fmt::print("a fit (6 x 150 steps) relative to direct, by rows,columns,classes\n{:<22}", "");
  for (const Case& one : cases) fmt::print("{:>12}", one.name());
  fmt::print("\n");
  print_line("direct, milliseconds", 1, [](const Case& one) { return one.milliseconds(); });
  for (std::size_t m = 0; m < uaspl::methods().size(); ++m)
    print_line(uaspl::methods()[m].name, 2, [&](const Case& one) { return one.relative(m); });
  for (std::size_t kind = 0; kind < kMassKinds; ++kind)
    print_line(fmt::format("{}, % of {}", kMassNames[kind], kMassUsers[kind]), 2,
               [&](const Case& one) { return 100.0 * one.mass_share(kind); });
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const std::size_t rounds = arguments.number(0, 3);
  const std::size_t shapes = arguments.number(1, 3);
  if (rounds < 1 || shapes < 1) {
    fmt::print(stderr, "usage: bench_methods [--csv] [ROUNDS=3] [SHAPES=3]\n");
    return 2;
  }
  std::vector<Case> cases;
  cases.emplace_back(89, 13, 3);
  if (shapes > 1) cases.emplace_back(374, 4, 2);
  if (shapes > 2) cases.emplace_back(2391, 21, 3);
  for (std::size_t round = 0; round < rounds; ++round)
    for (Case& one : cases) one.measure();
  if (arguments.csv()) {
    print_csv(cases);
  } else {
    print_table(cases);
  }
  return 0;
}
