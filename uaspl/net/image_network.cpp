// Opens the module of the networks for images, see image_network.hpp.
#include "uaspl/net/image_network.hpp"

#include <fmt/format.h>

#include <algorithm>

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

// Convolutions without bias, each with a norm of four numbers a channel.
std::size_t convolution(std::size_t in, std::size_t out, std::size_t size) {
  return in * out * size * size + 4 * out;
}

std::size_t residual_weights(std::span<const std::size_t> widths, std::size_t blocks,
                             std::size_t channels, std::size_t classes) {
  std::size_t sum = convolution(channels, widths.front(), 3);
  std::size_t in = widths.front();
  for (const std::size_t width : widths)
    for (std::size_t block = 0; block < blocks; ++block, in = width)
      sum += convolution(in, width, 3) + convolution(width, width, 3) +
             (in != width ? convolution(in, width, 1) : 0);
  return sum + (in + 1) * classes;
}

std::size_t lenet_weights(const ImageShape& shape, std::size_t classes) {
  if (std::min(shape.height, shape.width) < 16) return 0;
  const auto left = [](std::size_t side) { return ((side - 4) / 2 - 4) / 2; };
  const std::size_t maps = 16 * left(shape.height) * left(shape.width);
  return (shape.channels * 25 + 1) * 6 + (6 * 25 + 1) * 16 + (maps + 1) * 120 + 121 * 84 +
         85 * classes;
}

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

std::size_t image_network_weights(std::string_view network, const ImageShape& shape,
                                  std::size_t classes) {
  constexpr std::size_t kFull[] = {64, 128, 256, 512};
  constexpr std::size_t kSmall[] = {16, 32, 64};
  if (network == "resnet18") return residual_weights(kFull, 2, shape.channels, classes);
  if (network == "resnet8") return residual_weights(kSmall, 1, shape.channels, classes);
  return network == "lenet" ? lenet_weights(shape, classes) : 0;
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
