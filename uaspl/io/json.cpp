// Parses untrusted JSON, see json.hpp.
#include "uaspl/io/json.hpp"

#include <string>

#include "uaspl/base/error.hpp"

namespace uaspl {

nlohmann::json parse_json(std::string_view text) {
  constexpr int kDeepest = 32;
  const auto watch = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > kDeepest) throw Error("nested too deeply");
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("not JSON: ") + error.what());
  }
}

}  // namespace uaspl
