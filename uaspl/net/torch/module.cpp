// What libuaspl_torch.so exports, see uaspl/net/deep.hpp.
#include "uaspl/net/torch/errors.hpp"
#include "uaspl/net/torch/torch_network.hpp"

extern "C" __attribute__((visibility("default"))) uaspl::Network* uaspl_make_deep_network(
    int version, const std::shared_ptr<const uaspl::ImageSet>& images,
    const uaspl::DeepOptions& options) {
  if (version != uaspl::kDeepVersion) return nullptr;
  return uaspl::guarded([&] { return new uaspl::TorchNetwork(images, options); });
}
