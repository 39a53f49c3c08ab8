// Parses untrusted JSON, see json.hpp.
#include "uaspl/io/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace uaspl {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kShown = 100;  // characters of a key or a number in a message

std::string shortened(const std::string& text) {
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

// JSON's own escapes, so that nothing in it can act on a terminal.
std::string escaped(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string shown(const std::string& text) {
  const std::string quoted = escaped(text);
  return shortened(quoted.substr(1, quoted.size() - 2));
}

// Walks over a text and lets others see where it is.
class Walker {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Walker() = default;
  Walker(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  Walker& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  Walker operator++(int) {
    const Walker before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Walker& other) const { return at_ == other.at_; }

 private:
  const char* at_ = nullptr;
  const char** seen_ = nullptr;
};

// Builds the value from what the parser sees, and refuses what is not plain. Each step takes the
// same time, however large the value is.
class Builder final : public nlohmann::json_sax<json> {
 public:
  explicit Builder(std::string_view text) : text_(text), at_(text.data()) {}

  json build() {
    json::sax_parse(Walker(at_, &at_), Walker(text_.data() + text_.size(), &at_), this);
    return std::move(root_);
  }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    if (text.find_first_of(".eE") == std::string::npos)
      fail(fmt::format("the number {} is larger than 64 bits hold", shown(text)));
    return put(value);
  }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { fail("bytes"); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    auto& members = open_.back()->get_ref<json::object_t&>();
    const auto [place, is_new] = members.try_emplace(std::move(name));
    if (!is_new) fail(fmt::format("the key '{}' comes twice", shown(place->first)));
    member_ = &place->second;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    // The parser's own words, without its number and without what it read last, which may be long.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.size(), what.find("] ") + 2));
    if (const auto colon = what.find(": "); what.starts_with("parse error at"))
      what.remove_prefix(colon + 2);
    fail("not JSON: " + shown(std::string(what.substr(0, what.find("; last read")))));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto line = 1 + std::count(text_.data(), at_, '\n');
    throw Error(fmt::format("{} (line {}, byte {})", what, line, at_ - text_.data()));
  }

  bool put(json value) {
    add(std::move(value));
    return true;
  }
  json* add(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_array()) {
      auto& elements = open_.back()->get_ref<json::array_t&>();
      return &elements.emplace_back(std::move(value));
    }
    return &(*member_ = std::move(value));
  }
  bool open(json empty) {
    if (open_.size() == kDeepest) fail("nested too deeply");
    open_.push_back(add(std::move(empty)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const char* at_;
  json root_;
  json* member_ = nullptr;   // whose value is to come
  std::vector<json*> open_;  // the objects and arrays around it, the innermost last
};

}  // namespace

json parse_json(std::string_view text) { return Builder(text).build(); }

const json& part(const json& object, std::string_view name) {
  if (!object.is_object())
    throw Error(fmt::format("expected an object with '{}', not {}", name, object.type_name()));
  const auto found = object.find(name);
  if (found == object.end()) throw Error(fmt::format("no '{}'", name));
  return *found;
}

void expect(bool good, const json& value, std::string_view name, std::string_view expected) {
  if (good) return;
  throw Error(fmt::format("'{}' is {}, expected {}", name,
                          value.is_primitive() ? shortened(escaped(value)) : value.type_name(),
                          expected));
}

std::string text(const json& object, std::string_view name) {
  const json& value = part(object, name);
  expect(value.is_string(), value, name, "a text");
  return value.get<std::string>();
}

std::vector<std::string> texts(const json& object, std::string_view name) {
  const json& list = part(object, name);
  expect(list.is_array(), list, name, "a list of texts");
  std::vector<std::string> all;
  all.reserve(list.size());
  for (const json& value : list) {
    expect(value.is_string(), value, name, "texts");
    all.push_back(value.get<std::string>());
  }
  return all;
}

double number(const json& object, std::string_view name) {
  const json& value = part(object, name);
  expect(value.is_number(), value, name, "a number");
  return value.get<double>();
}

std::vector<float> floats(const json& object, std::string_view name) {
  const json& list = part(object, name);
  expect(list.is_array(), list, name, "a list of numbers");
  std::vector<float> all;
  for (const json& value : list) {
    constexpr double kMost = std::numeric_limits<float>::max();
    expect(value.is_number() && std::abs(value.get<double>()) <= kMost, value, name,
           "numbers that a float can hold");
    all.push_back(static_cast<float>(value.get<double>()));
  }
  return all;
}

}  // namespace uaspl
