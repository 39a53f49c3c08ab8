// Breiman's three waves, see waveform.hpp.
#include "uaspl/data/table/waveform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "uaspl/base/rng.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kValues = 21;

// Triangle of height 6 with its top at 11, 15 or 7; i = 1..21.
double wave(std::size_t which, double i) {
  constexpr double kTops[] = {11.0, 15.0, 7.0};
  return std::max(6.0 - std::abs(i - kTops[which]), 0.0);
}

}  // namespace

Dataset make_waveform(std::size_t rows, std::uint64_t seed) {
  // The classes are numbered as in the UCI file that the paper uses.
  constexpr std::pair<std::size_t, std::size_t> kWaves[] = {{0, 1}, {1, 2}, {0, 2}};
  Dataset data;
  data.name = "waveform";
  data.target = {"target", {"0", "1", "2"}};
  Table& table = data.table();
  for (std::size_t j = 1; j <= kValues; ++j)
    table.schema.features.push_back({fmt::format("f{}", j), {}});
  table.features = DoubleMatrix(rows, kValues);
  for (std::size_t i = 0; i < rows; ++i) {
    Stream stream(seed, "waveform", i);
    const std::size_t label = stream.below(3);
    const auto [a, b] = kWaves[label];
    const double share = stream.uniform();
    data.labels.push_back(static_cast<int>(label));
    for (std::size_t j = 0; j < kValues; ++j) {
      const auto place = static_cast<double>(j + 1);
      const double value =
          share * wave(a, place) + (1.0 - share) * wave(b, place) + stream.normal();
      table.features(i, j) = std::round(value * 100.0) / 100.0;
    }
  }
  return data;
}

}  // namespace uaspl
