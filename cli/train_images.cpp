// `uaspl train --images`: trains a model on images, and scores it on the test images.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/note.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/scores.hpp"
#include "cli/train.hpp"
#include "cli/training_processes.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/io/sha256.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/study/run_key.hpp"
#include "uaspl/train/checkpoint.hpp"

namespace uaspl::cli {
namespace {

// Counts images for the progress line and stops on Ctrl-C, on all ranks if one of them gets it.
class ImageWatch final : public Observer {
 public:
  ImageWatch(const TrainingProcesses& processes, bool wanted, const PlannedRows& planned)
      : processes_(processes),
        progress_(wanted),
        before_stages_(planned.pretraining),
        total_(planned.pretraining + planned.stages) {}
  void on_step(const Visit& visit, std::span<const float>) override {
    seen_ += visit.positions.size();
    progress_.show(seen_, static_cast<std::size_t>(total_), share(), "images");
  }
  void on_stage_start(const Stage&, const Probe&, const StageRows&) override {
    if (static_cast<double>(seen_) < before_stages_)  // the pre-training was done by an earlier run
      go_on_from(static_cast<std::size_t>(before_stages_));
  }
  void save(SavedState& numbers) const override {
    numbers.put("seen", std::vector<double>{static_cast<double>(seen_)});
  }
  void load(const SavedState& numbers) override {
    go_on_from(numbers.get<std::size_t>("seen", 1).front());
  }
  bool stop() override { return processes_.any(interrupted); }

 private:
  void go_on_from(std::size_t seen) {
    seen_ = seen;
    progress_.go_on_from(seen_, share());
  }
  double share() const { return std::min(1.0, static_cast<double>(seen_) / total_); }

  const TrainingProcesses& processes_;
  Progress progress_;
  double before_stages_;
  double total_;
  std::size_t seen_ = 0;
};

ExperimentOptions conditions(const TrainCommandOptions& options,
                             const TrainingProcesses& processes) {
  ExperimentOptions chosen =
      apply_conditions(options.conditions, {image_conditions(options.images)}).front();
  chosen.fit.seed = options.seed;
  chosen.fit.resources.threads = options.common.threads;
  chosen.fit.resources.group = processes.group();
  return chosen;
}

void print_result(const TrainCommandOptions& options, const Dataset& data, const Model& model,
                  const Evaluation& scores) {
  const std::string& network = model.members.front().network.name;
  if (options.common.json) {
    const nlohmann::json result = {
        {"model", options.model},
        {"method", model.method},
        {"network", network},
        {"rows", model.rows},
        {"classes", model.target.classes},
        {"held_out", scores_json(scores, model.target.classes, model.readout.decision)}};
    fmt::print("{}\n", json_text(result));
    return;
  }
  if (options.common.quiet) return;
  print_held_out(model, scores, "test images");
  fmt::print("{}: {} with {} on {} images of {}, {} classes\n",
             printable(options.model, kAllCharacters), model.method, network, model.rows, data.name,
             model.target.classes.size());
}

// The method, its options and the data of a training.
struct ImageTrainingJob {
  ChosenMethod method;
  ExperimentOptions conditions;
  Dataset data;
  std::filesystem::path checkpoint;
};

ImageTrainingJob prepare(const TrainCommandOptions& options, const TrainingProcesses& processes) {
  if (options.images.names.size() != 1) throw UsageError("--images: train takes one set of images");
  const ChosenMethod method = choose_one_method(options);
  const std::filesystem::path checkpoint = options.model + ".checkpoint";
  if (!options.resume && std::filesystem::exists(checkpoint))
    throw UsageError(fmt::format(
        "{}: left by an interrupted training; --resume goes on from it, removing it begins again",
        checkpoint.string()));
  if (options.resume && !std::filesystem::exists(checkpoint) && processes.speaks() &&
      !options.common.quiet)
    note("{}: not there; training begins anew", checkpoint.string());
  const ExperimentOptions chosen = conditions(options, processes);
  if (processes.speaks() && !options.common.quiet) note_of_rows_left_out({chosen});
  const DataFolders folders = data_folders(options.folders);
  Outputs outputs;
  outputs.reads_images(options.images.names.front(), folders);
  outputs.reads(options.conditions.start);
  outputs.writes(options.model);
  outputs.writes(checkpoint.string());
  Dataset data = open_image_dataset(options.images.names.front(), folders, options.images, chosen,
                                    options.common.quiet || !processes.speaks());
  if (processes.speaks()) const AtomicFile probe(options.model);  // fails before the work
  return {method, chosen, std::move(data), checkpoint};
}

RunKey key_of(const ImageTrainingJob& job) {
  return run_key(dataset_id(job.data), job.method, job.conditions, job.conditions.fit.seed);
}

// Describes all that decides the result, and what a resumed training begins with.
std::vector<std::string> describe(const ImageTrainingJob& job) {
  const RunKey key = key_of(job);
  std::string kept = "none";
  if (std::filesystem::exists(job.checkpoint)) {
    Input input(job.checkpoint);
    input.read_all();
    kept = sha256(input.view()).substr(0, 12);
  }
  return {fmt::format("version {} {}", version(), source_commit()),
          fmt::format("images {}", key.data_sha256.substr(0, 12)),
          fmt::format("method {}", key.method),
          fmt::format("options {}", key.configuration),
          fmt::format("seed {}", key.seed),
          fmt::format("threads {}", job.conditions.fit.resources.threads),
          fmt::format("device {}", job.conditions.fit.resources.device),
          fmt::format("checkpoint {}", kept)};
}

// Prints and writes the results, on the one rank that does so.
void finish(const TrainCommandOptions& options, const ImageTrainingJob& job,
            const TrainedModel& trained) {
  if (trained.report.stopped) {
    const bool kept = std::filesystem::exists(job.checkpoint);
    note("uaspl: interrupted; no model was written{}",
         kept ? fmt::format("; --resume goes on from {}", job.checkpoint.string()) : "");
    return;
  }
  save_model(trained.model, options.model);
  std::filesystem::remove(job.checkpoint);
  warn_of(trained.report, trained.model.method);
  print_result(options, job.data, trained.model, *trained.held_out);
}

}  // namespace

int train_on_images(const TrainCommandOptions& options) {
  const TrainingProcesses processes(options.patience);
  std::optional<ImageTrainingJob> job;
  const std::size_t threads = processes.usual_threads();
  const bool ready = processes.prepare([&] {
    job.emplace(prepare(options, processes));
    if (job->conditions.fit.resources.threads == 0) job->conditions.fit.resources.threads = threads;
    return describe(*job);
  });
  if (!ready) return processes.exit_code(kExitFailed);
  const FitOptions& fit = job->conditions.fit;
  const CheckpointFile checkpoint(job->checkpoint, run_text(key_of(*job)), processes.speaks());
  TrainedModel trained;
  {
    ImageWatch watch(processes, processes.speaks() && !options.common.quiet,
                     planned_rows(job->data, job->method, fit, job->conditions.rows, fit.seed));
    trained = train_model(job->data, job->method,
                          {.fit = fit,
                           .rows = job->conditions.rows,
                           .positive = options.positive,
                           .costs = options.costs},
                          &watch, &checkpoint);
  }
  if (processes.speaks()) finish(options, *job, trained);
  processes.any(false);  // the other ranks wait until rank 0 has written the model
  return processes.exit_code(trained.report.stopped ? kExitInterrupted : kExitDone);
}

}  // namespace uaspl::cli
