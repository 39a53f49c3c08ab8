// What several tests need: reference values, random matrices, a slow network in double to compare
// with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tests/paths.hpp"
#include "uaspl/base/matrix.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/dataset.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl::testing {

inline nlohmann::json reference(const std::string& name) {
  std::ifstream stream(reference_folder() / name);
  return nlohmann::json::parse(stream);
}

// The folder of data sets, where the machine has one.
inline std::optional<std::filesystem::path> data_folder() {
  const char* folder = std::getenv("UASPL_DATA");
  if (!folder || !std::filesystem::exists(folder)) return std::nullopt;
  return folder;
}

inline Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed,
                            double scale = 1.0) {
  Matrix m(rows, cols);
  Stream stream(seed, "test matrix");
  for (float& x : m.values()) x = static_cast<float>(scale * (2.0 * stream.uniform() - 1.0));
  return m;
}

inline std::vector<int> random_labels(std::size_t rows, std::size_t classes, std::uint64_t seed) {
  std::vector<int> labels(rows);
  Stream stream(seed, "test labels");
  for (int& label : labels) label = static_cast<int>(stream.below(classes));
  return labels;
}

inline std::vector<int> first_rows(std::size_t n) {
  std::vector<int> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Two or more overlapping clouds of points: something to learn, and something to get wrong.
struct Clouds {
  Inputs inputs;
  std::vector<int> labels;
  std::vector<int> rows;
  const Matrix& points() const { return inputs.matrix(); }
  Batch batch() const { return {inputs, rows}; }  // all rows
};
inline Clouds make_clouds(std::size_t n, std::size_t d, std::size_t classes, std::uint64_t seed) {
  Matrix points = random_matrix(n, d, seed, 1.5);
  std::vector<int> labels = random_labels(n, classes, seed);
  for (std::size_t k = 0; k < classes && k < n; ++k) labels[k] = static_cast<int>(k);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(labels[i]);
    points(i, k % d) += k / d % 2 == 0 ? 1.0F : -1.0F;
  }
  return {Inputs(std::move(points)), std::move(labels), first_rows(n)};
}

// Two such clouds as a data set.
inline Dataset cloud_set(const std::string& name, std::size_t rows) {
  const auto clouds = make_clouds(rows, 3, 2, rows);
  Dataset data;
  data.name = name;
  data.labels = clouds.labels;
  data.table().features = DoubleMatrix(rows, 3);
  std::ranges::copy(clouds.points().values(), data.table().features.values().begin());
  data.table().schema.features = {{"x"}, {"y"}, {"z"}};
  return data;
}

// A folder of one's own, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "uaspl_XXXXXX") {
    std::string name = path_.string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Logits of a network's saved weights, in double, by the definition.
inline DoubleMatrix slow_logits(const State& state, const Matrix& inputs) {
  DoubleMatrix values(inputs.rows(), inputs.cols());
  std::copy(inputs.values().begin(), inputs.values().end(), values.values().begin());
  for (std::size_t l = 1; state.contains("fc" + std::to_string(l) + ".weight"); ++l) {
    const std::string name = "fc" + std::to_string(l);
    const Tensor& weight = state.at(name + ".weight");
    const Tensor& bias = state.at(name + ".bias");
    const bool last = !state.contains("fc" + std::to_string(l + 1) + ".weight");
    DoubleMatrix next(values.rows(), weight.shape[0]);
    for (std::size_t i = 0; i < next.rows(); ++i) {
      for (std::size_t o = 0; o < next.cols(); ++o) {
        double z = bias.values[o];
        for (std::size_t j = 0; j < values.cols(); ++j)
          z += values(i, j) * static_cast<double>(weight.values[o * values.cols() + j]);
        next(i, o) = last ? z : 0.5 * z * std::erfc(-z / std::sqrt(2.0));
      }
    }
    values = std::move(next);
  }
  return values;
}

}  // namespace uaspl::testing
