// Writes JSON for programs, whatever bytes the names in it have. This header is private to the
// library, not installed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace uaspl {

// Returns the text of a JSON value on one line. JSON is UTF-8, file names may be anything: bytes
// that are no UTF-8 are written as U+FFFD, so that no result is lost because of a name.
template <typename Json>
std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace uaspl
