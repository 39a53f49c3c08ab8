// Reads the weights that a training begins with, see start_weights.hpp.
#include "uaspl/net/start_weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {
namespace {

// Files that are likely to be named by mistake get a sentence of their own.
void check_kind(std::string_view bytes, const std::string& name) {
  if (bytes.starts_with("version https://git-lfs"))
    throw Error(fmt::format(
        "{}: a pointer of Git LFS, not the file that it stands for; `git lfs pull` fetches that",
        name));
  const bool archive = bytes.starts_with("PK\x03\x04");
  if (archive || (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] > 1 && bytes[1] < 6))
    throw Error(fmt::format(
        "{}: looks like a file of torch.save; scripts/convert_checkpoint makes a safetensors file "
        "of its weights",
        name));
}

Tensor to_weights(StoredTensor stored, const std::string& name) {
  Tensor tensor{std::move(stored.shape), {}};
  const auto take = [&](const auto& values) {
    for (const auto value : values) {
      if (!(std::abs(value) <= std::numeric_limits<float>::max()))
        throw Error(fmt::format(
            "tensor '{}' has values that are not finite, or that no float holds", printable(name)));
      tensor.values.push_back(static_cast<float>(value));
    }
  };
  std::visit(take, stored.values);
  return tensor;
}

// The name of a tensor in a model file with one network; empty if it is none of its weights.
std::string name_in_model(const std::string& name) {
  constexpr std::string_view kFirst = "network0.";
  if (name.starts_with("scaler.")) return "";
  if (!name.starts_with(kFirst)) throw Error("a model of several networks, expected one");
  return name.substr(kFirst.size());
}

// Joins shapes as in 128 x 4; a single number has none.
std::string text_of(const std::vector<std::size_t>& shape) {
  return shape.empty() ? "one number" : fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace

StartWeights read_start_weights(std::string_view bytes, const std::string& name) {
  check_kind(bytes, name);
  StartWeights start{name, sha256(bytes), {}};
  TensorFile file = read_safetensors(bytes, name, Writer::kAny);
  const bool model = file.metadata.contains("uaspl");
  try {
    for (auto& [given, tensor] : file.tensors) {
      if (given.ends_with("num_batches_tracked")) continue;
      const std::string own = model ? name_in_model(given) : given;
      if (!own.empty()) start.weights.emplace(own, to_weights(std::move(tensor), given));
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  return start;
}

std::shared_ptr<const StartWeights> load_start_weights(const std::filesystem::path& file) {
  Input input(file);
  input.read_all();
  return std::make_shared<const StartWeights>(read_start_weights(input.view(), input.name()));
}

void begin_with(const StartWeights& start, Network& network) {
  std::set<const Tensor*> used;
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::vector<std::string> problems;
  for (const auto& [name, own] : network.save()) {
    const Tensor* given = find_tensor(start.weights, name);
    used.insert(given);
    if (!given)
      missing.push_back(name);
    else if (given->shape != own.shape && problems.size() < 3)
      problems.push_back(fmt::format("'{}' has shape {}, expected {}", name, text_of(given->shape),
                                     text_of(own.shape)));
  }
  for (const auto& [name, tensor] : start.weights)
    if (!used.contains(&tensor)) unexpected.push_back(name);
  if (!missing.empty()) problems.push_back("missing " + list_some(missing));
  if (!unexpected.empty()) problems.push_back("not expected " + list_some(unexpected));
  if (!problems.empty())
    throw Error(fmt::format("{}: its weights do not fit the network: {}", start.file,
                            fmt::join(problems, "; ")));
  network.load(start.weights);
}

}  // namespace uaspl
