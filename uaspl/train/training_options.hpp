// The options of a training by name, for plans, command lines, model files and reports. What a
// value may be is said here and nowhere else.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "uaspl/train/fit_model.hpp"

namespace uaspl {

struct TrainingOption {
  enum class Kind { kWhole, kNumber, kFlag };  // a flag is 0 or 1
  std::string_view name;
  std::string_view title;     // in figures
  std::string_view summary;   // with the default
  std::string_view expected;  // what its values are
  Kind kind;
  double lowest;
  double highest;
  double (*get)(const FitOptions&);
  void (*set)(FitOptions&, double);

  bool takes(double value) const;  // false for what is not finite or out of range
  std::string text(const FitOptions& options) const;
};

std::span<const TrainingOption> training_options();

// Returns the value of a text such as 0.1 or true; nothing if the option does not take it.
std::optional<double> parse_value(const TrainingOption& option, std::string_view text);

// Throws an Error that names the first option whose value is none that it takes.
void check_options(const FitOptions& options);

}  // namespace uaspl
