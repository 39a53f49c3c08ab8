// Time of one training step (forward, evidential loss, backward, SGD) as a share of the FMA peak,
// and on several threads against one; peak, one and several are measured in turn in the same run,
// and so are two networks that have nothing to do with each other: what the machine's second
// processor is worth at that time.
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
#include "uaspl/net/kernels.hpp"
#include "uaspl/net/mlp.hpp"

namespace {

// A network with its rows, ready to be stepped.
class Stepper {
 public:
  Stepper(std::size_t n, const uaspl::MlpShape& shape,
          std::shared_ptr<uaspl::Workers> workers = nullptr)
      : rows_(n), labels_(n), loss_(n) {
    uaspl::Stream stream(1, "bench");
    auto inputs = std::make_shared<uaspl::Matrix>(n, shape.inputs);
    for (float& x : inputs->values()) x = static_cast<float>(4.0 * stream.uniform() - 2.0);
    for (int& label : labels_) label = static_cast<int>(stream.below(shape.classes));
    std::iota(rows_.begin(), rows_.end(), 0);
    net_ = std::make_unique<uaspl::Mlp>(inputs, shape, 2025, std::move(workers));
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

  // Keeps the best.
  void measure() { seconds_ = std::min(seconds_, mean_seconds()); }

  double seconds() const { return seconds_; }
  uaspl::State state() const { return net_->save(); }

 private:
  std::vector<int> rows_;
  std::vector<int> labels_;
  std::vector<float> loss_;
  std::unique_ptr<uaspl::Mlp> net_;
  uaspl::Loss uaspl_ = uaspl::find_loss("uaspl").make(uaspl::Evidence::kRelu);
  double seconds_ = kNever;
};

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
    one_.measure();
    several_.measure();
    double beside = 0.0;
    std::thread second([&] { beside = other_.mean_seconds(); });
    const double here = one_.mean_seconds();
    second.join();
    apart_ = std::min(apart_, 1.0 / (1.0 / here + 1.0 / beside));
  }

  std::string csv_line(double peak) const {
    return fmt::format("{},{},{},{},{},{},{},{},{}", n_, shape_.inputs, shape_.classes,
                       one_.seconds(), flops() / one_.seconds() / peak, several_.seconds(),
                       one_.seconds() / several_.seconds(), one_.seconds() / apart_,
                       same_bits_ ? 1 : 0);
  }

  std::string table_line(double peak) const {
    return fmt::format(
        "{:>6} {:>4} {:>3} {:>11.1f} {:>9.1f} {:>8.1f}% {:>11.1f} {:>7.2f}x {:>9.2f}x {:>9}", n_,
        shape_.inputs, shape_.classes, one_.seconds() * 1e6, flops() / one_.seconds() * 1e-9,
        100.0 * flops() / one_.seconds() / peak, several_.seconds() * 1e6,
        one_.seconds() / several_.seconds(), one_.seconds() / apart_, same_bits_ ? "yes" : "NO");
  }

 private:
  double flops() const { return uaspl::Mlp::step_flops(n_, shape_); }

  std::size_t n_;
  uaspl::MlpShape shape_;
  Stepper one_;
  Stepper other_;  // beside it
  Stepper several_;
  double apart_ = kNever;  // seconds a step of two networks on two threads
  bool same_bits_ = false;
};

double measure_peak() {
  const auto start = Clock::now();
  double operations = 0.0;
  for (int i = 0; i < 20; ++i) operations += spend_fused_multiply_adds();
  return operations / seconds_since(start);
}

void print_csv(const std::vector<Case>& cases, double peak) {
  fmt::print(
      "target,peak,rows,columns,classes,seconds,share,threads_seconds,speedup,apart,same_bits\n");
  for (const Case& one : cases)
    fmt::print("{},{},{}\n", uaspl::kernels::target_name(), peak, one.csv_line(peak));
}

void print_table(const std::vector<Case>& cases, double peak, std::size_t threads) {
  fmt::print("{}, FMA peak of one core {:.1f} GFLOPS\n", uaspl::kernels::target_name(),
             peak * 1e-9);
  fmt::print("{:>6} {:>4} {:>3} {:>11} {:>9} {:>9} {:>11} {:>8} {:>10} {:>9}\n", "rows", "d", "K",
             "microsec.", "GFLOPS", "of peak", fmt::format("{} threads", threads), "", "2 apart",
             "same bits");
  for (const Case& one : cases) fmt::print("{}\n", one.table_line(peak));
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
  double peak = 0.0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Case& one : cases) {
      peak = std::max(peak, measure_peak());
      one.measure();
    }
  }
  if (arguments.csv()) {
    print_csv(cases, peak);
  } else {
    print_table(cases, peak, threads);
  }
  return 0;
}
