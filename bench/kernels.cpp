// Where the time of a training step goes: each of its vector kernels alone, on a block of rows in
// the layout of the native network, and products as a share of the FMA peak.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/peak.hpp"
#include "bench/support.hpp"
#include "uaspl/base/aligned.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/net/mlp/kernels.hpp"
#include "uaspl/net/mlp/layout.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace {

using namespace uaspl;
using namespace uaspl::kernels;

constexpr std::size_t kHidden = 128;

AlignedVector<float> random_values(std::size_t count) {
  static Stream stream(1, "kernels");
  AlignedVector<float> values(count);
  for (float& x : values) x = static_cast<float>(stream.uniform() - 0.5);
  return values;
}

double best_seconds(const std::function<void()>& task) {
  double best = kNever;
  for (int round = 0; round < 30; ++round) {
    int times = 0;
    const auto start = Clock::now();
    do {
      task();
      ++times;
    } while (seconds_since(start) < 0.002);
    best = std::min(best, seconds_since(start) / times);
  }
  return best;
}

double best_peak() {
  double best = 0.0;
  for (int round = 0; round < 50; ++round) {
    const auto start = Clock::now();
    const double operations = spend_fused_multiply_adds();
    best = std::max(best, operations / seconds_since(start));
  }
  return best;
}

// A block of n rows in d-128-128-K.
class Block {
 public:
  Block(std::size_t n, std::size_t d, std::size_t classes)
      : n_(n), d_(d), shape_{.inputs = d, .hidden = {kHidden, kHidden}, .classes = classes} {}

  void print(double peak) {
    fmt::print("\n{} rows, {} columns, {} classes\n", n_, d_, shape_.classes);
    parameters_.weights = random_values(layout_.size());
    parameters_.momentum = random_values(layout_.size());
    layout_.transpose(parameters_);
    measure();
    double sum = 0.0;
    for (const Line& line : lines_) sum += line.seconds;
    for (const Line& line : lines_)
      fmt::print("{:<34} {:>8.2f} us {:>6.1f} %  {}\n", line.what, line.seconds * 1e6,
                 100.0 * line.seconds / sum,
                 line.flops > 0.0
                     ? fmt::format("{:.0f} % of the peak", 100.0 * line.flops / line.seconds / peak)
                     : "");
    const double flops = Mlp::step_flops(n_, shape_);
    fmt::print("{:<34} {:>8.2f} us           {:.0f} % of the peak\n", "all", sum * 1e6,
               100.0 * flops / sum / peak);
  }

 private:
  struct Line {
    std::string what;
    double seconds;
    double flops;  // of products; 0 for the rest
  };

  void add(const char* what, double flops, const std::function<void()>& task) {
    lines_.push_back({what, best_seconds(task), flops});
  }

  // Kernels that work in place: values are put there again before, which is not in the time.
  void add_in_place(const char* what, const std::vector<AlignedVector<float>*>& values,
                    const std::function<void()>& task) {
    const auto renew = [&] {
      for (AlignedVector<float>* one : values) std::ranges::copy(before_, one->begin());
    };
    const double renewing = best_seconds(renew);
    lines_.push_back({what, best_seconds([&] { renew(), task(); }) - renewing, 0.0});
  }

