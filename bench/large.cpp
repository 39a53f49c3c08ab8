// Large data: reading a CSV file, and the passes of mini-batch training over many rows. Memory is
// watched from outside, by bench/compare.
#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/train/trainer.hpp"

namespace {

using namespace uaspl;

void load(const std::string& file) {
  const auto start = Clock::now();
  const Dataset data = load_dataset(file);
  const double seconds = seconds_since(start);
  fmt::print("rows,columns,seconds\n{},{},{:.6f}\n", data.rows(), data.table().features.cols(),
             seconds);
}

// Times the passes alone: the choice of the rows before them is not theirs.
class PassClock final : public Observer {
 public:
  void on_stage_start(const Stage&, const Probe&, const StageRows&) override {
    start_ = Clock::now();
  }
  void on_pass(int, int, double) override {
    seconds_ = seconds_since(start_);
    ++passes_;
  }
  double seconds_a_pass() const { return seconds_ / passes_; }

 private:
  Clock::time_point start_;
  double seconds_ = 0.0;
  int passes_ = 0;
};

void train(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t passes) {
  Stream stream(1, "large");
  std::vector<int> labels(rows);
  Matrix points(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    labels[i] = static_cast<int>(stream.below(2));
    for (float& x : points.row(i))
      x = static_cast<float>(4.0 * stream.uniform() - 2.0 + 0.3 * labels[i]);
  }
  std::vector<int> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Inputs inputs(std::move(points));
  Mlp network({.inputs = columns, .classes = 2}, 2025);
  const auto method = choose_methods(std::vector<std::string>{"uaspl"}).front().make();
  const Training training{.stages = 1,
                          .first_share = 1.0,
                          .passes = static_cast<int>(passes),
                          .batch = batch,
                          .stop_below = 0.0,
                          .step = {.rate = 0.01F}};
  PassClock clock;
  fit(network, *method, {&inputs, numbers, labels, 2}, training, &clock);
  fmt::print("rows,columns,seconds_a_pass\n{},{},{:.6f}\n", rows, columns, clock.seconds_a_pass());
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const std::string what = arguments.text(0, "");
  try {
    if (what == "load" && arguments.size() == 2) {
      load(arguments.text(1, ""));
      return 0;
    }
    const auto number = [&](std::size_t place) { return arguments.number(place, 0); };
    if (what == "train" && number(1) > 0 && number(2) > 0 && number(3) > 0 && number(4) > 0) {
      train(number(1), number(2), number(3), number(4));
      return 0;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_large: {}\n", error.what());
    return 1;
  }
  fmt::print(stderr,
             "usage: bench_large load FILE.csv\n"
             "       bench_large train ROWS COLUMNS BATCH PASSES\n");
  return 2;
}
