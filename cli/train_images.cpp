// `uaspl train --images`: from images to a model, with scores on the test images.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/group.hpp"
#include "cli/progress.hpp"
#include "cli/train.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/input.hpp"
#include "uaspl/base/sha256.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/run/experiment.hpp"
#include "uaspl/run/image_learner.hpp"

namespace uaspl::cli {
namespace {

// Counts images for the progress line and stops on Ctrl-C, on all ranks where it comes to one.
class ImageWatch final : public Observer {
 public:
  ImageWatch(const Crew& crew, bool wanted, const PlannedImages& planned)
      : crew_(crew),
        progress_(wanted),
        before_stages_(planned.pretraining),
        total_(planned.pretraining + planned.stages) {}
  void on_step(const Visit& visit, std::span<const float>) override {
    seen_ += visit.positions.size();
    progress_.show(seen_, static_cast<std::size_t>(total_), share(), "images");
  }
  void on_stage_start(const Stage&, const Probe&, const Plan&) override {
    if (static_cast<double>(seen_) < before_stages_)  // the pre-training was another day
      go_on_from(static_cast<std::size_t>(before_stages_));
  }
  void save(Numbers& numbers) const override {
    numbers.put("seen", std::vector<double>{static_cast<double>(seen_)});
  }
  void load(const Numbers& numbers) override {
    go_on_from(numbers.get<std::size_t>("seen", 1).front());
  }
  bool stop() override { return crew_.any(interrupted); }

 private:
  void go_on_from(std::size_t seen) {
    seen_ = seen;
    progress_.go_on_from(seen_, share());
  }
  double share() const { return std::min(1.0, static_cast<double>(seen_) / total_); }

  const Crew& crew_;
  Progress progress_;
  double before_stages_;
  double total_;
  std::size_t seen_ = 0;
};

ExperimentOptions conditions(const TrainOptions& options, const Crew& crew) {
  Study study;
  study.variants.emplace_back();
  apply_image_options(options.images, study);
  ExperimentOptions chosen = study.variants.front();
  Training& training = chosen.training;
  if (options.rate) training.step.rate = *options.rate;
  if (options.steps) training.passes = *options.steps;
  if (options.batch) training.batch = *options.batch;
  if (options.pretraining) chosen.pretraining = *options.pretraining;
  chosen.noise = options.noise;
  chosen.clean_pretraining = options.clean_pretraining;
  chosen.threads = options.common.threads;
  chosen.group = crew.group();
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

// What is trained on what.
struct Work {
  ChosenMethod method;
  ExperimentOptions conditions;
  Dataset data;
  std::filesystem::path checkpoint;
};

Work prepare(const TrainOptions& options, const Crew& crew) {
  if (options.images.names.size() != 1) throw UsageError("--images: train takes one set of images");
  const ChosenMethod method = choose_one_method(options);
  const std::filesystem::path checkpoint = options.model + ".checkpoint";
  if (!options.resume && std::filesystem::exists(checkpoint))
    throw UsageError(fmt::format(
        "{}: left by an interrupted training; --resume goes on from it, removing it begins again",
        checkpoint.string()));
  if (options.resume && !std::filesystem::exists(checkpoint) && crew.speaks() &&
      !options.common.quiet)
    fmt::print(stderr, "{}: not there; training begins anew\n", checkpoint.string());
  const ExperimentOptions chosen = conditions(options, crew);
  Dataset data = open_image_dataset(options.images.names.front(), data_folders(options.folders),
                                    options.images, chosen, options.common.quiet || !crew.speaks());
  if (crew.speaks()) const AtomicFile probe(options.model);  // fails before the work
  return {method, chosen, std::move(data), checkpoint};
}

// All that decides the result, and what a resumed training begins with.
std::vector<std::string> describe(const TrainOptions& options, const Work& work) {
  const RunKey key = run_key(work.data, content_sha256(work.data), work.method, work.conditions,
                             options.learn.seed);
  std::string kept = "none";
  if (std::filesystem::exists(work.checkpoint)) {
    Input input(work.checkpoint);
    input.read_all();
    kept = sha256(input.view()).substr(0, 12);
  }
  return {fmt::format("version {} {}", version(), source_commit()),
          fmt::format("images {}", key.data_sha256.substr(0, 12)),
          fmt::format("method {}", key.method),
          fmt::format("options {}", key.configuration),
          fmt::format("seed {}", key.seed),
          fmt::format("threads {}", work.conditions.threads),
          fmt::format("device {}", work.conditions.device),
          fmt::format("checkpoint {}", kept)};
}

// What the one rank that speaks says and writes.
void finish(const TrainOptions& options, const Work& work, const ImageLearned& learned) {
  if (learned.report.stopped) {
    const bool kept = std::filesystem::exists(work.checkpoint);
    fmt::print(stderr, "uaspl: interrupted; no model was written{}\n",
               kept ? fmt::format("; --resume goes on from {}", work.checkpoint.string()) : "");
    return;
  }
  save_model(learned.model, options.model);
  std::filesystem::remove(work.checkpoint);
  warn_of(learned.report, learned.model.method);
  print_result(options, work.data, learned.model);
}

}  // namespace

int train_on_images(const TrainOptions& options) {
  const Crew crew(options.patience);
  std::optional<Work> work;
  const std::size_t threads = crew.usual_threads();
  const bool ready = crew.prepare([&] {
    work.emplace(prepare(options, crew));
    if (work->conditions.threads == 0) work->conditions.threads = threads;
    return describe(options, *work);
  });
  if (!ready) return crew.exit_code(kExitFailed);
  ImageLearned learned;
  {
    ImageWatch watch(
        crew, crew.speaks() && !options.common.quiet,
        planned_images(work->data, work->method, work->conditions, options.learn.seed));
    learned = learn_images(work->data, work->method, work->conditions, options.learn.seed,
                           work->checkpoint, &watch);
  }
  if (crew.speaks()) finish(options, *work, learned);
  crew.any(false);  // the others have done their work when rank 0 has written the model
  return crew.exit_code(learned.report.stopped ? kExitInterrupted : kExitDone);
}

}  // namespace uaspl::cli
