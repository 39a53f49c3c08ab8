// What libuaspl_torch.so exports, see uaspl/net/deep.hpp.
#include <malloc.h>

#include "uaspl/base/error.hpp"
#include "uaspl/net/torch/errors.hpp"
#include "uaspl/net/torch/group_gloo.hpp"
#include "uaspl/net/torch/torch_network.hpp"

namespace {

// A step asks for megabytes again and again. Given back to the system each time, they would come
// back as pages to be cleared: up to a quarter of a step.
void keep_memory() {
  static const bool kOnce = [] {
    ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
    ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    return true;
  }();
  static_cast<void>(kOnce);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) uaspl::Network* uaspl_make_deep_network(
    int version, const std::shared_ptr<const uaspl::ImageSet>& images,
    const uaspl::DeepOptions& options) {
  if (version != uaspl::kDeepVersion) return nullptr;
  keep_memory();
  return uaspl::guarded([&] { return new uaspl::TorchNetwork(images, options); });
}

extern "C" __attribute__((visibility("default"))) uaspl::Group* uaspl_join_group(
    int version, [[maybe_unused]] const uaspl::GroupPlace& place) {
  if (version != uaspl::kDeepVersion) return nullptr;
#ifdef UASPL_HAS_GLOO
  return uaspl::join_gloo(place).release();
#else
  throw uaspl::Error(
      "several ranks need Gloo, without which libuaspl_torch.so was built (Debian: libgloo-dev)");
#endif
}
