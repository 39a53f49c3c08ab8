// Defines a trained model: all that is needed to use it on a table or on images. See model_file.hpp
// for its file and predictor.hpp for its use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/encoder.hpp"
#include "uaspl/data/table/rich_scaling.hpp"
#include "uaspl/data/target.hpp"
#include "uaspl/model/metrics.hpp"
#include "uaspl/model/readout.hpp"
#include "uaspl/net/make_network.hpp"
#include "uaspl/trust/novelty.hpp"
#include "uaspl/trust/tempering.hpp"

namespace uaspl {

// A trained network or forest of a model.
struct Member {
  NetworkKind network;  // kForest: a forest, which reads the cells of a table
  State weights;
  // In a committee:
  std::size_t scaling = 0;  // which of its scalings a network reads
  double votes = 1.0;       // its share in every answer
  bool is_forest() const { return network.name == kForest; }
  static constexpr std::string_view kForest = "forest";
};

// What makes one answer of what the members of a committee say: each network reads the inputs in
// one of these scalings, and the mean of all is calibrated.
struct Fusion {
  std::vector<RichScaling> scalings;
  Tempering tempering;
};

struct Model {
  Target target;
  Encoder encoder;
  std::vector<Member> members;  // one or more; they share the encoder
  Readout readout;
  std::optional<Fusion> fusion = {};  // of a committee
  std::optional<Novelty> novelty =
      {};  // lowers the evidence of rows far from those of the training

  // Where the model comes from.
  std::string method;
  std::map<std::string, std::string> configuration;  // options and training, for people
  std::uint32_t seed = 0;
  std::size_t rows = 0;     // number of rows that it was trained on
  std::string data_sha256;  // of the file of these rows
  std::string version;      // of the library that made it
  std::optional<Metrics> held_out;

  bool is_of_images() const { return std::holds_alternative<ImageEncoder>(encoder); }
  const TableEncoder& table() const { return std::get<TableEncoder>(encoder); }
  const ImageEncoder& images() const { return std::get<ImageEncoder>(encoder); }
};

}  // namespace uaspl
