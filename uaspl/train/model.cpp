// Saving, loading and using models, see model.hpp and docs/formats.md.
#include "uaspl/train/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "uaspl/base/error.hpp"
#include "uaspl/base/file.hpp"
#include "uaspl/base/input.hpp"
#include "uaspl/base/json.hpp"
#include "uaspl/net/deep.hpp"
#include "uaspl/train/safetensors.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

constexpr int kFormat = 2;  // 1: tables only
constexpr std::string_view kMetadataKey = "uaspl";
constexpr std::string_view kMissingNames[] = {"drop", "mean", "error"};

json to_json(const Schema& schema) {
  json features = json::array();
  for (const FeatureColumn& column : schema.features)
    features.push_back({{"name", column.name}, {"levels", column.levels}});
  return {{"target", schema.target},
          {"classes", schema.classes},
          {"features", features},
          {"missing", kMissingNames[static_cast<std::size_t>(schema.missing)]}};
}

Schema schema_from(const json& value) {
  Schema schema;
  schema.target = value.at("target").get<std::string>();
  schema.classes = value.at("classes").get<std::vector<std::string>>();
  for (const json& column : value.at("features"))
    schema.features.push_back({column.at("name").get<std::string>(),
                               column.at("levels").get<std::vector<std::string>>()});
  const auto* missing = std::ranges::find(kMissingNames, value.at("missing").get<std::string>());
  if (missing == std::end(kMissingNames)) throw Error("an unknown treatment of missing values");
  schema.missing = static_cast<Missing>(missing - std::begin(kMissingNames));
  return schema;
}

std::optional<Evidence> evidence_from(const std::string& name) {
  if (name == "softmax") return std::nullopt;
  for (const Evidence evidence : kEvidences)
    if (evidence_name(evidence) == name) return evidence;
  throw Error("an unknown kind of evidence");
}

json to_json(const ImageInput& input) {
  return {{"network", input.network},
          {"shape", {input.shape.channels, input.shape.height, input.shape.width}},
          {"mean", input.transform.mean},
          {"deviation", input.transform.deviation}};
}

ImageInput image_input_from(const json& value) {
  ImageInput input;
  input.network = value.at("network").get<std::string>();
  const auto shape = value.at("shape").get<std::vector<std::size_t>>();
  if (shape.size() != 3) throw Error("images of an impossible shape");
  input.shape = {shape[0], shape[1], shape[2]};
  input.transform.mean = value.at("mean").get<std::vector<float>>();
  input.transform.deviation = value.at("deviation").get<std::vector<float>>();
  return input;
}

json describe(const Model& model) {
  json about = {{"format", model.images ? kFormat : 1},
                {"version", model.version},
                {"method", model.method},
                {"configuration", model.configuration},
                {"outputs", model.evidence ? evidence_name(*model.evidence) : "softmax"},
                {"seed", model.seed},
                {"rows", model.rows},
                {"data_sha256", model.data_sha256},
                {"hidden", model.hidden},
                {"networks", model.networks.size()},
                {"encoding", "standard"},
                {"schema", to_json(model.schema)}};
  if (model.images) about["images"] = to_json(*model.images);
  if (model.held_out)
    about["held_out"] = {{"accuracy", model.held_out->accuracy},
                         {"precision", model.held_out->precision},
                         {"recall", model.held_out->recall},
                         {"f1", model.held_out->f1}};
  return about;
}

// Everything but the tensors; what is not as it should be throws.
Model model_from(const json& about) {
  Model model;
  model.version = about.at("version").get<std::string>();
  model.method = about.at("method").get<std::string>();
  model.configuration = about.at("configuration").get<std::map<std::string, std::string>>();
  model.evidence = evidence_from(about.at("outputs").get<std::string>());
  model.seed = about.at("seed").get<std::uint32_t>();
  model.rows = about.at("rows").get<std::size_t>();
  model.data_sha256 = about.at("data_sha256").get<std::string>();
  model.hidden = about.at("hidden").get<std::vector<std::size_t>>();
  model.schema = schema_from(about.at("schema"));
  if (about.at("encoding") != "standard") throw Error("an unknown encoding of the inputs");
  if (about.at("networks") != 1) throw Error("a number of networks other than one");
  if (about.contains("images")) model.images = image_input_from(about["images"]);
  if (about.contains("held_out")) {
    const json& held_out = about["held_out"];
    model.held_out =
        Metrics{held_out.at("accuracy").get<double>(), held_out.at("precision").get<double>(),
                held_out.at("recall").get<double>(), held_out.at("f1").get<double>()};
  }
  return model;
}

std::string network_prefix(std::size_t network) { return fmt::format("network{}.", network); }

std::vector<double> take_doubles(TensorFile& file, const std::string& name, std::size_t size) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) throw Error("no tensor " + name);
  auto* values = std::get_if<std::vector<double>>(&found->second.values);
  if (!values || found->second.shape != std::vector<std::size_t>{size})
    throw Error("tensor " + name + " has another type or shape");
  return std::move(*values);
}

