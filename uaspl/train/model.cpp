// Saving, loading and using models, see model.hpp and docs/formats.md.
#include "uaspl/train/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "uaspl/base/error.hpp"
#include "uaspl/base/file.hpp"
#include "uaspl/base/input.hpp"
#include "uaspl/base/json.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/train/safetensors.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
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

json describe(const Model& model) {
  json about = {{"format", kFormat},
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
  const std::size_t inputs = model.scaler.mean.size();
  file.tensors["scaler.mean"] = {{inputs}, model.scaler.mean};
  file.tensors["scaler.scale"] = {{inputs}, model.scaler.scale};
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

Predictor::Predictor(const Model& model)
    : scaler_(model.scaler),
      evidence_(model.evidence),
      network_(std::make_shared<Matrix>(0, model.schema.width()),
               {model.schema.width(), model.hidden, model.schema.classes.size()}, 0) {
  network_.load(model.networks.front());
}

Predictions Predictor::predict(const DoubleMatrix& features) {
  std::vector<int> rows(features.rows());
  std::iota(rows.begin(), rows.end(), 0);
  return predict(features, rows);
}

Predictions Predictor::predict(const DoubleMatrix& features, std::span<const int> rows) {
  constexpr std::size_t kBlock = 4096;
  Predictions result;
  result.probabilities.resize(rows.size(), network_.classes());
  std::vector<int> places(std::min(kBlock, rows.size()));
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const auto block = rows.subspan(first, std::min(kBlock, rows.size() - first));
    network_.bind(std::make_shared<Matrix>(standardise(features, block, scaler_)));
    predict_block(network_.logits({std::span(places).first(block.size())}), result);
  }
  return result;
}

// Adds the rows of the block after those that are there.
void Predictor::predict_block(const Matrix& logits, Predictions& result) const {
  const std::size_t first = result.labels.size();
  const auto append = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(result.labels, predicted_classes(logits));
  if (evidence_) append(result.vacuity, vacuity(logits, *evidence_));
  std::vector<double> mass(logits.cols());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    std::ranges::copy(logits.row(i), mass.begin());
    const double top = std::ranges::max(mass);
    for (double& m : mass) m = evidence_ ? evidence_of(*evidence_, m) + 1.0 : std::exp(m - top);
    const double sum = std::accumulate(mass.begin(), mass.end(), 0.0);
    double entropy = 0.0;
    for (std::size_t k = 0; k < mass.size(); ++k) {
      const double p = mass[k] / sum;
      result.probabilities(first + i, k) = static_cast<float>(p);
      if (p > 0.0) entropy -= p * std::log(p);
    }
    result.entropy.push_back(static_cast<float>(entropy));
  }
}

}  // namespace uaspl
