// Any bytes as a message between ranks: a message that is the same after packing it, or an error.
#include "uaspl/study/cluster/messages.hpp"
#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace uaspl::messages;
  try {
    const std::string packed = pack(unpack(uaspl::fuzz::text_of(bytes, size)));
    if (pack(unpack(packed)) != packed) std::abort();
  } catch (const uaspl::Error&) {
  }
  return 0;
}