// The network's weights, whose shapes follow from the model.
State take_network(TensorFile& file, const Model& model) {
  std::vector<std::size_t> widths = model.hidden;
  widths.insert(widths.begin(), model.schema.width());
  widths.push_back(model.schema.classes.size());
  State state;
  const auto take = [&](const std::string& name, const std::vector<std::size_t>& shape) {
    const auto found = file.tensors.find(network_prefix(0) + name);
    if (found == file.tensors.end()) throw Error("no tensor " + network_prefix(0) + name);
    auto* values = std::get_if<std::vector<float>>(&found->second.values);
    if (!values || found->second.shape != shape)
      throw Error("tensor " + found->first + " has another type or shape");
    state[name] = {shape, std::move(*values)};
  };
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    take(fmt::format("fc{}.weight", l + 1), {widths[l + 1], widths[l]});
    take(fmt::format("fc{}.bias", l + 1), {widths[l + 1]});
  }
  return state;
}

// All of them; whether they fit, the network says.
State take_image_network(TensorFile& file) {
  State state;
  for (auto& [key, tensor] : file.tensors) {
    auto* values = std::get_if<std::vector<float>>(&tensor.values);
    if (!values || !key.starts_with(network_prefix(0)))
      throw Error("tensor " + key + " is no weight of the network");
    state[key.substr(network_prefix(0).size())] = {std::move(tensor.shape), std::move(*values)};
  }
  return state;
}

void check_image_input(const Model& model) {
  const ImageInput& input = *model.images;
  const std::vector<float>& mean = input.transform.mean;
  const std::vector<float>& deviation = input.transform.deviation;
  const auto good = [](float d) { return std::isfinite(d) && d > 0.0F; };
  const bool shaped = (input.shape.channels == 1 || input.shape.channels == 3) &&
                      input.shape.height >= 1 && input.shape.height <= kMostNetworkPixels &&
                      input.shape.width >= 1 &&
                      input.shape.width <= kMostNetworkPixels / input.shape.height;
  if (!shaped || mean.size() != input.shape.channels || deviation.size() != mean.size())
    throw Error("images of an impossible shape");
  if (!std::ranges::all_of(deviation, good) ||
      !std::ranges::all_of(mean, [](float m) { return std::isfinite(m); }))
    throw Error("a deviation that is not positive or a mean that is not finite");
  if (model.schema.classes.empty()) throw Error("no class");
  find_deep_network(input.network);
}

void check_values(const Model& model) {
  const auto good_scale = [](double s) { return std::isfinite(s) && s > 0.0; };
  const auto finite = [](double x) { return std::isfinite(x); };
  if (model.schema.classes.empty() || model.hidden.empty())
    throw Error("no class or no hidden layer");
  if (!std::ranges::all_of(model.scaler.scale, good_scale) ||
      !std::ranges::all_of(model.scaler.mean, finite))
    throw Error("a scale that is not positive or a mean that is not finite");
}

json parse_description(const std::string& text) {
  try {
    return parse_json(text);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::string write_model(const Model& model) {
  TensorFile file;
  file.metadata[std::string(kMetadataKey)] = describe(model).dump();
  if (!model.images) {
    const std::size_t inputs = model.scaler.mean.size();
    file.tensors["scaler.mean"] = {{inputs}, model.scaler.mean};
    file.tensors["scaler.scale"] = {{inputs}, model.scaler.scale};
  }
  for (std::size_t i = 0; i < model.networks.size(); ++i)
    for (const auto& [name, tensor] : model.networks[i])
      file.tensors[network_prefix(i) + name] = {tensor.shape, tensor.values};
  return write_safetensors(file);
}

Model read_model(std::string_view bytes, std::string_view name) {
  TensorFile file = read_safetensors(bytes, name);
  const auto metadata = file.metadata.find(std::string(kMetadataKey));
  if (metadata == file.metadata.end())
    throw Error(fmt::format("{}: a safetensors file, but not a uaspl model", name));
  const json about = parse_description(metadata->second);
  const bool described =
      about.is_object() && about.contains("format") && about["format"].is_number_integer();
  if (described && about["format"] > kFormat)
    throw Error(
        fmt::format("{}: the model has format {}, this program reads up to {}; use a newer uaspl",
                    name, about["format"].get<std::int64_t>(), kFormat));
  try {
    if (!described) throw Error("no description");
    Model model = model_from(about);
    if (model.images) {
      check_image_input(model);
      model.networks.push_back(take_image_network(file));
      return model;
    }
    const std::size_t inputs = model.schema.width();
    model.scaler.mean = take_doubles(file, "scaler.mean", inputs);
    model.scaler.scale = take_doubles(file, "scaler.scale", inputs);
    model.networks.push_back(take_network(file, model));
    check_values(model);
    return model;
  } catch (const json::exception&) {
    throw Error(fmt::format("{}: not a valid model file: its description is not complete", name));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: not a valid model file: {}", name, error.what()));
  }
}

void save_model(const Model& model, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.write(write_model(model));
  file.commit();
}

Model load_model(const std::filesystem::path& path) {
  Input input(path);
  input.read_all();
  return read_model(input.view(), input.name());
}

}  // namespace uaspl
