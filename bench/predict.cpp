// Predictions from memory: one row at a time, many at a time, and from several threads that share
// one predictor. 9 inputs, two hidden layers of 128, three classes.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/model/predictor.hpp"

namespace {

using namespace uaspl;

constexpr std::size_t kColumns = 9;

Model make_model() {
  TableEncoder encoder;
  encoder.scaler = {std::vector<double>(kColumns, 0.5), std::vector<double>(kColumns, 2.0)};
  for (std::size_t j = 0; j < kColumns; ++j)
    encoder.schema.features.push_back({fmt::format("c{}", j)});
  const NetworkKind kind{"mlp", {128, 128}};
  Model model;
  model.target = {"class", {"a", "b", "c"}};
  model.encoder = encoder;
  model.members.push_back({kind, make_network(kind, encoder, 3, 2025)->save()});
  model.readout.evidence = Evidence::kRelu;
  return model;
}

DoubleMatrix make_rows(std::size_t count) {
  DoubleMatrix rows(count, kColumns);
  Stream stream(1, "rows");
  for (double& x : rows.values()) x = 4.0 * stream.uniform() - 2.0;
  return rows;
}

// The best of several rounds, in microseconds a row.
template <typename Work>
double best_microseconds(std::size_t rounds, std::size_t rows, const Work& work) {
  double best = kNever;
  for (std::size_t r = 0; r < rounds; ++r) {
    const auto start = Clock::now();
    work();
    best = std::min(best, 1e6 * seconds_since(start) / static_cast<double>(rows));
  }
  return best;
}

double threads_microseconds(const Predictor& predictor, std::size_t rounds, std::size_t threads) {
  constexpr std::size_t kCalls = 20000;
  return best_microseconds(rounds, kCalls, [&] {
    std::vector<std::jthread> all;
    for (std::size_t t = 0; t < threads; ++t)
      all.emplace_back([&] {
        const DoubleMatrix row = make_rows(1);
        for (std::size_t i = 0; i < kCalls; ++i) predictor.predict(row);
      });
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const std::size_t rounds = arguments.number(0, 20);
  if (rounds < 1) {
    fmt::print(stderr, "usage: bench_predict [ROUNDS]\n");
    return 2;
  }
  try {
    const Predictor predictor(make_model());
    const DoubleMatrix one = make_rows(1);
    const DoubleMatrix many = make_rows(4096);
    NamedRow named;
    for (std::size_t j = 0; j < kColumns; ++j) named.emplace(fmt::format("c{}", j), 0.25);
    constexpr std::size_t kCalls = 10000;
    const auto repeat = [&](const auto& work) {
      return best_microseconds(rounds, kCalls, [&] {
        for (std::size_t i = 0; i < kCalls; ++i) work();
      });
    };
    fmt::print("case,microseconds\n");
    fmt::print("one row,{:.4f}\n", repeat([&] { predictor.predict(one); }));
    fmt::print("one row by names,{:.4f}\n", repeat([&] { predictor.predict_row(named); }));
    fmt::print("a row of 4096,{:.4f}\n",
               best_microseconds(rounds, many.rows(), [&] { predictor.predict(many); }));
    fmt::print("one row; two threads at once,{:.4f}\n",
               threads_microseconds(predictor, std::max<std::size_t>(1, rounds / 4), 2));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_predict: {}\n", error.what());
    return 1;
  }
}
