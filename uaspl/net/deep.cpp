// Opening the module of the networks for images, see deep.hpp.
#include "uaspl/net/deep.hpp"

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

std::span<const DeepNetworkInfo> deep_networks() {
  static constexpr DeepNetworkInfo kNetworks[] = {
      {"resnet18", "residual network of 18 layers in the form for small images"},
      {"resnet8", "residual network of 8 layers, a hundredth of the work"},
      {"lenet", "two convolutions and three full layers, the fastest"}};
  return kNetworks;
}

const DeepNetworkInfo& find_deep_network(std::string_view name) {
  return find_named(deep_networks(), "network", name);
}

std::unique_ptr<Network> make_deep_network(std::shared_ptr<const ImageSet> images,
                                           const DeepOptions& options) {
  find_deep_network(options.network);
  static const auto kMake =
      reinterpret_cast<DeepFactory>(find_in_module(kModule, kDeepFactory));  // again after an Error
  std::unique_ptr<Network> network(kMake(kDeepVersion, images, options));
  if (!network) throw Error(fmt::format("{} is of another version of uaspl", kModule.file));
  return network;
}

std::shared_ptr<Group> join_group(const GroupPlace& place) {
  if (place.size == 0 || place.rank >= place.size)
    throw Error(fmt::format("there is no rank {} among {}", place.rank, place.size));
  const auto join = reinterpret_cast<GroupFactory>(find_in_module(kModule, kGroupFactory));
  std::shared_ptr<Group> group(join(kDeepVersion, place));
  if (!group) throw Error(fmt::format("{} is of another version of uaspl", kModule.file));
  return group;
}

}  // namespace uaspl
