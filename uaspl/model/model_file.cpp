// Reads and writes model files, see model_file.hpp.
#include "uaspl/model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "uaspl/base/error.hpp"
#include "uaspl/io/file.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/json.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/model/model_check.hpp"
#include "uaspl/model/schema_json.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

// Format 1 holds a model of a table, 2 one of images, both with one network; 3 holds several
// networks; 4 holds evidence with a prior other than 1; 5 holds columns as they are: dates, decimal
// commas, rare categories, missing cells that are kept; 6 holds a threshold. A model is written in
// the lowest format that can hold it, so that older programs read what they can.
constexpr std::uint64_t kFormat = 6;
constexpr std::size_t kMostMembers = 10000;
constexpr double kLargestPrior = 1e6;
constexpr std::string_view kMetadataKey = "uaspl";

class NewerFormat : public Error {
 public:
  using Error::Error;
};

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
  const auto shape = integers<std::size_t>(value, "shape");
  if (shape.size() != 3) throw Error("images of an impossible shape");
  input.shape = {shape[0], shape[1], shape[2]};
  input.transform.mean = floats(value, "mean");
  input.transform.deviation = floats(value, "deviation");
  return input;
}

int format_of(const Model& model) {
  if (model.readout.decision) return 6;
  if (!model.is_of_images() && needs_more_than_levels(model.table().schema)) return 5;
  if (model.readout.prior != 1.0) return 4;
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
      {"schema",
       schema_json(model.is_of_images() ? Schema() : model.table().schema, model.target)}};
  if (model.readout.prior != 1.0) about["prior"] = model.readout.prior;
  if (const auto& decision = model.readout.decision)
    about["decision"] = {{"positive", decision->positive}, {"threshold", decision->threshold}};
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
  const auto count = integer<std::size_t>(about, "networks");
  if (count < 1 || count > kMostMembers) throw Error("an impossible number of networks");
  if (count == 1 && !about.contains("members"))
    return {{{about.contains("images") ? text(about["images"], "network") : "mlp",
              integers<std::size_t>(about, "hidden")},
             {}}};
  const json& list = part(about, "members");
  expect(list.is_array(), list, "members", "a list of networks");
  std::vector<Member> members;
  for (const json& one : list)
    members.push_back({{text(one, "network"), integers<std::size_t>(one, "hidden")}, {}});
  if (members.size() != count) throw Error("another number of members than of networks");
  return members;
}

std::map<std::string, std::string> configuration_from(const json& about) {
  const json& all = part(about, "configuration");
  expect(all.is_object(), all, "configuration", "an object of texts");
  std::map<std::string, std::string> configuration;
  for (const auto& [name, value] : all.items()) {
    expect(value.is_string(), value, name, "a text");
    configuration.emplace(name, value.get<std::string>());
  }
  return configuration;
}

// Reads everything but the tensors; throws if something is not as it should be.
Model model_from(const json& about) {
  Model model;
  model.version = text(about, "version");
  model.method = text(about, "method");
  model.configuration = configuration_from(about);
  model.readout.evidence = evidence_from(text(about, "outputs"));
  if (about.contains("prior")) model.readout.prior = number(about, "prior");
  if (!(model.readout.prior > 0.0 && model.readout.prior <= kLargestPrior))
    throw Error("an impossible prior of the evidence");
  if (about.contains("decision"))
    model.readout.decision = Decision{integer<std::size_t>(about["decision"], "positive"),
                                      number(about["decision"], "threshold")};
  model.seed = integer<std::uint32_t>(about, "seed");
  model.rows = integer<std::size_t>(about, "rows");
  model.data_sha256 = text(about, "data_sha256");
  const json& schema = part(about, "schema");
  model.target = {text(schema, "target"), texts(schema, "classes")};
  if (text(about, "encoding") != "standard") throw Error("an unknown encoding of the inputs");
  model.members = members_from(about);
  if (about.contains("images"))
    model.encoder = image_encoder_from(about["images"]);
  else
    model.encoder = TableEncoder{schema_from(schema), {}};
  if (about.contains("held_out")) {
    const json& held_out = about["held_out"];
    model.held_out = Metrics{number(held_out, "accuracy"), number(held_out, "precision"),
                             number(held_out, "recall"), number(held_out, "f1")};
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
  }
  if (taken != file.tensors.size()) throw Error("a tensor that is no weight of a network");
}

void take_tensors(TensorFile& file, Model& model) {
  if (model.is_of_images()) {
    check_description(model);
    return take_image_networks(file, model);
  }
  auto& encoder = std::get<TableEncoder>(model.encoder);
  encoder.scaler.mean = take_doubles(file, "scaler.mean", encoder.width());
  encoder.scaler.scale = take_doubles(file, "scaler.scale", encoder.width());
  check_description(model);
  std::size_t taken = 2;  // the scaler's
  for (std::size_t i = 0; i < model.members.size(); ++i) {
    model.members[i].weights = take_mlp(file, model, i);
    taken += model.members[i].weights.size();
  }
  if (taken != file.tensors.size()) throw Error("a tensor that is no weight of a network");
}

// Reads the description of a known format. Of a newer one, nothing else can be said.
json description_in(const std::string& text, std::string_view name) {
  json about = parse_json(text);
  const auto format = integer<std::uint64_t>(about, "format");
  if (format == 0) throw Error("a format that no program has written");
  if (format > kFormat)
    throw NewerFormat(
        fmt::format("{}: the model has format {}, this program reads up to {}; use a newer uaspl",
                    name, format, kFormat));
  return about;
}

}  // namespace

std::string write_model(const Model& model) {
  if (model.members.empty()) throw Error("a model without a network cannot be written");
  try {
    check_description(model);
    check_weights(model);
  } catch (const Error& error) {
    throw Error(fmt::format("the model cannot be written: {}", error.what()));
  }
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
  try {
    Model model = model_from(description_in(metadata->second, name));
    take_tensors(file, model);
    check_weights(model);
    return model;
  } catch (const NewerFormat&) {
    throw;
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
