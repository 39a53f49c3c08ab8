// Time of one training step (forward, evidential loss, backward, SGD) as a share of the FMA peak,
// and on several threads against one; peak, one and several are measured in turn in the same run,
// and so are two networks that have nothing to do with each other: what the machine's second
// processor is worth at that time. Processors change their clock: a step is compared with the peak
// just before and after it, and the median of the rounds counts. They have other work, too, and two
// threads wait for the slower one: of those, the best times count.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "bench/peak.hpp"
#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/net/mlp/kernels.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace {

// A network with its rows, ready to be stepped.
class Stepper {
 public:
  Stepper(std::size_t n, const uaspl::MlpShape& shape,
          std::shared_ptr<uaspl::Workers> workers = nullptr)
      : rows_(n), labels_(n), loss_(n) {
    uaspl::Stream stream(1, "bench");
    uaspl::Matrix points(n, shape.inputs);
    for (float& x : points.values()) x = static_cast<float>(4.0 * stream.uniform() - 2.0);
    for (int& label : labels_) label = static_cast<int>(stream.below(shape.classes));
    std::iota(rows_.begin(), rows_.end(), 0);
    inputs_ = uaspl::Inputs(std::move(points));
    net_ = std::make_unique<uaspl::Mlp>(shape, 2025, std::move(workers));
  }

  void step() {
    const float scale = 1.0F / static_cast<float>(rows_.size());
    net_->update({inputs_, rows_}, {.rate = 0.01F},
                 [&](std::size_t first, const uaspl::Matrix& logits, uaspl::Matrix& dlogits) {
                   const std::size_t n = logits.rows();
                   uaspl_(logits, std::span(labels_).subspan(first, n),
                          std::span(loss_).subspan(first, n), &dlogits);
                   for (float& g : dlogits.values()) g *= scale;
                 });
  }

  // Mean time of a step over a short while.
  double mean_seconds() {
    constexpr double kWhile = 0.02;
    int steps = 0;
    const auto start = Clock::now();
    do {
      step();
      ++steps;
    } while (seconds_since(start) < kWhile);
    return seconds_since(start) / steps;
  }

  uaspl::State state() const { return net_->save(); }

 private:
  uaspl::Inputs inputs_{uaspl::Matrix()};
  std::vector<int> rows_;
  std::vector<int> labels_;
  std::vector<float> loss_;
  std::unique_ptr<uaspl::Mlp> net_;
  uaspl::Loss uaspl_ = uaspl::find_loss("uaspl").make(uaspl::Evidence::kRelu);
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

double measure_peak() {
  const auto start = Clock::now();
  double operations = 0.0;
  for (int i = 0; i < 20; ++i) operations += spend_fused_multiply_adds();
  return operations / seconds_since(start);
}

bool equal(const uaspl::State& a, const uaspl::State& b) {
  const auto bits = [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  };
  return std::ranges::equal(a, b, [&](const auto& left, const auto& right) {
    return left.first == right.first &&
           std::ranges::equal(left.second.values, right.second.values, bits);
  });
}

// One data shape, on one thread and on several.
class Case {
 public:
  Case(std::size_t n, std::size_t d, std::size_t k, const std::shared_ptr<uaspl::Workers>& workers)
      : n_(n),
        shape_{.inputs = d, .classes = k},
        one_(n, shape_),
        other_(n, shape_),
        several_(n, shape_, workers) {
    for (int i = 0; i < 5; ++i) {
      one_.step();
      several_.step();
    }
    same_bits_ = equal(one_.state(), several_.state());
  }

  void measure() {
    const double before = measure_peak();
    const double one = one_.mean_seconds();
    const double peak = (before + measure_peak()) / 2.0;
    const double several = several_.mean_seconds();
    double beside = 0.0;
    std::thread second([&] { beside = other_.mean_seconds(); });
    const double here = one_.mean_seconds();
    second.join();
    peaks_.push_back(peak);
    seconds_.push_back(one);
    shares_.push_back(flops() / one / peak);
    several_seconds_ = std::min(several_seconds_, several);
    apart_seconds_ = std::min(apart_seconds_, 1.0 / (1.0 / here + 1.0 / beside));
  }

  double peak() const { return median(peaks_); }

  std::string csv_line() const {
    return fmt::format("{},{},{},{},{},{},{},{}", n_, shape_.inputs, shape_.classes,
                       median(seconds_), median(shares_), fastest() / several_seconds_,
                       fastest() / apart_seconds_, same_bits_ ? 1 : 0);
  }

  std::string table_line() const {
    return fmt::format("{:>6} {:>4} {:>3} {:>11.1f} {:>9.1f} {:>8.1f}% {:>9.2f}x {:>9.2f}x {:>9}",
                       n_, shape_.inputs, shape_.classes, median(seconds_) * 1e6,
                       flops() / median(seconds_) * 1e-9, 100.0 * median(shares_),
                       fastest() / several_seconds_, fastest() / apart_seconds_,
                       same_bits_ ? "yes" : "NO");
  }

 private:
  double fastest() const { return std::ranges::min(seconds_); }
  double flops() const { return uaspl::Mlp::step_flops(n_, shape_); }

  std::size_t n_;
  uaspl::MlpShape shape_;
  Stepper one_;
  Stepper other_;  // beside it
  Stepper several_;
  double several_seconds_ = kNever;
  double apart_seconds_ = kNever;  // a step of two networks on two threads
  // A round each.
  std::vector<double> peaks_;
  std::vector<double> seconds_;
  std::vector<double> shares_;
  bool same_bits_ = false;
};

void print_csv(const std::vector<Case>& cases) {
  fmt::print("target,peak,rows,columns,classes,seconds,share,speedup,apart,same_bits\n");
  for (const Case& one : cases)
    fmt::print("{},{},{}\n", uaspl::kernels::target_name(), one.peak(), one.csv_line());
}

void print_table(const std::vector<Case>& cases, std::size_t threads) {
  fmt::print("{}, FMA peak of one core {:.1f} GFLOPS\n", uaspl::kernels::target_name(),
             cases.front().peak() * 1e-9);
  fmt::print("{:>6} {:>4} {:>3} {:>11} {:>9} {:>9} {:>10} {:>10} {:>9}\n", "rows", "d", "K",
             "microsec.", "GFLOPS", "of peak", fmt::format("{} threads", threads), "2 apart",
             "same bits");
  for (const Case& one : cases) fmt::print("{}\n", one.table_line());
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  if (arguments.text(0, "") == "--target") {
    fmt::print("{}\n", uaspl::kernels::target_name());
    return 0;
  }
  const std::size_t rounds = arguments.number(0, 30);
  const std::size_t threads = arguments.number(1, 2);
  if (rounds < 1 || threads < 1) {
    fmt::print(stderr, "usage: bench_step [--csv] [ROUNDS=30] [THREADS=2] | --target\n");
    return 2;
  }
  const auto workers = std::make_shared<uaspl::Workers>(threads);
  std::vector<Case> cases;
  for (const auto& [n, d, k] : {std::array<std::size_t, 3>{40, 5, 2},
                                {89, 13, 3},
                                {175, 34, 2},
                                {374, 4, 2},
                                {970, 28, 2},
                                {2391, 21, 3}})
    cases.emplace_back(n, d, k, workers);
  for (std::size_t round = 0; round < rounds; ++round)
    for (Case& one : cases) one.measure();
  if (arguments.csv()) {
    print_csv(cases);
  } else {
    print_table(cases, threads);
  }
  return 0;
}
