// Reads and writes model files, see model_file.hpp.
#include "uaspl/model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/expansion.hpp"
#include "uaspl/io/file.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/json.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/model/model_check.hpp"
#include "uaspl/model/schema_json.hpp"
#include "uaspl/model/trust_tensors.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

// Format 1 holds a model of a table, 2 one of images, both with one network; 3 holds several
// networks; 4 holds evidence with a prior other than 1; 5 holds columns as they are: dates, decimal
// commas, rare categories, missing cells that are kept; 6 holds a threshold; 7 holds committees,
// forests, and the factor on the evidence of rows far from those of the training. A model is
// written in the lowest format that can hold it, so that older programs read what they can.
constexpr std::uint64_t kFormat = 7;
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

// Says whether a model is more than networks of equal votes on standardised inputs.
bool is_committee(const Model& model) {
  return model.fusion || model.novelty ||
         std::ranges::any_of(model.members, [](const Member& one) { return one.is_forest(); });
}

int format_of(const Model& model) {
  if (is_committee(model)) return 7;
  if (model.readout.decision) return 6;
  if (!model.is_of_images() && needs_more_than_levels(model.table().schema)) return 5;
  if (model.readout.prior != 1.0) return 4;
  if (model.members.size() > 1) return 3;
  return model.is_of_images() ? 2 : 1;
}

json to_json(const Member& member, const Model& model) {
  json about = {{"network", member.network.name}, {"hidden", member.network.hidden}};
  if (!model.fusion) return about;
  about["votes"] = member.votes;
  if (!member.is_forest()) about["scaling"] = member.scaling;
  return about;
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
  if (model.members.size() > 1 || is_committee(model))
    for (const Member& member : model.members) about["members"].push_back(to_json(member, model));
  if (model.fusion)
    about["fusion"] = {{"scalings", model.fusion->scalings.size()},
                       {"temperature", model.fusion->tempering.temperature},
                       {"evidence", model.fusion->tempering.evidence}};
  if (model.novelty) about["novelty"] = true;
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
  for (const json& one : list) {
    members.push_back({{text(one, "network"), integers<std::size_t>(one, "hidden")}, {}});
    if (!about.contains("fusion")) continue;
    members.back().votes = number(one, "votes");
    if (!members.back().is_forest()) members.back().scaling = integer<std::size_t>(one, "scaling");
  }
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
  std::vector<double> taken = std::move(*values);
  file.tensors.erase(found);
  return taken;
}

// How many inputs a network of a table reads.
std::size_t inputs_of(const Model& model, const Member& member) {
  return model.fusion ? model.fusion->scalings.at(member.scaling).width() : model.table().width();
}

// Takes the weights of an MLP, whose shapes follow from the model.
State take_mlp(TensorFile& file, const Model& model, std::size_t member) {
  std::vector<std::size_t> widths = model.members[member].network.hidden;
  widths.insert(widths.begin(), inputs_of(model, model.members[member]));
  widths.push_back(model.target.classes.size());
  State state;
  const auto take = [&](const std::string& name, const std::vector<std::size_t>& shape) {
    const auto found = file.tensors.find(network_prefix(member) + name);
    if (found == file.tensors.end()) throw Error("no tensor " + network_prefix(member) + name);
    auto* values = std::get_if<std::vector<float>>(&found->second.values);
    if (!values || found->second.shape != shape)
      throw Error("tensor " + found->first + " has another type or shape");
    state[name] = {shape, std::move(*values)};
    file.tensors.erase(found);
  };
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    take(fmt::format("fc{}.weight", l + 1), {widths[l + 1], widths[l]});
    take(fmt::format("fc{}.bias", l + 1), {widths[l + 1]});
  }
  return state;
}

// Takes all tensors of a member, whatever they are called; who uses them checks whether they fit.
State take_all(TensorFile& file, std::size_t member) {
  const std::string prefix = network_prefix(member);
  State state;
  for (auto at = file.tensors.lower_bound(prefix);
       at != file.tensors.end() && at->first.starts_with(prefix);) {
    auto* values = std::get_if<std::vector<float>>(&at->second.values);
    if (!values) throw Error("tensor " + at->first + " is no weight of the network");
    state[at->first.substr(prefix.size())] = {std::move(at->second.shape), std::move(*values)};
    at = file.tensors.erase(at);
  }
  return state;
}

void take_fusion(TensorFile& file, const json& about, Model& model) {
  const std::size_t inputs = model.table().width();
  if (about.contains("fusion")) {
    const json& said = about["fusion"];
    Fusion fusion;
    fusion.tempering = {number(said, "temperature"), number(said, "evidence")};
    const auto scalings = integer<std::size_t>(said, "scalings");
    if (scalings > kMostMembers) throw Error("an impossible number of scalings");
    for (std::size_t i = 0; i < scalings; ++i)
      fusion.scalings.push_back(take_scaling(file, fmt::format("scaling{}.", i), inputs));
    model.fusion = std::move(fusion);
  }
  if (about.contains("novelty"))
    model.novelty =
        take_novelty(file, "novelty.", inputs, input_kinds(model.table().schema).categories);
}

void take_tensors(TensorFile& file, const json& about, Model& model) {
  if (!model.is_of_images()) {
    auto& encoder = std::get<TableEncoder>(model.encoder);
    encoder.scaler.mean = take_doubles(file, "scaler.mean", encoder.width());
    encoder.scaler.scale = take_doubles(file, "scaler.scale", encoder.width());
    take_fusion(file, about, model);
  }
  check_description(model);
  for (std::size_t i = 0; i < model.members.size(); ++i) {
    const bool any = model.is_of_images() || model.members[i].is_forest();
    model.members[i].weights = any ? take_all(file, i) : take_mlp(file, model, i);
  }
  if (!file.tensors.empty()) throw Error("a tensor that is no weight of a network");
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
    if (model.fusion)
      for (std::size_t i = 0; i < model.fusion->scalings.size(); ++i)
        put_scaling(file, fmt::format("scaling{}.", i), model.fusion->scalings[i]);
    if (model.novelty) put_novelty(file, "novelty.", *model.novelty);
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
    const json about = description_in(metadata->second, name);
    Model model = model_from(about);
    take_tensors(file, about, model);
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
