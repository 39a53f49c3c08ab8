// JSON from files and stores that anybody may have written. Not installed: private to the library.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace uaspl {

// An Error where it is not JSON, or nested deeper than anything of ours: reading deep nesting would
// need as deep a stack.
nlohmann::json parse_json(std::string_view text);

// A member of an object, or `otherwise` where there is none or it is of another type.
template <typename Value>
Value member(const nlohmann::json& object, const char* name, const Value& otherwise) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) return otherwise;
  const nlohmann::json sample = otherwise;
  const bool same = found->type() == sample.type() || (found->is_number() && sample.is_number());
  return same ? found->template get<Value>() : otherwise;
}

}  // namespace uaspl
