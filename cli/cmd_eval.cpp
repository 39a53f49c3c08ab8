// `uaspl eval`: scores a model on a table or on images with known classes.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/commands.hpp"
#include "cli/images.hpp"
#include "cli/note.hpp"
#include "cli/options.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/uaspl.hpp"

namespace uaspl::cli {
namespace {

constexpr std::size_t kMostShown = 50;  // classes in a table for people

struct EvalOptions {
  std::string model;
  std::string data;
  std::vector<std::string> folders;
  std::string device;
  FileOptions file;
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
  return evaluate(predictor, images);
}

Evaluation evaluate_table(const EvalOptions& options, const Model& model) {
  const Dataset data = load_dataset_for(model, options.data, options.file.format());
  if (!options.common.quiet) note_reading(data);
  if (data.dropped() > 0 && !options.common.quiet)
    note("{}: {} row(s) with a missing value left out", data.name, data.dropped());
  return evaluate(Predictor(model), data);
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
  nlohmann::ordered_json result = {{"rows", e.rows},
                                   {"unknown", e.unknown},
                                   {"unanswered", e.unanswered},
                                   {"accuracy", e.metrics.accuracy},
                                   {"precision", e.metrics.precision},
                                   {"recall", e.metrics.recall},
                                   {"f1", e.metrics.f1},
                                   {"log_loss", e.log_loss}};
  for (std::size_t k = 0; k < e.classes.size(); ++k) {
    const ClassScore& c = e.classes[k];
    result["classes"].push_back({{"name", model.target.classes[k]},
                                 {"rows", c.rows},
                                 {"precision", c.precision},
                                 {"recall", c.recall},
                                 {"f1", c.f1}});
  }
  result["confusion"] = confusion_json(e);
  fmt::print("{}\n", json_text(result));
}

void print_text(const Model& model, const Evaluation& e) {
  const Metrics& m = e.metrics;
  fmt::print(
      "rows       {}\naccuracy   {:.4f}\nprecision  {:.4f} (macro)\nrecall     {:.4f} (macro)\n"
      "F1         {:.4f} (macro)\nlog-loss   {:.4f}\n\n",
      e.rows, m.accuracy, m.precision, m.recall, m.f1, e.log_loss);
  const auto shown = std::min(kMostShown, e.classes.size());
  std::vector<std::string> names;
  for (const std::string& name : std::span(model.target.classes).first(shown))
    names.push_back(printable(name));
  std::size_t width = 5;
  for (const std::string& name : names) width = std::max(width, name.size());
  fmt::print("{:<{}}  {:>9}  {:>7}  {:>7}  {:>6}   predicted as\n", "class", width, "precision",
             "recall", "F1", "rows");
  fmt::print("{:<{}}  {:>9}  {:>7}  {:>7}  {:>6} ", "", width, "", "", "", "");
  for (const std::string& name : names) fmt::print(" {:>{}}", name, width);
  for (std::size_t k = 0; k < shown; ++k) {
    const ClassScore& c = e.classes[k];
    fmt::print("\n{:<{}}  {:>9.4f}  {:>7.4f}  {:>7.4f}  {:>6} ", names[k], width, c.precision,
               c.recall, c.f1, c.rows);
    for (std::size_t j = 0; j < shown; ++j) fmt::print(" {:>{}}", e.confusion(k, j), width);
  }
  fmt::print("\n");
  if (shown < e.classes.size())
    fmt::print("and {} more classes; --json has all\n", e.classes.size() - shown);
}

int run_eval(const EvalOptions& options) {
  const Model model = load_model(options.model);
  check_options_fit(options.model, model, options.file, options.folders, options.device);
  const Evaluation evaluation =
      model.is_of_images() ? evaluate_images(options, model) : evaluate_table(options, model);
  options.common.json ? print_json(model, evaluation) : print_text(model, evaluation);
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
  add_file_options(*eval, options->file);
  add_common(*eval, options->common);
  eval->footer(
      "Examples:\n  uaspl eval churn.model last_month.csv\n  uaspl eval churn.model last_month.csv "
      "--json\n  uaspl eval digits.model mnist");
  eval->callback([options, &action] { action = [options] { return run_eval(*options); }; });
}

}  // namespace uaspl::cli
