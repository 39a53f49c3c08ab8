// The choice of methods and options by name, see registry.hpp.
#include "uaspl/method/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/table.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

double parse_value(const Option& option, std::string_view text) {
  if (!option.choices.empty()) {
    const auto found = std::ranges::find(option.choices, text);
    if (found == option.choices.end())
      throw UsageError(fmt::format("option {}: '{}' is not one of {}", option.name, text,
                                   fmt::join(option.choices, ", ")));
    return static_cast<double>(found - option.choices.begin());
  }
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool parsed = status == std::errc() && end == text.data() + text.size();
  const bool fits = !option.whole || value == std::floor(value);
  if (!parsed || !fits || !(value >= option.low && value <= option.high))
    throw UsageError(fmt::format("option {}: '{}' is not a {}number in {}..{}", option.name, text,
                                 option.whole ? "whole " : "", option.low, option.high));
  return value;
}

// METHOD.OPTION=VALUE.
struct Assignment {
  explicit Assignment(std::string_view text) {
    const std::size_t dot = text.find('.');
    const std::size_t equals = text.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals)
      throw UsageError(fmt::format("'{}' is not of the form METHOD.OPTION=VALUE", text));
    method = text.substr(0, dot);
    option = text.substr(dot + 1, equals - dot - 1);
    value = text.substr(equals + 1);
  }
  std::string_view method;
  std::string_view option;
  std::string_view value;
};

}  // namespace

Settings::Settings(std::span<const Option> options) : options_(options) {
  for (const Option& option : options) values_.push_back(option.initial);
  set_.resize(values_.size());
}

double Settings::operator[](std::string_view option) const { return values_[place(option)]; }

std::size_t Settings::place(std::string_view option) const {
  return static_cast<std::size_t>(&find_named(options_, "option", option) - options_.data());
}

bool Settings::is_set(std::string_view option) const { return set_[place(option)]; }

bool Settings::is_written(const Option& option) const {
  return !option.later || (*this)[option.name] != option.initial;
}

std::string Settings::text(std::string_view option) const {
  const Option& found = find_named(options_, "option", option);
  const double value = (*this)[option];
  if (found.choices.empty()) return fmt::format("{}", value);
  return std::string(found.choices[static_cast<std::size_t>(value)]);
}

void Settings::set(std::string_view option, std::string_view value) {
  const std::size_t at = place(option);
  values_[at] = parse_value(options_[at], value);
  set_[at] = true;
}

namespace {

std::deque<MethodInfo>& all_methods() {
  static std::deque<MethodInfo> all = [] {
    std::vector<MethodInfo> table = method_table();
    return std::deque<MethodInfo>(std::make_move_iterator(table.begin()),
                                  std::make_move_iterator(table.end()));
  }();
  return all;
}

}  // namespace

const std::deque<MethodInfo>& methods() { return all_methods(); }

const MethodInfo& add_method(MethodInfo info) {
  if (std::ranges::find(methods(), info.name, &MethodInfo::name) != methods().end())
    throw Error(fmt::format("there is a method '{}' already", info.name));
  return all_methods().emplace_back(std::move(info));
}

const MethodInfo& find_method(std::string_view name) {
  return find_named(methods(), "method", name);
}

std::vector<ChosenMethod> choose_methods(std::span<const std::string> names,
                                         std::span<const std::string> assignments) {
  std::vector<ChosenMethod> chosen;
  const auto add = [&](const MethodInfo& info) {
    if (std::ranges::none_of(chosen, [&](const ChosenMethod& c) { return c.info == &info; }))
      chosen.push_back({&info, Settings(info.options)});
  };
  for (const std::string& name : names) {
    if (name == "all") {
      for (const MethodInfo& info : methods()) add(info);
    } else {
      add(find_method(name));
    }
  }
  for (const std::string& text : assignments) {
    const Assignment one(text);
    const MethodInfo& info = find_method(one.method);
    const auto target = std::ranges::find(chosen, &info, &ChosenMethod::info);
    if (target == chosen.end())
      throw UsageError(fmt::format("'{}' sets an option of a method that is not run", text));
    target->settings.set(one.option, one.value);
  }
  return chosen;
}

}  // namespace uaspl
