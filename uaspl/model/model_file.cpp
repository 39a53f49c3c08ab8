// Reads and writes model files, see model_file.hpp.
#include "uaspl/model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "uaspl/base/error.hpp"
#include "uaspl/io/file.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/json.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/net/image_network.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

// Format 1 holds a model of a table, 2 one of images, both with one network; 3 holds several
// networks. A model is written in the lowest format that can hold it, so that older programs read
// what they can.
constexpr std::uint64_t kFormat = 3;
constexpr std::size_t kMostMembers = 10000;
constexpr std::string_view kMetadataKey = "uaspl";
constexpr std::string_view kMissingNames[] = {"drop", "mean", "error"};

json to_json(const Schema& schema, const Target& target) {
  json features = json::array();
  for (const FeatureColumn& column : schema.features)
    features.push_back({{"name", column.name}, {"levels", column.levels}});
  return {{"target", target.name},
          {"classes", target.classes},
          {"features", features},
          {"missing", kMissingNames[static_cast<std::size_t>(schema.missing)]}};
}

Schema schema_from(const json& value) {
  Schema schema;
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

json to_json(const ImageEncoder& input, const std::string& network) {
  return {{"network", network},
          {"shape", {input.shape.channels, input.shape.height, input.shape.width}},
          {"mean", input.transform.mean},
          {"deviation", input.transform.deviation}};
}

ImageEncoder image_encoder_from(const json& value) {
  ImageEncoder input;
  const auto shape = value.at("shape").get<std::vector<std::size_t>>();
  if (shape.size() != 3) throw Error("images of an impossible shape");
  input.shape = {shape[0], shape[1], shape[2]};
  input.transform.mean = value.at("mean").get<std::vector<float>>();
  input.transform.deviation = value.at("deviation").get<std::vector<float>>();
  return input;
}

int format_of(const Model& model) {
  if (model.members.size() > 1) return 3;
  return model.is_of_images() ? 2 : 1;
}

json describe(const Model& model) {
  const NetworkKind& first = model.members.front().network;
  json about = {
      {"format", format_of(model)},
      {"version", model.version},
      {"method", model.method},
      {"configuration", model.configuration},
      {"outputs", model.readout.evidence ? evidence_name(*model.readout.evidence) : "softmax"},
      {"seed", model.seed},
      {"rows", model.rows},
      {"data_sha256", model.data_sha256},
      {"hidden", first.hidden},
      {"networks", model.members.size()},
      {"encoding", "standard"},
      {"schema", to_json(model.is_of_images() ? Schema() : model.table().schema, model.target)}};
  if (model.is_of_images()) about["images"] = to_json(model.images(), first.name);
  if (model.members.size() > 1)
    for (const Member& member : model.members)
      about["members"].push_back(
          {{"network", member.network.name}, {"hidden", member.network.hidden}});
  if (model.held_out)
    about["held_out"] = {{"accuracy", model.held_out->accuracy},
                         {"precision", model.held_out->precision},
                         {"recall", model.held_out->recall},
                         {"f1", model.held_out->f1}};
  return about;
}

// Reads the members without their weights.
std::vector<Member> members_from(const json& about) {
  const auto count = about.at("networks").get<std::size_t>();
  if (count < 1 || count > kMostMembers) throw Error("an impossible number of networks");
  const bool images = about.contains("images");
  if (count == 1 && !about.contains("members"))
    return {{{images ? about["images"].at("network").get<std::string>() : "mlp",
              about.at("hidden").get<std::vector<std::size_t>>()},
             {}}};
  std::vector<Member> members;
  for (const json& one : about.at("members"))
    members.push_back(
        {{one.at("network").get<std::string>(), one.at("hidden").get<std::vector<std::size_t>>()},
         {}});
  if (members.size() != count) throw Error("another number of members than of networks");
  return members;
}

// Reads everything but the tensors; throws if something is not as it should be.
Model model_from(const json& about) {
  Model model;
  model.version = about.at("version").get<std::string>();
  model.method = about.at("method").get<std::string>();
  model.configuration = about.at("configuration").get<std::map<std::string, std::string>>();
  model.readout.evidence = evidence_from(about.at("outputs").get<std::string>());
  model.seed = about.at("seed").get<std::uint32_t>();
  model.rows = about.at("rows").get<std::size_t>();
  model.data_sha256 = about.at("data_sha256").get<std::string>();
  const json& schema = about.at("schema");
  model.target = {schema.at("target").get<std::string>(),
                  schema.at("classes").get<std::vector<std::string>>()};
  if (about.at("encoding") != "standard") throw Error("an unknown encoding of the inputs");
  model.members = members_from(about);
  if (about.contains("images"))
    model.encoder = image_encoder_from(about["images"]);
  else
    model.encoder = TableEncoder{schema_from(schema), {}};
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

// Takes the weights of an MLP, whose shapes follow from the model.
State take_mlp(TensorFile& file, const Model& model, std::size_t member) {
  std::vector<std::size_t> widths = model.members[member].network.hidden;
  widths.insert(widths.begin(), model.table().width());
  widths.push_back(model.target.classes.size());
  State state;
  const auto take = [&](const std::string& name, const std::vector<std::size_t>& shape) {
    const auto found = file.tensors.find(network_prefix(member) + name);
    if (found == file.tensors.end()) throw Error("no tensor " + network_prefix(member) + name);
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

// Compares their number before a network of the claimed kind and size is made.
void check_image_weights(const Model& model, const Member& member) {
  const std::size_t expected =
      image_network_weights(member.network.name, model.images().shape, model.target.classes.size());
  std::size_t there = 0;
  for (const auto& [name, tensor] : member.weights) there += tensor.values.size();
  if (there != expected)
    throw Error(fmt::format("{} weights, and a {} of this shape has {}", there, member.network.name,
                            expected));
}

// Takes the weights of all networks for images; the networks check later whether each fits.
void take_image_networks(TensorFile& file, Model& model) {
  std::size_t taken = 0;
  for (std::size_t member = 0; member < model.members.size(); ++member) {
    const std::string prefix = network_prefix(member);
    for (auto at = file.tensors.lower_bound(prefix);
         at != file.tensors.end() && at->first.starts_with(prefix); ++at, ++taken) {
      auto* values = std::get_if<std::vector<float>>(&at->second.values);
      if (!values) throw Error("tensor " + at->first + " is no weight of the network");
      model.members[member].weights[at->first.substr(prefix.size())] = {std::move(at->second.shape),
                                                                        std::move(*values)};
    }
    check_image_weights(model, model.members[member]);
  }
  if (taken != file.tensors.size()) throw Error("a tensor that is no weight of a network");
}

void check_images(const Model& model) {
  const ImageEncoder& input = model.images();
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
  for (const Member& member : model.members) find_image_network(member.network.name);
}

void check_table(const Model& model) {
  if (model.table().width() == 0) throw Error("no input column");
  const auto good_scale = [](double s) { return std::isfinite(s) && s > 0.0; };
  const auto finite = [](double x) { return std::isfinite(x); };
  for (const Member& member : model.members)
    if (member.network.name != "mlp" || member.network.hidden.empty() ||
        std::ranges::count(member.network.hidden, std::size_t{0}) > 0)
      throw Error("a network that is none for tables, or has no hidden layer");
  const Scaler& scaler = model.table().scaler;
  if (!std::ranges::all_of(scaler.scale, good_scale) || !std::ranges::all_of(scaler.mean, finite))
    throw Error("a scale that is not positive or a mean that is not finite");
}

void take_tensors(TensorFile& file, Model& model) {
  if (model.target.classes.empty()) throw Error("no class");
  if (model.is_of_images()) {
    check_images(model);
    return take_image_networks(file, model);
  }
  auto& encoder = std::get<TableEncoder>(model.encoder);
  encoder.scaler.mean = take_doubles(file, "scaler.mean", encoder.width());
  encoder.scaler.scale = take_doubles(file, "scaler.scale", encoder.width());
  check_table(model);
  std::size_t taken = 2;  // the scaler's
  for (std::size_t i = 0; i < model.members.size(); ++i) {
    model.members[i].weights = take_mlp(file, model, i);
    taken += model.members[i].weights.size();
  }
  if (taken != file.tensors.size()) throw Error("a tensor that is no weight of a network");
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
  if (model.members.empty()) throw Error("a model without a network cannot be written");
  TensorFile file;
  file.metadata[std::string(kMetadataKey)] = describe(model).dump();
  if (!model.is_of_images()) {
    const Scaler& scaler = model.table().scaler;
    file.tensors["scaler.mean"] = {{scaler.mean.size()}, scaler.mean};
    file.tensors["scaler.scale"] = {{scaler.scale.size()}, scaler.scale};
  }
  for (std::size_t i = 0; i < model.members.size(); ++i)
    for (const auto& [name, tensor] : model.members[i].weights)
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
  const auto format = described && about["format"].is_number_unsigned()
                          ? about["format"].get<std::uint64_t>()
                          : std::uint64_t{0};
  if (format > kFormat)
    throw Error(
        fmt::format("{}: the model has format {}, this program reads up to {}; use a newer uaspl",
                    name, format, kFormat));
  try {
    if (format == 0) throw Error("no description");
    Model model = model_from(about);
    take_tensors(file, model);
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
