// `uaspl eval`: scores a model on a table or on images with known classes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/images.hpp"
#include "cli/note.hpp"
#include "cli/options.hpp"
#include "cli/scores.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/uaspl.hpp"

namespace uaspl::cli {
namespace {

struct EvalOptions {
  std::string model;
  std::string data;
  std::vector<std::string> folders;
  std::string device;
  bool strict = false;
  FileOptions file;
  std::string weight;
  EvaluateOptions judging;
  CommonOptions common;
};

// The test images, or all of a folder that has no part for testing; classes by their names.
Evaluation evaluate_images(const EvalOptions& options, const Model& model) {
  ImageOptions reading;
  if (!find_known_images(options.data)) reading = image_options_for(model.images().shape);
  reading.to_judge = true;
  const auto images = std::make_shared<const ImageSet>(
      open_images(options.data, data_folders(options.folders), reading));
  const Predictor predictor(model, image_resources(options.common.threads, options.device));
  return evaluate(predictor, images, options.judging);
}

Evaluation evaluate_table(const EvalOptions& options, const Model& model) {
  const TableEncoder& table = model.table();
  const Dataset data =
      load_by_schema(options.data, table.schema, model.target, options.file.format(), &table.scaler,
                     options.strict, options.weight);
  if (!options.common.quiet) note_reading(data);
  if (data.table().weightless > 0 && !options.common.quiet)
    note("{}: {} row(s) of weight 0 left out", data.name, data.table().weightless);
  if (data.dropped() > 0)
    note("warning: {}: {} row(s) left out, as {} is missing", data.name, data.dropped(),
         table.schema.missing == Missing::kDrop ? "a value or the class" : "the class");
  std::size_t odd = 0;
  for (const OddCells& column : data.table().odd) odd += column.count;
  if (odd > 0)
    note(
        "warning: {}: {} cell(s) cannot be read as those of the training rows; --strict says which",
        data.name, odd);
  return evaluate(Predictor(model), data, options.judging);
}

// A matrix, or of many classes the pairs that occur: [true class, prediction, rows], by place.
nlohmann::ordered_json confusion_json(const Evaluation& e) {
  constexpr std::size_t kLargestMatrix = 1000;
  auto all = nlohmann::ordered_json::array();
  if (e.classes.size() > kLargestMatrix) {
    for (const auto& [pair, rows] : e.confusion.counts())
      all.push_back({pair.first, pair.second, rows});
    return {{"pairs", all}};
  }
  for (std::size_t i = 0; i < e.classes.size(); ++i) {
    std::vector<std::size_t> counts;
    for (std::size_t j = 0; j < e.classes.size(); ++j) counts.push_back(e.confusion(i, j));
    all.push_back(counts);
  }
  return all;
}

void print_json(const Model& model, const Evaluation& e) {
  nlohmann::ordered_json result = scores_json(e, model.target.classes, model.readout.decision);
  result["confusion"] = confusion_json(e);
  fmt::print("{}\n", json_text(result));
}

void print_text(const Model& model, const Evaluation& e, bool quiet) {
  const Metrics& m = e.metrics;
  fmt::print(
      "rows       {}{}\naccuracy   {:.4f}\nprecision  {:.4f} (macro)\nrecall     {:.4f} (macro)\n"
      "F1         {:.4f} (macro)\nlog-loss   {:.4f}\n",
      e.rows, e.weighted ? ", which count by their weights" : "", m.accuracy, m.precision, m.recall,
      m.f1, e.log_loss);
  print_baseline(e, model.target.classes);
  if (quiet) return;
  fmt::print("\n");
  print_classes(e, model.target.classes, true);
  if (e.thresholds) fmt::print("\n");
  print_thresholds(e, model.target.classes, model.readout.decision);
}

int run_eval(const EvalOptions& options) {
  const Model model = load_model(options.model);
  check_options_fit(options.model, model, options.file, options.folders, options.device);
  if (model.is_of_images() && !options.weight.empty())
    throw UsageError(options.model + " is a model of images; --weight is for tables");
  const Evaluation evaluation =
      model.is_of_images() ? evaluate_images(options, model) : evaluate_table(options, model);
  options.common.json ? print_json(model, evaluation)
                      : print_text(model, evaluation, options.common.quiet);
  if (evaluation.unknown > 0)
    note("warning: {} row(s) of classes that the model does not know count as wrong",
         evaluation.unknown);
  if (evaluation.unanswered > 0)
    note("warning: {} row(s) have no finite answer and count as wrong", evaluation.unanswered);
  return kExitDone;
}

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  CLI::App* eval =
      app.add_subcommand("eval", "Score a model on a table, or on images, with known classes.");
  const auto options = std::make_shared<EvalOptions>();
  eval->add_option("model", options->model, "A model file")->required();
  eval->add_option(
          "data", options->data,
          "Table (CSV, ARFF, libsvm or JSON lines, also in gzip), or - for standard input; for a "
          "model of images, a folder with one of "
          "pictures for each class,\nor the name of a known set, whose test images are taken")
      ->required();
  eval->add_option("--data", options->folders, "Folder of known image sets")
      ->allow_extra_args(false);
  eval->add_option("--device", options->device,
                   "Where networks for images run: cpu (default), or cuda where libtorch has it");
  eval->add_option("--weight", options->weight,
                   "Column of the rows' weights, by which they count; those of weight 0 are left "
                   "out");
  add_decision_options(*eval, options->judging.positive, options->judging.costs);
  eval->add_flag("--strict", options->strict,
                 "Categories that the model does not know, and cells that are no numbers or dates "
                 "where these are expected, are errors");
  add_file_options(*eval, options->file);
  add_common(*eval, options->common);
  eval->footer(
      "Examples:\n  uaspl eval churn.model last_month.csv\n  uaspl eval churn.model last_month.csv "
      "--json\n  uaspl eval fraud.model last_month.csv --cost FP=1,FN=20   (what a threshold would "
      "cost)\n  uaspl eval digits.model mnist");
  eval->callback([options, &action] { action = [options] { return run_eval(*options); }; });
}

}  // namespace uaspl::cli
