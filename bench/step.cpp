// Time of one training step (forward, evidential loss, backward, SGD) as a share of the FMA peak
// that is measured in the same run, interleaved with it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/peak.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/net/kernels.hpp"
#include "uaspl/net/mlp.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One data shape with its network, ready to be stepped.
class Case {
 public:
  Case(std::size_t n, std::size_t d, std::size_t k, std::shared_ptr<uaspl::Workers> workers)
      : shape_{.inputs = d, .classes = k}, rows_(n), labels_(n), loss_(n) {
    uaspl::Stream stream(1, "bench");
    auto inputs = std::make_shared<uaspl::Matrix>(n, d);
    for (float& x : inputs->values()) x = static_cast<float>(4.0 * stream.uniform() - 2.0);
    for (int& label : labels_) label = static_cast<int>(stream.below(k));
    std::iota(rows_.begin(), rows_.end(), 0);
    net_ = std::make_unique<uaspl::Mlp>(inputs, shape_, 2025, std::move(workers));
  }

  void step() {
    const float scale = 1.0F / static_cast<float>(rows_.size());
    net_->update({rows_}, {.rate = 0.01F},
                 [&](std::size_t first, const uaspl::Matrix& logits, uaspl::Matrix& dlogits) {
                   const std::size_t n = logits.rows();
                   uaspl_(logits, std::span(labels_).subspan(first, n),
                          std::span(loss_).subspan(first, n), &dlogits);
                   for (float& g : dlogits.values()) g *= scale;
                 });
  }

  // Best mean time of a step over a short while.
  void measure() {
    constexpr double kWhile = 0.02;
    int steps = 0;
    const auto start = Clock::now();
    do {
      step();
      ++steps;
    } while (seconds_since(start) < kWhile);
    seconds_ = std::min(seconds_, seconds_since(start) / steps);
  }

  std::string line(double peak) const {
    const double flops = uaspl::Mlp::step_flops(rows_.size(), shape_);
    return fmt::format("{:>6} {:>4} {:>3} {:>11.1f} {:>9.1f} {:>8.1f}%", rows_.size(),
                       shape_.inputs, shape_.classes, seconds_ * 1e6, flops / seconds_ * 1e-9,
                       100.0 * flops / seconds_ / peak);
  }

 private:
  uaspl::MlpShape shape_;
  std::vector<int> rows_;
  std::vector<int> labels_;
  std::vector<float> loss_;
  std::unique_ptr<uaspl::Mlp> net_;
  uaspl::Loss uaspl_ = uaspl::find_loss("uaspl").make(uaspl::Evidence::kRelu);
  double seconds_ = std::numeric_limits<double>::infinity();
};

double measure_peak() {
  const auto start = Clock::now();
  double operations = 0.0;
  for (int i = 0; i < 20; ++i) operations += spend_fused_multiply_adds();
  return operations / seconds_since(start);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (rounds < 1 || threads < 1) {
    fmt::print(stderr, "usage: bench_step [ROUNDS=30] [THREADS=1]\n");
    return 2;
  }
  const auto workers =
      threads > 1 ? std::make_shared<uaspl::Workers>(static_cast<std::size_t>(threads)) : nullptr;
  std::vector<Case> cases;
  for (const auto& [n, d, k] : {std::array<std::size_t, 3>{40, 5, 2},
                                {89, 13, 3},
                                {175, 34, 2},
                                {374, 4, 2},
                                {970, 28, 2},
                                {2391, 21, 3}})
    cases.emplace_back(n, d, k, workers);
  double peak = 0.0;
  for (int round = 0; round < rounds; ++round) {
    peak = std::max(peak, measure_peak());
    for (Case& one : cases) one.measure();
  }
  fmt::print("{}, {} thread(s), FMA peak of one core {:.1f} GFLOPS\n",
             uaspl::kernels::target_name(), threads, peak * 1e-9);
  fmt::print("{:>6} {:>4} {:>3} {:>11} {:>9} {:>9}\n", "rows", "d", "K", "microsec.", "GFLOPS",
             "of peak");
  for (const Case& one : cases) fmt::print("{}\n", one.line(peak));
  return 0;
}
