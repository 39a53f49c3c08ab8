// Any bytes as JSON: what our reader takes, the library's own reader takes too, as the same value.
#include "uaspl/io/json.hpp"
#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = uaspl::fuzz::text_of(bytes, size);
  try {
    const nlohmann::json read = uaspl::parse_json(text);
    if (nlohmann::json::parse(text) != read) std::abort();
    if (uaspl::parse_json(read.dump()) != read) std::abort();
  } catch (const uaspl::Error&) {
  }
  return 0;
}
