// A trained model: all that is needed to use it on a CSV file or on images; saved and loaded.
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
#include "uaspl/data/transform.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/net/network.hpp"
#include "uaspl/train/metrics.hpp"

namespace uaspl {

// What a network for images expects.
struct ImageInput {
  std::string network;  // see deep_networks()
  ImageShape shape;
  ImageTransform transform;
};

struct Model {
  Schema schema;
  Scaler scaler;
  std::vector<std::size_t> hidden;
  std::optional<ImageInput> images;  // instead of columns, scaler and hidden layers
  std::vector<State> networks;       // one; committees will have more

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

}  // namespace uaspl
