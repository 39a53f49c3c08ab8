// Handles the options that set the conditions of training, see conditions.hpp.
#include "cli/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/note.hpp"
#include "cli/outputs.hpp"
#include "cli/shard.hpp"
#include "uaspl/data/noise.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/study/variants.hpp"

namespace uaspl::cli {
namespace {

std::string dashed(std::string_view name) {
  std::string text = "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::vector<double> values_of(const TrainingOption& option, const std::vector<std::string>& texts) {
  std::vector<double> values;
  for (const std::string& text : texts) values.push_back(parse_value(option, text).value());
  return values;
}

void add_training_option(CLI::App& verb, const TrainingOption& option,
                         std::vector<std::string>& values, bool several) {
  const std::string name = dashed(option.name);
  const std::string summary(option.summary);
  CLI::Option* added =
      option.kind == TrainingOption::Kind::kFlag
          ? verb.add_flag_callback(
                name, [&values] { values = {"true"}; }, summary)
          : verb.add_option(name, values, summary)->check([&option](const std::string& text) {
              return parse_value(option, text)
                         ? std::string()
                         : fmt::format("expected {}, not {}", option.expected, text);
            });
  if (option.kind != TrainingOption::Kind::kFlag)
    several ? added->delimiter(',')->allow_extra_args(false) : added->expected(1);
  added->group("Training");
}

}  // namespace

void add_training_options(CLI::App& verb, ConditionOptions& options, bool several) {
  for (std::size_t i = 0; i < options.training.size(); ++i)
    add_training_option(verb, training_options()[i], options.training[i], several);
}

void add_start_option(CLI::App& verb, ConditionOptions& options) {
  verb.add_option("--start", options.start,
                  "Begin with these weights (safetensors by PyTorch's names, or a model): no "
                  "pre-training unless --pretraining is given")
      ->check(is_file_name)
      ->group("Training");
}

void add_noise_options(CLI::App& verb, ConditionOptions& options, bool several) {
  CLI::Option* noise =
      verb.add_option(
              "--noise", options.noise,
              "`none` or KIND:RATIO, wrong labels among those that are trained on; uniform, "
              "asymmetric, flip1 or flip2")
          ->check([](const std::string& text) { return complaint([&] { parse_noise(text); }); });
  several ? noise->delimiter(',')->allow_extra_args(false) : noise->expected(1);
  verb.add_flag("--clean-pretraining", options.clean_pretraining,
                "The noise comes after the pre-training");
}

std::vector<ExperimentOptions> apply_conditions(const ConditionOptions& options,
                                                std::vector<ExperimentOptions> variants) {
  const auto vary = [&](const std::vector<Change>& changes) {
    if (!changes.empty()) variants = combine(variants, changes);
  };
  if (!options.start.empty()) {
    const auto start = load_start_weights(options.start);
    vary({[&](ExperimentOptions& variant) {
      variant.fit.start = start;
      variant.fit.pretraining = 0;
    }});
  }
  for (std::size_t i = 0; i < options.training.size(); ++i) {
    const TrainingOption& option = training_options()[i];
    vary(changes_of(option, values_of(option, options.training[i])));
  }
  if (options.clean_pretraining) vary(changes_to_clean_pretraining({true}));
  std::vector<LabelNoise> noises;
  for (const std::string& text : options.noise) noises.push_back(parse_noise(text));
  vary(changes_of(noises));
  if (options.class_weights.any())
    vary(changes_of(std::vector<ClassWeights>{options.class_weights}));
  return without_equals(variants);
}

void note_of_rows_left_out(const std::vector<ExperimentOptions>& variants) {
  const auto last_share = [](const ExperimentOptions& variant) {
    const Training& training = variant.fit.training;
    return stage_share(training.stages - 1, training.first_share, training.share_step);
  };
  const auto whole = [&](const ExperimentOptions& one) { return last_share(one) >= 1.0; };
  const auto found = std::ranges::find_if_not(variants, whole);
  if (found == variants.end()) return;
  const auto left_out =
      std::ranges::count_if(variants, [&](const auto& one) { return !whole(one); });
  const int stages = found->fit.training.stages;
  note("note: self-paced methods take {:.4g} % of the rows in {}{}", 100.0 * last_share(*found),
       stages == 1 ? "the only stage" : fmt::format("the last of {} stages", stages),
       left_out == 1 ? "" : fmt::format("; {} conditions in all leave rows out", left_out));
}

}  // namespace uaspl::cli
