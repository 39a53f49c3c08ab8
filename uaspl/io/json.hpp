// Parses JSON from untrusted files and stores. This header is private to the library, not
// installed.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace uaspl {

// Throws an Error if the text is not JSON, or is nested deeper than anything that this library
// writes: deep nesting would need as deep a stack.
nlohmann::json parse_json(std::string_view text);

// Returns a member of an object, or `otherwise` if it is missing or has another type.
template <typename Value>
Value member(const nlohmann::json& object, const char* name, const Value& otherwise) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) return otherwise;
  const nlohmann::json sample = otherwise;
  const bool same = found->type() == sample.type() || (found->is_number() && sample.is_number());
  return same ? found->template get<Value>() : otherwise;
}

}  // namespace uaspl
