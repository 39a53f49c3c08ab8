// Defines the functions that libuaspl_torch.so exports, see uaspl/net/image_network.hpp.
#include <malloc.h>

#include "uaspl/base/error.hpp"
#include "uaspl/net/torch/errors.hpp"
#include "uaspl/net/torch/process_group_gloo.hpp"
#include "uaspl/net/torch/torch_network.hpp"

namespace {

// Keeps freed memory in the process. A step allocates megabytes again and again; if they went back
// to the system each time, clearing new pages would take up to a quarter of a step.
void keep_memory() {
  static const bool kOnce = [] {
    ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
    ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    return true;
  }();
  static_cast<void>(kOnce);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) uaspl::Network* uaspl_make_image_network(
    int version, const uaspl::ImageNetworkOptions& options) {
  if (version != uaspl::kImageModuleVersion) return nullptr;
  keep_memory();
  return uaspl::guarded([&] { return new uaspl::TorchNetwork(options); });
}

extern "C" __attribute__((visibility("default"))) uaspl::ProcessGroup* uaspl_join_group(
    int version, [[maybe_unused]] const uaspl::ProcessPlace& place) {
  if (version != uaspl::kImageModuleVersion) return nullptr;
#ifdef UASPL_HAS_GLOO
  return uaspl::join_gloo(place).release();
#else
  throw uaspl::Error(
      "several ranks need Gloo, without which libuaspl_torch.so was built (Debian: libgloo-dev)");
#endif
}
