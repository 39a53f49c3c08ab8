// Defines the lines of the table of methods, and chooses methods and options by name.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/method/pace.hpp"

namespace uaspl {

// An option: a number in low..high or, if there are choices, the index of one of them.
struct Option {
  std::string_view name;
  std::string_view summary;
  double initial;
  double low;
  double high;
  std::vector<std::string_view> choices = {};
  bool whole = false;
  // Came after runs without it were stored: it belongs to a run's identity only where it is
  // changed.
  bool later = false;
};

// Values of one method's options: every option is there, and in its range.
class Settings {
 public:
  explicit Settings(std::span<const Option> options);
  double operator[](std::string_view option) const;
  std::string text(std::string_view option) const;  // as set() takes it
  void set(std::string_view option, std::string_view value);
  bool is_set(std::string_view option) const;   // whether set() was called, with any value
  bool is_written(const Option& option) const;  // whether it belongs to a run's identity

 private:
  std::size_t place(std::string_view option) const;

  std::span<const Option> options_;
  std::vector<double> values_;
  std::vector<bool> set_;
};

// How a method makes a model: most train one network by stages, some go a way of their own
// (train/learn.hpp).
enum class Way { kStages, kForest, kCommittee };

struct MethodInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view reference;
  std::vector<Option> options;
  std::unique_ptr<Method> (*make)(const Settings&);  // null for methods without stages
  Way way = Way::kStages;
  bool has_stages() const { return way == Way::kStages; }
  Needs needs() const { return has_stages() ? make(Settings(options))->needs() : Needs(); }
};

// All methods: those of table.cpp, then those that a program added.
const std::deque<MethodInfo>& methods();
const MethodInfo& find_method(std::string_view name);

// Adds a user-defined method under its name, so that it can be chosen, run, stored and reported
// like all others. Call it before anything is run; it throws an Error if the name is already known.
const MethodInfo& add_method(MethodInfo info);

// A method to be run: its table line and the settings chosen for it.
struct ChosenMethod {
  const MethodInfo* info;
  Settings settings;
  std::unique_ptr<Method> make() const { return info->make(settings); }
};

// Chooses methods by name ("all": the whole table), with assignments such as `spl_mixture.gamma=2`.
std::vector<ChosenMethod> choose_methods(std::span<const std::string> names,
                                         std::span<const std::string> assignments = {});

}  // namespace uaspl
