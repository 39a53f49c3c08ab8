// Parses JSON from untrusted files and stores, and reads its values with their types and ranges.
// This header is private to the library, not installed.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "uaspl/base/error.hpp"

namespace uaspl {

// Takes time in proportion to the text. Throws an Error that says where and what if the text is
// not JSON, has a key twice in an object, a whole number of more than 64 bits or one beyond what a
// double can hold, or is nested deeper than anything that this library writes.
nlohmann::json parse_json(std::string_view text);

// These return a member of an object, or throw an Error that names it if it is missing or has
// another type or range.
const nlohmann::json& part(const nlohmann::json& object, std::string_view name);
std::string text(const nlohmann::json& object, std::string_view name);
std::vector<std::string> texts(const nlohmann::json& object, std::string_view name);
double number(const nlohmann::json& object, std::string_view name);
std::vector<float> floats(const nlohmann::json& object, std::string_view name);
template <std::integral Whole>
Whole integer(const nlohmann::json& object, std::string_view name);
template <std::integral Whole>
std::vector<Whole> integers(const nlohmann::json& object, std::string_view name);

// Throws an Error that says what the value is and what was expected, unless it is good.
void expect(bool good, const nlohmann::json& value, std::string_view name,
            std::string_view expected);

// Says whether a value is a whole number of this type: 1.0 and 1e3 are none.
template <std::integral Whole>
bool is_whole(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return std::in_range<Whole>(value.get<std::uint64_t>());
  return value.is_number_integer() && std::in_range<Whole>(value.get<std::int64_t>());
}

template <std::integral Whole>
Whole as_whole(const nlohmann::json& value, std::string_view name) {
  expect(is_whole<Whole>(value), value, name,
         "a whole number from " + std::to_string(std::numeric_limits<Whole>::min()) + " to " +
             std::to_string(std::numeric_limits<Whole>::max()));
  return value.get<Whole>();
}

template <std::integral Whole>
Whole integer(const nlohmann::json& object, std::string_view name) {
  return as_whole<Whole>(part(object, name), name);
}

template <std::integral Whole>
std::vector<Whole> integers(const nlohmann::json& object, std::string_view name) {
  const nlohmann::json& list = part(object, name);
  expect(list.is_array(), list, name, "a list of whole numbers");
  std::vector<Whole> all;
  for (const nlohmann::json& value : list) all.push_back(as_whole<Whole>(value, name));
  return all;
}

// Returns a member of an object, or `otherwise` if it is missing or has another type.
template <typename Value>
Value member(const nlohmann::json& object, const char* name, const Value& otherwise) {
  static_assert(!std::integral<Value> || std::same_as<Value, bool>, "see integer()");
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) return otherwise;
  const nlohmann::json sample = otherwise;
  const bool same = found->type() == sample.type() || (found->is_number() && sample.is_number());
  return same ? found->template get<Value>() : otherwise;
}

}  // namespace uaspl
