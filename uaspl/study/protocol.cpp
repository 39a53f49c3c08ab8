// The conditions of an experiment, see protocol.hpp.
#include "uaspl/study/protocol.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "uaspl/base/error.hpp"
#include "uaspl/base/table.hpp"
#include "uaspl/io/json.hpp"

namespace uaspl {
namespace {

// Writes the shortest number that reads back as the same value: a rate of 0.1 is 0.1, whatever its
// type.
template <typename Number>
nlohmann::json number(Number value) {
  return nlohmann::json::parse(fmt::format("{}", value));
}

// Adds the options of images; a table only has those that differ from the usual values.
void add_image_options(nlohmann::json& all, const ExperimentOptions& options) {
  const Training& training = options.fit.training;
  const bool images = options.fit.for_images();
  if (images) all["network"] = options.fit.network.name;
  if (images || training.augmented) all["augmented"] = training.augmented;
  if (images || training.meta_batch > 0) all["meta_batch"] = training.meta_batch;
  if (images || training.meta_of_class > 0) all["meta_of_class"] = training.meta_of_class;
  if (!training.rate_falls.empty()) all["rate_falls"] = training.rate_falls;
  if (images && options.rows.imbalance != 1.0) all["imbalance"] = options.rows.imbalance;
  if (images && options.limit > 0) all["limit"] = options.limit;
  if (images && options.test_limit > 0) all["test_limit"] = options.test_limit;
}

// Adds the options that runs were stored without: only where they are changed.
void add_later_options(nlohmann::json& all, const FitOptions& options) {
  if (options.training.carry_momentum && options.pretraining > 0) all["carry_momentum"] = true;
  if (options.training.naive_cross_entropy) all["naive_cross_entropy"] = true;
  if (options.start) all["start"] = options.start->sha256;
}

}  // namespace

std::string configuration(const ChosenMethod& method, const ExperimentOptions& options) {
  const Training& training = options.fit.training;
  nlohmann::json all = {{"batch", training.batch},
                        {"decay", number(training.step.decay)},
                        {"dropout", number(training.step.dropout)},
                        {"first_share", training.first_share},
                        {"momentum", number(training.step.momentum)},
                        {"pretraining", options.fit.pretraining},
                        {"rate", number(training.step.rate)},
                        {"share_step", training.share_step},
                        {"stages", training.stages},
                        {"steps", training.passes},
                        {"stop_below", training.stop_below}};
  if (!options.fit.for_images()) {
    all["hidden"] = options.fit.network.hidden;
    all["test_fraction"] = options.rows.test_fraction;
  }
  add_image_options(all, options);
  add_later_options(all, options.fit);
  if (options.fit.class_weights.any()) all["class_weight"] = options.fit.class_weights.text();
  for (const Option& option : method.info->options)
    if (method.settings.is_written(option))
      all["method"][std::string(option.name)] = method.settings.text(option.name);
  if (options.rows.noise.ratio > 0.0)
    all["noise"] = {{"kind", noise_name(options.rows.noise.kind)},
                    {"ratio", options.rows.noise.ratio},
                    {"clean_pretraining", options.rows.clean_pretraining}};
  return all.dump();
}

std::optional<int> configured_steps(const std::string& configuration) {
  try {
    const nlohmann::json all = parse_json(configuration);
    if (all.is_object() && all.contains("steps")) return integer<int>(all, "steps");
  } catch (const Error&) {  // not written by this library
  }
  return std::nullopt;
}

std::span<const ImageProfile> image_profiles() {
  static constexpr ImageProfile kProfiles[] = {
      {"quick", "2,000 images, one pass a stage", 1, 1, 2000, 1000},
      {"mid", "20,000 images, four passes a stage", 2, 4, 20000, 0},
      {"full", "the paper's: all images, 5 passes before and 15 in each stage", 5, 15, 0, 0}};
  return kProfiles;
}

const ImageProfile& find_image_profile(std::string_view name) {
  return find_named(image_profiles(), "profile", name);
}

ExperimentOptions image_protocol(const ImageProfile& profile, const std::string& network) {
  ExperimentOptions options;
  options.fit.network = {network, {}};
  options.fit.pretraining = profile.pretraining;
  options.limit = profile.limit;
  options.test_limit = profile.test_limit;
  Training& training = options.fit.training;
  training.passes = profile.passes;
  training.batch = 64;
  training.stop_below = 0.0;
  training.step.rate = network == "lenet" ? 0.05F : 0.1F;
  training.rate_falls = {4, 2};
  training.augmented = true;
  training.meta_of_class = 100;
  training.meta_batch = 64;
  return options;
}

}  // namespace uaspl
