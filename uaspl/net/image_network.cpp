// Opens the module of the networks for images, see image_network.hpp.
#include "uaspl/net/image_network.hpp"

#include <fmt/format.h>

#include "uaspl/base/error.hpp"
#include "uaspl/base/module.hpp"
#include "uaspl/base/table.hpp"

namespace uaspl {
namespace {

const Module kModule{
    .file = "libuaspl_torch.so",
    .missing =
        "images need libuaspl_torch.so, which uaspl builds where libtorch is installed "
        "(Debian: libtorch-dev)"};

}  // namespace

std::span<const ImageNetworkInfo> image_networks() {
  static constexpr ImageNetworkInfo kNetworks[] = {
      {"resnet18", "residual network of 18 layers in the form for small images"},
      {"resnet8", "residual network of 8 layers, a hundredth of the work"},
      {"lenet", "two convolutions and three full layers, the fastest"}};
  return kNetworks;
}

const ImageNetworkInfo& find_image_network(std::string_view name) {
  return find_named(image_networks(), "network", name);
}

std::unique_ptr<Network> make_image_network(const ImageNetworkOptions& options) {
  find_image_network(options.network);
  static const auto kMake =  // looked for again after an Error
      reinterpret_cast<ImageNetworkFactory>(find_in_module(kModule, kImageNetworkFactory));
  std::unique_ptr<Network> network(kMake(kImageModuleVersion, options));
  if (!network) throw Error(fmt::format("{} is of another version of uaspl", kModule.file));
  return network;
}

std::shared_ptr<ProcessGroup> join_process_group(const ProcessPlace& place) {
  if (place.size == 0 || place.rank >= place.size)
    throw Error(fmt::format("there is no rank {} among {}", place.rank, place.size));
  const auto join =
      reinterpret_cast<ProcessGroupFactory>(find_in_module(kModule, kProcessGroupFactory));
  std::shared_ptr<ProcessGroup> group(join(kImageModuleVersion, place));
  if (!group) throw Error(fmt::format("{} is of another version of uaspl", kModule.file));
  return group;
}

}  // namespace uaspl
