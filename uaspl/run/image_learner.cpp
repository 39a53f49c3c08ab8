// From images to a model, see image_learner.hpp.
#include "uaspl/run/image_learner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "uaspl/base/version.hpp"
#include "uaspl/net/group.hpp"
#include "uaspl/run/experiment.hpp"
#include "uaspl/run/start.hpp"
#include "uaspl/train/learner.hpp"
#include "uaspl/train/meta_split.hpp"

namespace uaspl {
namespace {

std::map<std::string, std::string> describe(const ChosenMethod& method,
                                            const ExperimentOptions& options) {
  auto text = describe_training(method, options.training, options.pretraining);
  if (!options.training.rate_shares.empty())
    text["rate_shares"] = fmt::format("{}", fmt::join(options.training.rate_shares, " "));
  if (options.imbalance != 1.0) text["imbalance"] = fmt::format("{}", options.imbalance);
  if (options.noise.ratio > 0.0)
    text["noise"] = fmt::format("{}:{}{}", noise_name(options.noise.kind), options.noise.ratio,
                                options.clean_pretraining ? " after the pre-training" : "");
  return text;
}

Model describe_model(const Dataset& data, const ChosenMethod& method,
                     const ExperimentOptions& options, std::uint32_t seed, const Start& start) {
  Model model;
  model.schema = data.schema;
  model.images = {options.network, data.images->shape, data.transform};
  model.method = method.info->name;
  model.configuration = describe(method, options);
  model.seed = seed;
  model.rows = start.split.train.size();
  model.data_sha256 = data.content;
  model.version = version();
  return model;
}

}  // namespace

ImageLearned learn_images(const Dataset& data, const ChosenMethod& chosen,
                          const ExperimentOptions& options, std::uint32_t seed,
                          const std::filesystem::path& checkpoint, Observer* observer) {
  const ChosenMethod suitable = suited(chosen, data.settings);
  const Start start = make_start(data, seed, options);
  const auto method = suitable.make();
  check_needs(method->needs(), *start.network, start.split.train.size(), chosen.info->name);
  ImageLearned learned{describe_model(data, suitable, options, seed, start), {}};

  std::optional<CheckpointFile> kept;
  if (!checkpoint.empty()) {
    const bool writes = !options.group || options.group->rank() == 0;
    kept.emplace(checkpoint, run_text(run_key(data, content_sha256(data), chosen, options, seed)),
                 writes);
  }
  Training training = options.training;
  training.seed = seed;
  TrainingSet set{start.split.train, options.clean_pretraining ? start.clean_labels : start.labels,
                  start.classes};
  // Meta rows that there are not fail before the work.
  MetaSplit(set, method->needs().meta_fraction, training.meta_of_class, training.seed);
  const Pretraining before = pretrain(*start.network, set, options.pretraining, training, observer,
                                      kept ? &*kept : nullptr);
  learned.report.stopped = before.stopped;
  if (before.stopped) return learned;
  set.labels = start.labels;
  set.pretraining = &before.history;
  const auto network = start.network->clone();
  learned.report = fit(*network, *method, set, training, observer, kept ? &*kept : nullptr);
  if (learned.report.stopped) return learned;
  learned.model.evidence = method->loss({training.stages - 1, training.stages, 1.0}).evidence();
  learned.model.networks.push_back(network->save());
  learned.model.held_out =
      score(start.test_labels, predicted_classes(network->logits({start.split.test})));
  return learned;
}

}  // namespace uaspl
