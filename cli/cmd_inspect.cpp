// `uaspl inspect`: what a model file says of itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/train/model.hpp"

namespace uaspl::cli {
namespace {

struct InspectOptions {
  std::string model;
  CommonOptions common;
};

std::string outputs(const Model& model) {
  return model.evidence ? fmt::format("evidence ({})", evidence_name(*model.evidence)) : "softmax";
}

void print_json(const Model& model) {
  nlohmann::ordered_json result = {{"version", model.version},
                                   {"method", model.method},
                                   {"outputs", outputs(model)},
                                   {"seed", model.seed},
                                   {"rows", model.rows},
                                   {"data_sha256", model.data_sha256},
                                   {"hidden", model.hidden},
                                   {"target", model.schema.target},
                                   {"classes", model.schema.classes},
                                   {"configuration", model.configuration}};
  if (model.images)
    result["images"] = {{"network", model.images->network},
                        {"channels", model.images->shape.channels},
                        {"height", model.images->shape.height},
                        {"width", model.images->shape.width}};
  for (const FeatureColumn& column : model.schema.features)
    result["features"].push_back({{"name", column.name}, {"levels", column.levels}});
  if (model.held_out) result["held_out_accuracy"] = model.held_out->accuracy;
  fmt::print("{}\n", result.dump());
}

void print_text(const Model& model) {
  fmt::print("method    {}, outputs read as {}\n", model.method, outputs(model));
  if (model.images)
    fmt::print("network   {} for images of {} x {}, {}\n", model.images->network,
               model.images->shape.height, model.images->shape.width,
               model.images->shape.channels == 1 ? "grey" : "RGB");
  else
    fmt::print("network   {} - {} - {}\n", model.schema.width(), fmt::join(model.hidden, " - "),
               model.schema.classes.size());
  fmt::print("trained   on {} rows, seed {}, by uaspl {}\n", model.rows, model.seed, model.version);
  if (model.held_out)
    fmt::print("held out  accuracy {:.4f}, F1 {:.4f}\n", model.held_out->accuracy,
               model.held_out->f1);
  if (!model.data_sha256.empty()) fmt::print("data      SHA-256 {}\n", model.data_sha256);
  fmt::print("target    {}: {}\n", model.schema.target, list_some(model.schema.classes));
  if (!model.images) fmt::print("features\n");
  for (const FeatureColumn& column : model.schema.features)
    fmt::print("  {}{}\n", column.name,
               column.categorical() ? ": " + list_some(column.levels) : "");
  fmt::print("training\n");
  for (const auto& [name, value] : model.configuration) fmt::print("  {} = {}\n", name, value);
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
