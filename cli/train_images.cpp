// `uaspl train --images`: from images to a model, with scores on the test images.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/train.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/run/image_learner.hpp"

namespace uaspl::cli {
namespace {

// Counts images for the progress line and stops on Ctrl-C.
class ImageWatch final : public Observer {
 public:
  ImageWatch(bool wanted, double total) : progress_(wanted), total_(total) {}
  void on_step(const Visit& visit, std::span<const float>) override {
    seen_ += visit.positions.size();
    progress_.show(seen_, static_cast<std::size_t>(total_),
                   std::min(1.0, static_cast<double>(seen_) / total_), "images");
  }
  bool stop() override { return interrupted; }

 private:
  Progress progress_;
  double total_;
  std::size_t seen_ = 0;
};

ExperimentOptions conditions(const TrainOptions& options) {
  Study study;
  study.variants.emplace_back();
  apply_image_options(options.images, study);
  ExperimentOptions chosen = study.variants.front();
  Training& training = chosen.training;
  if (options.rate) {
    const float factor = *options.rate / training.step.rate;
    training.step.rate = *options.rate;
    for (float& rate : training.rates) rate *= factor;
  }
  if (options.steps) training.passes = *options.steps;
  if (options.batch) training.batch = *options.batch;
  chosen.noise = options.noise;
  chosen.threads = choose_threads(options.common.threads, kManyImages);
  return chosen;
}

void print_result(const TrainOptions& options, const Dataset& data, const Model& model) {
  const Metrics& m = *model.held_out;
  const std::size_t tested = data.rows() - data.images->train;
  if (options.common.json) {
    const nlohmann::json result = {{"model", options.model},
                                   {"method", model.method},
                                   {"network", model.images->network},
                                   {"rows", model.rows},
                                   {"classes", model.schema.classes},
                                   {"held_out",
                                    {{"rows", tested},
                                     {"accuracy", m.accuracy},
                                     {"precision", m.precision},
                                     {"recall", m.recall},
                                     {"f1", m.f1}}}};
    fmt::print("{}\n", result.dump());
    return;
  }
  fmt::print("on {} test images: accuracy {:.4f}, precision {:.4f}, recall {:.4f}, F1 {:.4f}\n",
             tested, m.accuracy, m.precision, m.recall, m.f1);
  fmt::print("{}: {} with {} on {} images of {}, {} classes\n", options.model, model.method,
             model.images->network, model.rows, data.name, model.schema.classes.size());
}

}  // namespace

int train_on_images(const TrainOptions& options) {
  if (options.images.names.size() != 1) throw UsageError("--images: train takes one set of images");
  const ChosenMethod method = choose_one_method(options);
  const std::filesystem::path checkpoint = options.model + ".checkpoint";
  if (!options.resume && std::filesystem::exists(checkpoint))
    throw UsageError(fmt::format(
        "{}: left by an interrupted training; --resume goes on from it, removing it begins again",
        checkpoint.string()));
  if (options.resume && !std::filesystem::exists(checkpoint) && !options.common.quiet)
    fmt::print(stderr, "{}: not there; training begins anew\n", checkpoint.string());
  const ExperimentOptions conditions_now = conditions(options);
  const std::string profile = options.images.profile.empty() ? "full" : options.images.profile;
  const Dataset data =
      open_image_dataset(options.images.names.front(), data_folders(options.folders),
                         options.images, profile, options.common.quiet);
  { const AtomicFile probe(options.model); }  // what cannot be written fails before the work
  const double images =
      conditions_now.pretraining * static_cast<double>(data.images->train) +
      planned_visits(conditions_now.training, method.make()->take(), data.images->train);
  ImageLearned learned;
  {
    ImageWatch watch(!options.common.quiet, images);
    learned = learn_images(data, method, conditions_now, options.learn.seed, checkpoint, &watch);
  }
  if (learned.report.stopped) {
    const bool kept = std::filesystem::exists(checkpoint);
    fmt::print(stderr, "uaspl: interrupted; no model was written{}\n",
               kept ? fmt::format("; --resume goes on from {}", checkpoint.string()) : "");
    return kExitInterrupted;
  }
  save_model(learned.model, options.model);
  std::filesystem::remove(checkpoint);
  warn_of(learned.report, learned.model.method);
  print_result(options, data, learned.model);
  return kExitDone;
}

}  // namespace uaspl::cli
