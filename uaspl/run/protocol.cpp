// The conditions of an experiment, see protocol.hpp.
#include "uaspl/run/protocol.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "uaspl/base/table.hpp"

namespace uaspl {
namespace {

// As short as it reads back: a rate of 0.1 is 0.1, whatever it is stored in.
template <typename Number>
nlohmann::json number(Number value) {
  return nlohmann::json::parse(fmt::format("{}", value));
}

// What images have and tables usually have not, for which it is left out.
void add_image_options(nlohmann::json& all, const ExperimentOptions& options) {
  const Training& training = options.training;
  const bool images = !options.network.empty();
  if (images) all["network"] = options.network;
  if (images || training.augmented) all["augmented"] = training.augmented;
  if (images || training.meta_batch > 0) all["meta_batch"] = training.meta_batch;
  if (images || training.meta_of_class > 0) all["meta_of_class"] = training.meta_of_class;
  if (!training.rate_shares.empty()) all["rate_shares"] = training.rate_shares;
  if (images && options.imbalance != 1.0) all["imbalance"] = options.imbalance;
  if (images && options.limit > 0) all["limit"] = options.limit;
  if (images && options.test_limit > 0) all["test_limit"] = options.test_limit;
}

}  // namespace

std::string configuration(const ChosenMethod& method, const ExperimentOptions& options) {
  const Training& training = options.training;
  nlohmann::json all = {{"batch", training.batch},
                        {"decay", number(training.step.decay)},
                        {"dropout", number(training.step.dropout)},
                        {"first_share", training.first_share},
                        {"momentum", number(training.step.momentum)},
                        {"pretraining", options.pretraining},
                        {"rate", number(training.step.rate)},
                        {"share_step", training.share_step},
                        {"stages", training.stages},
                        {"steps", training.passes},
                        {"stop_below", training.stop_below}};
  if (options.network.empty()) {
    all["hidden"] = options.hidden;
    all["test_fraction"] = options.test_fraction;
  }
  add_image_options(all, options);
  for (const Option& option : method.info->options)
    all["method"][std::string(option.name)] = method.settings.text(option.name);
  if (options.noise.ratio > 0.0)
    all["noise"] = {{"kind", noise_name(options.noise.kind)},
                    {"ratio", options.noise.ratio},
                    {"clean_pretraining", options.clean_pretraining}};
  return all.dump();
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
  options.network = network;
  options.pretraining = profile.pretraining;
  options.limit = profile.limit;
  options.test_limit = profile.test_limit;
  Training& training = options.training;
  training.passes = profile.passes;
  training.batch = 64;
  training.stop_below = 0.0;
  training.step.rate = network == "lenet" ? 0.05F : 0.1F;
  training.rate_shares = {1.0, 1.0, 0.1, 0.1, 0.01, 0.01};
  training.augmented = true;
  training.meta_of_class = 100;
  training.meta_batch = 64;
  return options;
}

}  // namespace uaspl
