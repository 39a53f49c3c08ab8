// Networks for images, by libtorch: a module that is opened when the first one is made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/images.hpp"
#include "uaspl/data/transform.hpp"
#include "uaspl/net/group.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

struct DeepOptions {
  std::string network = "resnet18";  // one of deep_networks()
  ImageTransform transform;
  std::size_t classes = 0;
  std::uint32_t seed = 0;      // of the weights
  std::size_t threads = 1;     // of libtorch, in the whole process
  std::string device = "cpu";  // or cuda, cuda:1, where libtorch has it
  // Processes that make the same network of the same images and call the same functions of it;
  // none: this one alone.
  std::shared_ptr<Group> group = nullptr;
};

struct DeepNetworkInfo {
  std::string_view name;
  std::string_view summary;
};
std::span<const DeepNetworkInfo> deep_networks();
const DeepNetworkInfo& find_deep_network(std::string_view name);

// Bound to the images, which are shared, not copied. Says what is missing where the module is not
// there, the name is unknown or the device cannot be used.
std::unique_ptr<Network> make_deep_network(std::shared_ptr<const ImageSet> images,
                                           const DeepOptions& options);

// What the module exports under this name; nothing for another version. Raised when DeepOptions,
// ImageSet, Network or Group changes.
constexpr int kDeepVersion = 2;
constexpr const char* kDeepFactory = "uaspl_make_deep_network";
using DeepFactory = Network* (*)(int version, const std::shared_ptr<const ImageSet>& images,
                                 const DeepOptions& options);

}  // namespace uaspl
