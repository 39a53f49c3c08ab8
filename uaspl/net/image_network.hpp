// Makes networks for images by libtorch, in a module that is opened when the first one is made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "uaspl/data/image/images.hpp"
#include "uaspl/net/network.hpp"
#include "uaspl/net/process_group.hpp"

namespace uaspl {

struct ImageNetworkOptions {
  std::string network = "resnet18";  // one of image_networks()
  ImageShape shape;                  // of the images that it reads
  std::size_t classes = 0;
  std::uint32_t seed = 0;      // of the first weights
  std::size_t threads = 1;     // of libtorch, in the whole process
  std::string device = "cpu";  // or cuda, cuda:1, if libtorch has it
  // The processes that make the same network and call the same functions of it; null for this one
  // alone.
  std::shared_ptr<ProcessGroup> group = nullptr;
};

struct ImageNetworkInfo {
  std::string_view name;
  std::string_view summary;
};
std::span<const ImageNetworkInfo> image_networks();
const ImageNetworkInfo& find_image_network(std::string_view name);

// Returns how many numbers the weights of a network are, running statistics included, or 0 where
// there is no network for such images. So weights from elsewhere are compared before one is made.
std::size_t image_network_weights(std::string_view network, const ImageShape& shape,
                                  std::size_t classes);

// Makes a network. Throws if the module is missing, the name is unknown or the device cannot be
// used.
std::unique_ptr<Network> make_image_network(const ImageNetworkOptions& options);

// The function that the module exports under this name returns nothing for another version. The
// version is raised when ImageNetworkOptions, Images, Network or ProcessGroup changes.
constexpr int kImageModuleVersion = 3;
constexpr const char* kImageNetworkFactory = "uaspl_make_image_network";
using ImageNetworkFactory = Network* (*)(int version, const ImageNetworkOptions& options);

}  // namespace uaspl
