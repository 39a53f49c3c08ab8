// Makes networks by name: the native MLP for tables, those of libtorch for images.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "uaspl/data/encoder.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

class ProcessGroup;  // process_group.hpp

// The kind and the size of a network.
struct NetworkKind {
  std::string name = "mlp";              // or one of image_networks()
  std::vector<std::size_t> hidden = {};  // widths of the MLP's hidden layers
  bool operator==(const NetworkKind&) const = default;
};

// The resources that a network computes with. Results do not depend on them, except for the last
// bits of networks for images.
struct Resources {
  std::size_t threads = 1;     // at most, for the work of a call; 0: as many as are worthwhile
  std::string device = "cpu";  // of networks for images
  std::shared_ptr<ProcessGroup> group = nullptr;  // processes that train one such network
};

// Makes a network that reads encoded rows, with first weights drawn by the seed. If it will be
// trained, `step_rows` is the largest number of rows of a step. A network for tables reads as many
// inputs as the encoder makes, unless `inputs` says otherwise. Throws an Error if the kind does not
// fit.
std::unique_ptr<Network> make_network(const NetworkKind& kind, const Encoder& encoder,
                                      std::size_t classes, std::uint32_t seed,
                                      const Resources& resources = {}, std::size_t step_rows = 0,
                                      std::size_t inputs = 0);

}  // namespace uaspl
