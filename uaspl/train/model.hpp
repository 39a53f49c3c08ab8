// A trained model: what predicts, and all that is needed to use it on a CSV file; saved and loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/encode.hpp"
#include "uaspl/data/schema.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/net/mlp.hpp"
#include "uaspl/train/metrics.hpp"

namespace uaspl {

struct Model {
  Schema schema;
  Scaler scaler;
  std::vector<std::size_t> hidden;
  std::vector<State> networks;  // one; committees will have more

  // How the logits are read; none: softmax.
  std::optional<Evidence> evidence;

  // Where it comes from.
  std::string method;
  std::map<std::string, std::string> configuration;  // options and training, for people
  std::uint32_t seed = 0;
  std::size_t rows = 0;     // it was trained on
  std::string data_sha256;  // of the file that they came from
  std::string version;      // of the library that made it
  std::optional<Metrics> held_out;
};

std::string write_model(const Model& model);
// Every part is checked; `name` stands for the file in errors.
Model read_model(std::string_view bytes, std::string_view name);

void save_model(const Model& model, const std::filesystem::path& file);
Model load_model(const std::filesystem::path& file);

struct Predictions {
  std::vector<int> labels;     // argmax of the logits
  Matrix probabilities;        // mean of the Dirichlet distribution, or softmax
  std::vector<float> vacuity;  // K / S; empty for softmax models
  std::vector<float> entropy;  // of the probabilities, in nats
};

class Predictor {
 public:
  explicit Predictor(const Model& model);

  // `features` as the model's schema encodes them, not scaled.
  Predictions predict(const DoubleMatrix& features);
  // Of some rows. Beside the result, memory does not depend on how many they are.
  Predictions predict(const DoubleMatrix& features, std::span<const int> rows);

 private:
  void predict_block(const Matrix& logits, Predictions& result) const;

  Scaler scaler_;
  std::optional<Evidence> evidence_;
  Mlp network_;
};

}  // namespace uaspl
