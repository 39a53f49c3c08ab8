// `uaspl inspect`: shows what a model file contains.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/columns.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/scores.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/model/model_file.hpp"

namespace uaspl::cli {
namespace {

struct InspectOptions {
  std::string model;
  CommonOptions common;
};

std::string outputs(const Model& model) {
  if (!model.readout.evidence) return "softmax";
  const std::string_view name = evidence_name(*model.readout.evidence);
  return model.readout.prior == 1.0
             ? fmt::format("evidence ({})", name)
             : fmt::format("evidence ({}), prior {}", name, model.readout.prior);
}

std::string_view words_for(Missing missing) {
  constexpr std::string_view kWords[] = {"rows with missing cells have no answer",
                                         "missing cells count as the mean of their column",
                                         "missing cells are errors", "missing cells are kept"};
  return kWords[static_cast<std::size_t>(missing)];
}

std::vector<FeatureColumn> features_of(const Model& model) {
  return model.is_of_images() ? std::vector<FeatureColumn>() : model.table().schema.features;
}

const NetworkKind& network_of(const Model& model) { return model.members.front().network; }

void print_json(const Model& model) {
  nlohmann::ordered_json result = {{"version", model.version},
                                   {"method", model.method},
                                   {"outputs", outputs(model)},
                                   {"seed", model.seed},
                                   {"rows", model.rows},
                                   {"data_sha256", model.data_sha256},
                                   {"hidden", network_of(model).hidden},
                                   {"target", model.target.name},
                                   {"classes", model.target.classes},
                                   {"configuration", model.configuration}};
  if (model.members.size() > 1) result["members"] = model.members.size();
  if (model.is_of_images()) {
    const ImageShape& shape = model.images().shape;
    result["images"] = {{"network", network_of(model).name},
                        {"channels", shape.channels},
                        {"height", shape.height},
                        {"width", shape.width}};
  }
  for (const FeatureColumn& column : features_of(model))
    result["features"].push_back({{"name", column.name}, {"levels", column.levels}});
  if (const auto& decision = model.readout.decision)
    result["decision"] = {{"positive", model.target.classes[decision->positive]},
                          {"threshold", decision->threshold}};
  if (!model.is_of_images())
    result["columns"] = columns_json(describe_columns(model.table().schema, model.target));
  if (model.held_out) result["held_out_accuracy"] = model.held_out->accuracy;
  fmt::print("{}\n", json_text(result));
}

void print_text(const Model& model) {
  fmt::print("method    {}, outputs read as {}\n", printable(model.method), outputs(model));
  if (model.is_of_images())
    fmt::print("network   {} for images of {} x {}, {}\n", printable(network_of(model).name),
               model.images().shape.height, model.images().shape.width,
               model.images().shape.channels == 1 ? "grey" : "RGB");
  else
    fmt::print("network   {} - {} - {}\n", model.table().width(),
               fmt::join(network_of(model).hidden, " - "), model.target.classes.size());
  if (model.members.size() > 1)
    fmt::print("members   {} networks, which share in every answer\n", model.members.size());
  fmt::print("trained   on {} rows, seed {}, by uaspl {}\n", model.rows, model.seed,
             printable(model.version));
  if (model.held_out)
    fmt::print("held out  accuracy {:.4f}, F1 {:.4f}\n", model.held_out->accuracy,
               model.held_out->f1);
  if (!model.data_sha256.empty())
    fmt::print("data      SHA-256 {}\n", printable(model.data_sha256, 64));
  fmt::print("target    {}: {}\n", printable(model.target.name), list_some(model.target.classes));
  if (model.readout.decision)
    fmt::print("label     {}\n", decision_text(*model.readout.decision, model.target.classes));
  if (!model.is_of_images()) {
    fmt::print("missing   {}\n", words_for(model.table().schema.missing));
    print_columns(stdout, describe_columns(model.table().schema, model.target));
  }
  fmt::print("training\n");
  for (const auto& [name, value] : model.configuration)
    fmt::print("  {} = {}\n", printable(name), printable(value));
}

int run_inspect(const InspectOptions& options) {
  const Model model = load_model(options.model);
  options.common.json ? print_json(model) : print_text(model);
  return kExitDone;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  CLI::App* inspect = app.add_subcommand("inspect", "Show what a model file says of itself.");
  const auto options = std::make_shared<InspectOptions>();
  inspect->add_option("model", options->model, "A model file")->required();
  add_common(*inspect, options->common);
  inspect->footer("Example:\n  uaspl inspect churn.model");
  inspect->callback([options, &action] { action = [options] { return run_inspect(*options); }; });
}

}  // namespace uaspl::cli
