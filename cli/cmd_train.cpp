// `uaspl train`: trains a model on a table, and scores it on rows that were held out.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/columns.hpp"
#include "cli/commands.hpp"
#include "cli/note.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/scores.hpp"
#include "cli/train.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/model/model_file.hpp"

namespace uaspl::cli {
namespace {

// Counts steps for the progress line and stops on Ctrl-C.
class Watch final : public Observer {
 public:
  Watch(Progress& progress, std::size_t total) : progress_(progress), total_(total) {}
  void on_pass(int, int, double) override {
    ++done_;
    progress_.show(done_, total_, static_cast<double>(done_) / static_cast<double>(total_),
                   "steps");
  }
  void on_progress(double done) override {
    constexpr std::size_t kParts = 100;
    progress_.show(static_cast<std::size_t>(done * kParts), kParts, done, "parts");
  }
  bool stop() override { return interrupted; }

 private:
  Progress& progress_;
  std::size_t total_;
  std::size_t done_ = 0;
};

void print_result(const TrainCommandOptions& options, const Dataset& data, const Model& model,
                  const std::optional<Evaluation>& held_out) {
  if (options.common.json) {
    nlohmann::ordered_json result = {{"model", options.model},
                                     {"method", model.method},
                                     {"rows", model.rows},
                                     {"dropped", data.dropped()},
                                     {"classes", model.target.classes},
                                     {"columns", columns_json(describe_columns(data))}};
    if (!data.weights.empty() || !data.table().weight.empty())
      result["weightless"] = data.table().weightless;
    if (held_out)
      result["held_out"] = scores_json(*held_out, model.target.classes, model.readout.decision);
    fmt::print("{}\n", json_text(result));
    return;
  }
  if (options.common.quiet) return;
  if (held_out)
    print_held_out(
        model, *held_out,
        model.fusion ? "rows by members that were not trained on them" : "rows held out");
  fmt::print("{}: {} on all {} rows, {} classes, {} inputs\n",
             printable(options.model, kAllCharacters), model.method, model.rows,
             model.target.classes.size(), model.table().width());
}

// Says what was found in the table.
void report_data(const TrainCommandOptions& options, const Dataset& data) {
  if (!options.common.quiet && !options.common.json) print_columns(stderr, describe_columns(data));
  if (data.dropped() > 0 && !options.common.quiet)
    note("{}: {} row(s) with a missing value left out", data.name, data.dropped());
  for (const std::string& doubt : doubts(data)) note("warning: {}: {}", data.name, doubt);
}

void warn_of_held_out(const Evaluation& held_out) {
  std::size_t most = 0;
  for (const ClassScore& one : held_out.classes) most = std::max(most, one.rows);
  const double majority = static_cast<double>(most) / static_cast<double>(held_out.rows);
  if (held_out.metrics.accuracy <= majority)
    note(
        "warning: the accuracy on rows held out ({:.4f}) is not above that of always naming the "
        "most frequent class ({:.4f})",
        held_out.metrics.accuracy, majority);
}

}  // namespace

void print_held_out(const Model& model, const Evaluation& scores, std::string_view what) {
  const Metrics& m = scores.metrics;
  fmt::print(
      "on {} {}: accuracy {:.4f}, precision {:.4f}, recall {:.4f}, F1 {:.4f}, log-loss {:.4f}{}\n",
      scores.rows, what, m.accuracy, m.precision, m.recall, m.f1, scores.log_loss,
      scores.weighted ? " (by weight)" : "");
  const std::vector<std::string>& names = model.target.classes;
  print_baseline(scores, names);
  print_classes(scores, names, false);
  print_thresholds(scores, names, model.readout.decision);
}

ChosenMethod choose_one_method(const TrainCommandOptions& options) {
  const bool images = !options.images.names.empty();
  const std::string name = !options.method.empty() ? options.method
                           : images                ? "uaspl_hybrid"
                                                   : "uaspl";
  auto chosen = choose_methods(std::vector<std::string>{name}, options.settings);
  if (chosen.size() != 1) throw UnknownName("train takes one method; see `uaspl list methods`");
  return std::move(chosen.front());
}

void warn_of(const FitReport& report, std::string_view method) {
  if (report.diverged) note("warning: training diverged (a loss was not finite)");
  if (report.stalled)
    note(
        "warning: some rows ended without evidence and so without gradient; "
        "--set {}.evidence=softplus avoids that",
        method);
}

namespace {

int run_train(TrainCommandOptions options) {
  if (options.data.empty() == options.images.names.empty())
    throw UsageError(options.data.empty() ? "expected a table, or --images"
                                          : "a table and --images exclude each other");
  if (!options.images.names.empty()) return train_on_images(options);
  if (options.costs && options.test_fraction <= 0.0)
    throw UsageError("--cost chooses a threshold on rows held out, and --test-fraction 0 has none");
  if (options.images.any() || options.resume || !options.conditions.noise.empty())
    throw UsageError("--network, --profile, --resume, --noise and the like are for --images");
  const auto method = choose_one_method(options);
  if (!method.info->has_stages() && options.conditions.any_training())
    throw UsageError(fmt::format("{} has no stages; its own options are set by --set {}.OPTION",
                                 method.info->name, method.info->name));
  options.load.format = options.file.format();
  options.load.hash = true;  // the model records what it was trained on
  const DataFolders folders = data_folders(options.folders);
  Outputs outputs;
  outputs.reads_dataset(options.data, folders);
  outputs.reads(options.conditions.start);
  outputs.writes(options.model);
  const Dataset data = open_dataset(options.data, folders, options.load);
  check_learnable(data);
  if (!options.common.quiet) note_reading(data);
  if (data.table().weightless > 0 && !options.common.quiet)
    note("{}: {} row(s) of weight 0 left out", data.name, data.table().weightless);
  const AtomicFile probe(options.model);  // an output that cannot be written fails before the work

  const auto conditions = apply_conditions(options.conditions, {ExperimentOptions{}});
  if (!options.common.quiet) note_of_rows_left_out(conditions);
  TrainOptions training{.fit = conditions.front().fit,
                        .test_fraction = options.test_fraction,
                        .positive = options.positive,
                        .costs = options.costs};
  FitOptions& fit = training.fit;
  fit.seed = options.seed;
  if (!options.hidden.empty()) fit.network.hidden = options.hidden;
  fit.resources.threads = method.info->has_stages()
                              ? choose_threads(options.common.threads, data.rows())
                              : options.common.threads;  // many small fits use all cores
  const auto steps =
      static_cast<std::size_t>(fit.pretraining + fit.training.stages * fit.training.passes);
  TrainedModel trained;
  {
    Progress progress(!options.common.quiet);
    Watch watch(progress, steps * (options.test_fraction > 0.0 ? 2 : 1));
    trained = train_model(data, method, training, &watch);
  }
  if (trained.report.stopped) {
    note("uaspl: interrupted; no model was written");
    return kExitInterrupted;
  }
  save_model(trained.model, options.model);
  report_data(options, data);
  warn_of(trained.report, method.info->name);
  if (trained.held_out) warn_of_held_out(*trained.held_out);
  print_result(options, data, trained.model, trained.held_out);
  return kExitDone;
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App* train = app.add_subcommand("train", "Train a model on a table or on images.");
  const auto options = std::make_shared<TrainCommandOptions>();
  train->add_option("data", options->data,
                    "Table (CSV, ARFF, libsvm or JSON lines, also in gzip), name of a data set, or "
                    "- for standard input");
  train->add_option("-o,--output", options->model, "The model file to write")
      ->required()
      ->check(is_file_name);
  add_load_options(*train, options->load);
  train->add_option("--method", options->method,
                    "See `uaspl list methods`; default: uaspl, for images uaspl_hybrid");
  train->add_option("--seed", options->seed, "Of weights, and of a table's held-out rows")
      ->capture_default_str();
  train
      ->add_option("--test-fraction", options->test_fraction,
                   "Share of each class that is held out for the scores; 0: none")
      ->capture_default_str()
      ->check(is_finite)
      ->check(CLI::Range(0.0, 0.9));
  train->add_option("--hidden", options->hidden, "Widths of the hidden layers, default 128,128")
      ->delimiter(',')
      ->check(CLI::Range(1U, 65536U))
      ->allow_extra_args(false);
  add_training_options(*train, options->conditions, false);
  add_class_weight(*train, options->conditions.class_weights);
  add_decision_options(*train, options->positive, options->costs);
  add_start_option(*train, options->conditions);
  add_image_options(*train, options->images);
  train->add_flag("--resume", options->resume,
                  "Go on from the checkpoint that an interrupted training left");
  train
      ->add_option("--patience", options->patience,
                   "On several ranks: seconds to wait for the others before giving up")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 86400.0));
  train
      ->add_option("--set", options->settings,
                   "METHOD.OPTION=VALUE (see `uaspl list methods --options`)")
      ->allow_extra_args(false);
  train->add_option("--data", options->folders, "Folder of data sets; searched before $UASPL_DATA")
      ->allow_extra_args(false);
  add_noise_options(*train, options->conditions, false);
  train->get_option("--clean-pretraining")->needs("--noise");
  group_image_options(*train, {"--resume", "--patience", "--noise", "--clean-pretraining"});
  add_file_options(*train, options->file);
  forbid_table_options(*train);
  add_common(*train, options->common);
  train->footer(
      "What each column holds is decided by its cells, and shown: numbers, dates, categories; ids, "
      "free text and\nconstants are left out. Missing cells are kept. A part of the rows is held "
      "out, the model is trained "
      "on the rest\n"
      "and scored; then the model that is written is trained on all rows. With --images, the model "
      "that is\n"
      "written is the one that is scored, on the test images or, where a folder has none, on a "
      "fifth "
      "of each class.\n\n"
      "Examples:\n"
      "  uaspl train customers.csv --target churned -o churn.model\n"
      "  uaspl train iris --data data --method spl_linear -o iris.model\n"
      "  uaspl train scan.csv --target -1 --drop note --categorical ward --set "
      "uaspl.evidence=softplus -o m.model\n"
      "  uaspl train iris --stages 4 --share-step 0.25 --stop-below 0 --momentum 0.95 -o "
      "iris.model\n"
      "  uaspl train survey.csv --target answer --weight people -o survey.model\n"
      "  uaspl train fraud.csv --target fraud --class-weight balanced -o fraud.model\n"
      "  uaspl train fraud.csv --target fraud --positive yes --cost FP=1,FN=20 -o fraud.model   "
      "(a threshold of least cost)\n"
      "  uaspl train --images mnist --network resnet8 --profile mid -o digits.model   (again with "
      "--resume)\n"
      "  uaspl train --images photos/ --resize 32x32 --network resnet8 -o photos.model\n"
      "  uaspl train --images cifar10 --start pretrained.safetensors -o cifar.model   "
      "(scripts/convert_checkpoint)\n"
      "  mpirun -n 2 uaspl train --images cifar10 --network resnet18 -o cifar.model\n\n"
      "With --images, several ranks train one network: those of mpirun, or processes started with "
      "RANK, WORLD_SIZE,\n"
      "MASTER_ADDR and MASTER_PORT (docs/images.md).");
  train->callback([options, &action] { action = [options] { return run_train(*options); }; });
}

}  // namespace uaspl::cli