  void measure() {
    const auto rows = static_cast<double>(n_);
    const double first = 2.0 * rows * static_cast<double>(d_ * kHidden);
    const double second = 2.0 * rows * static_cast<double>(kHidden * kHidden);
    const MlpLayer& one = layout_.layers()[0];
    const MlpLayer& two = layout_.layers()[1];
    add("products forward, first layer", first, [&] { forward(one, x_, d_, a1_); });
    add("products forward, second layer", second, [&] { forward(two, a1_, kHidden, a2_); });
    add_in_place("GELU, both layers", {&a1_, &a2_}, [&] {
      gelu({a1_.data(), n_, kHidden, stride_}, s1_.data());
      gelu({a2_.data(), n_, kHidden, stride_}, s2_.data());
    });
    const Head head{&parameters_.weights[layout_.layers()[2].panels[0].offset], stride_,
                    shape_.classes};
    add_in_place("output layer", {&s2_}, [&] {
      head_forward({a2_.data(), n_, padded_width(kHidden + 1), stride_}, head,
                   logits_.values().data());
      head_backward({s2_.data(), n_, kHidden, stride_}, head, dlogits_.values().data());
      head_gradient({a2_.data(), n_, padded_width(kHidden + 1), stride_}, head,
                    dlogits_.values().data(), gradient_.data(), false);
    });
    add("loss", 0.0, [&] { loss_(logits_, labels_, losses_, &dlogits_); });
    std::ranges::copy(before_, s2_.begin());
    add("products back", second, [&] {
      for (const MlpPanel& panel : two.transposed)
        multiply({n_,
                  panel.stride,
                  kHidden,
                  {s2_.data(), stride_, 1},
                  &parameters_.transposed[1][panel.offset],
                  panel.stride,
                  &s1_[panel.columns.begin],
                  stride_,
                  Into::kStore});
    });
    add("weight gradient, first layer", first, [&] { weight_gradient(one, x_, d_, s1_); });
    add("weight gradient, second layer", second, [&] { weight_gradient(two, a1_, kHidden, s2_); });
    gradient_ = random_values(layout_.size());
    add("SGD and transposition", 0.0, [&] {
      for (const MlpLayer& layer : layout_.layers())
        for (const MlpPanel& panel : layer.panels) {
          sgd_step({&parameters_.weights[panel.offset], panel.size},
                   {&parameters_.momentum[panel.offset], panel.size}, &gradient_[panel.offset],
                   {1e-3F, 0.9F, 5e-4F, false});
          layout_.transpose(panel, parameters_);
        }
    });
  }

  void forward(const MlpLayer& layer, AlignedVector<float>& from, std::size_t width,
               AlignedVector<float>& to) {
    for (const MlpPanel& panel : layer.panels)
      multiply({n_,
                panel.stride,
                layer.in + 1,
                {from.data(), row_stride(width), 1},
                &parameters_.weights[panel.offset],
                panel.stride,
                &to[panel.columns.begin],
                stride_,
                Into::kStore});
  }

  void weight_gradient(const MlpLayer& layer, AlignedVector<float>& values, std::size_t width,
                       AlignedVector<float>& slopes) {
    for (const MlpPanel& panel : layer.panels)
      multiply({layer.in + 1,
                panel.stride,
                n_,
                {values.data(), 1, row_stride(width)},
                &slopes[panel.columns.begin],
                stride_,
                &gradient_[panel.offset],
                panel.stride,
                Into::kStore});
  }

  std::size_t n_;
  std::size_t d_;
  MlpShape shape_;
  MlpLayout layout_{shape_};
  MlpParameters parameters_;
  std::size_t stride_ = row_stride(kHidden);
  AlignedVector<float> x_ = random_values(n_ * row_stride(d_));
  AlignedVector<float> before_ = random_values(n_ * stride_);
  AlignedVector<float> a1_ = before_, s1_ = before_, a2_ = before_, s2_ = before_;
  AlignedVector<float> gradient_ = random_values(layout_.size());
  Matrix logits_{n_, shape_.classes};
  Matrix dlogits_{n_, shape_.classes};
  std::vector<int> labels_ = std::vector<int>(n_);
  std::vector<float> losses_ = std::vector<float>(n_);
  Loss loss_ = find_loss("uaspl").make(Evidence::kRelu);
  std::vector<Line> lines_;
};

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);  // for the instruction set of the environment
  const double peak = best_peak();
  fmt::print("{}, FMA peak of one core {:.1f} GFLOPS\n", target_name(), peak * 1e-9);
  for (const auto& [n, d, classes] :
       {std::array<std::size_t, 3>{40, 5, 2}, {89, 13, 3}, {192, 21, 3}})
    Block(n, d, classes).print(peak);
  return 0;
}
