// The options of a training by name, see training_options.hpp.
#include "uaspl/train/training_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/parse_number.hpp"

namespace uaspl {
namespace {

constexpr double kSmallest = std::numeric_limits<float>::min();
constexpr double kLargest = 3e38F;  // almost the largest float, written in one digit
constexpr double kBelowOne = 1.0F - std::numeric_limits<float>::epsilon() / 2;

constexpr auto kWhole = TrainingOption::Kind::kWhole;
constexpr auto kNumber = TrainingOption::Kind::kNumber;
constexpr auto kFlag = TrainingOption::Kind::kFlag;

// clang-format off
const TrainingOption kOptions[] = {
    {"pretraining", "steps of pre-training",
     "Cross-entropy passes before the stages; default: 20, for images the profile's",
     "a whole number in 0..1000000", kWhole, 0, 1e6,
     [](const FitOptions& o) { return static_cast<double>(o.pretraining); },
     [](FitOptions& o, double v) { o.pretraining = static_cast<int>(v); }},
    {"steps", "steps of a stage",
     "Passes over the rows of each stage; default: 150, for images the profile's",
     "a whole number in 1..1000000", kWhole, 1, 1e6,
     [](const FitOptions& o) { return static_cast<double>(o.training.passes); },
     [](FitOptions& o, double v) { o.training.passes = static_cast<int>(v); }},
    {"rate", "learning rate",
     "Learning rate of the first stage; those of later ones keep their proportion to it; default: "
     "0.1 (lenet: 0.05)",
     "a finite number above 0", kNumber, kSmallest, kLargest,
     [](const FitOptions& o) { return static_cast<double>(o.training.step.rate); },
     [](FitOptions& o, double v) { o.training.step.rate = static_cast<float>(v); }},
    {"stages", "number of stages",
     "Stages, each with more rows; default: 6",
     "a whole number in 1..1000", kWhole, 1, 1000,
     [](const FitOptions& o) { return static_cast<double>(o.training.stages); },
     [](FitOptions& o, double v) { o.training.stages = static_cast<int>(v); }},
    {"first_share", "share of the rows in the first stage",
     "Share of the rows in the first stage of self-paced methods; default: 0.25",
     "a number above 0 and at most 1", kNumber, std::numeric_limits<double>::min(), 1,
     [](const FitOptions& o) { return o.training.first_share; },
     [](FitOptions& o, double v) { o.training.first_share = v; }},
    {"share_step", "growth of the share",
     "By how much this share grows from stage to stage, up to 1; default: 0.15",
     "a number in 0..1", kNumber, 0, 1,
     [](const FitOptions& o) { return o.training.share_step; },
     [](FitOptions& o, double v) { o.training.share_step = v; }},
    {"stop_below", "loss that ends a stage",
     "A stage ends early when its mean loss falls below this; 0: never; default: 0.0001, for images 0",
     "a finite number from 0", kNumber, 0, kLargest,
     [](const FitOptions& o) { return o.training.stop_below; },
     [](FitOptions& o, double v) { o.training.stop_below = v; }},
    {"momentum", "momentum",
     "Momentum of the steps; default: 0.9",
     "a number from 0 and below 1", kNumber, 0, kBelowOne,
     [](const FitOptions& o) { return static_cast<double>(o.training.step.momentum); },
     [](FitOptions& o, double v) { o.training.step.momentum = static_cast<float>(v); }},
    {"decay", "weight decay",
     "Weight decay, of the biases too; default: 0.0005",
     "a number in 0..1", kNumber, 0, 1,
     [](const FitOptions& o) { return static_cast<double>(o.training.step.decay); },
     [](FitOptions& o, double v) { o.training.step.decay = static_cast<float>(v); }},
    {"batch", "rows of a step",
     "Rows of a step; 0: all of the stage at once; default: 0, for images 64",
     "a whole number from 0 to 1000000000", kWhole, 0, 1e9,
     [](const FitOptions& o) { return static_cast<double>(o.training.batch); },
     [](FitOptions& o, double v) { o.training.batch = static_cast<std::size_t>(v); }},
    {"carry_momentum", "momentum carried over (0: no, 1: yes)",
     "The stages begin with the momentum of the pre-training, not with none",
     "true or false", kFlag, 0, 1,
     [](const FitOptions& o) { return o.training.carry_momentum ? 1.0 : 0.0; },
     [](FitOptions& o, double v) { o.training.carry_momentum = v != 0.0; }},
    {"naive_cross_entropy", "naive cross-entropy (0: no, 1: yes)",
     "Cross-entropy as -log(softmax) in float, which is infinite for rows far from their label",
     "true or false", kFlag, 0, 1,
     [](const FitOptions& o) { return o.training.naive_cross_entropy ? 1.0 : 0.0; },
     [](FitOptions& o, double v) { o.training.naive_cross_entropy = v != 0.0; }},
};
// clang-format on

}  // namespace

bool TrainingOption::takes(double value) const {
  return value >= lowest && value <= highest && (kind == kNumber || value == std::floor(value));
}

std::string TrainingOption::text(const FitOptions& options) const {
  const double value = get(options);
  if (kind == kFlag) return value != 0.0 ? "true" : "false";
  if (kind == kWhole) return fmt::format("{:.0f}", value);
  const std::string brief = fmt::format("{}", static_cast<float>(value));  // many are floats
  FitOptions read = options;
  set(read, parse_number(brief).value_or(value));
  return get(read) == value ? brief : fmt::format("{}", value);
}

std::span<const TrainingOption> training_options() { return kOptions; }

std::optional<double> parse_value(const TrainingOption& option, std::string_view text) {
  std::optional<double> value;
  if (option.kind == kFlag) {
    if (text == "true" || text == "false") value = text == "true" ? 1.0 : 0.0;
  } else if (option.kind == kNumber || text.find_first_not_of("0123456789") == text.npos) {
    value = parse_number(text);
  }
  return value && option.takes(*value) ? value : std::nullopt;
}

void check_options(const FitOptions& options) {
  for (const TrainingOption& option : training_options())
    if (!option.takes(option.get(options)))
      throw Error(fmt::format("{}: expected {}, not {}", option.name, option.expected,
                              option.text(options)));
}

}  // namespace uaspl
