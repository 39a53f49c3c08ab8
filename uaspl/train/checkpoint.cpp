// Checkpoints, see checkpoint.hpp: a safetensors file, weights as WEIGHTS/name, momentum as
// MOMENTUM/name, numbers as PART/name, and a checksum that reveals damage.
#include "uaspl/train/checkpoint.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/io/file.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kWeights = "weights";
constexpr std::string_view kMomentum = "momentum";
const std::string kSum = "sha256";

// Returns the checksum of everything but the checksum itself.
std::string sum_of(TensorFile& file) {
  file.metadata.erase(kSum);
  return sha256(write_safetensors(file));
}

void put(TensorFile& file, std::string_view part, const State& state) {
  for (const auto& [name, tensor] : state)
    file.tensors.emplace(fmt::format("{}/{}", part, name),
                         StoredTensor{tensor.shape, tensor.values});
}

int stages_from(const std::string& text) {
  int stages = -1;
  const char* end = text.data() + text.size();
  const auto [reached, problem] = std::from_chars(text.data(), end, stages);
  if (problem != std::errc() || reached != end || stages < 0) throw Error("no number of stages");
  return stages;
}

void take(Checkpoint& checkpoint, const std::string& key, StoredTensor tensor) {
  const std::size_t slash = key.find('/');
  if (slash == std::string::npos) throw Error("a tensor without a part");
  const std::string part = key.substr(0, slash);
  const std::string name = key.substr(slash + 1);
  if (part == kWeights || part == kMomentum) {
    auto* values = std::get_if<std::vector<float>>(&tensor.values);
    if (!values) throw Error("weights in double");
    State& state = part == kWeights ? checkpoint.weights : checkpoint.momentum;
    state[name] = {std::move(tensor.shape), std::move(*values)};
  } else {
    auto* values = std::get_if<std::vector<double>>(&tensor.values);
    if (!values || tensor.shape.size() != 2) throw Error("numbers of another shape");
    checkpoint.parts[part].put(name,
                               DoubleMatrix(tensor.shape[0], tensor.shape[1], std::move(*values)));
  }
}

}  // namespace

CheckpointFile::CheckpointFile(std::filesystem::path path, std::string run, bool writes)
    : path_(std::move(path)), run_(std::move(run)), writes_(writes) {}

std::optional<Checkpoint> CheckpointFile::read() const {
  if (!std::filesystem::exists(path_)) return std::nullopt;
  const auto damaged = [&] {
    return Error(fmt::format("{}: a damaged checkpoint; remove it to begin again", path_.string()));
  };
  TensorFile file;
  Input input(path_);
  input.read_all();
  try {
    file = read_safetensors(input.view(), input.name());
  } catch (const Error&) {
    throw damaged();
  }
  if (!file.metadata.contains("checkpoint"))
    throw Error(fmt::format("{}: not a checkpoint", path_.string()));
  if (file.metadata["run"] != run_)
    throw Error(fmt::format(
        "{}: a checkpoint of another run (data, method, options, seed or version differ); remove "
        "it to begin again",
        path_.string()));
  if (const std::string sum = file.metadata[kSum]; sum_of(file) != sum) throw damaged();
  try {
    Checkpoint checkpoint{.stages = stages_from(file.metadata["checkpoint"])};
    for (auto& [key, tensor] : file.tensors) take(checkpoint, key, std::move(tensor));
    return checkpoint;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: not a checkpoint: {}", path_.string(), error.what()));
  }
}

void CheckpointFile::write(const Checkpoint& checkpoint) const {
  if (!writes_) return;
  TensorFile file;
  file.metadata = {{"checkpoint", fmt::format("{}", checkpoint.stages)}, {"run", run_}};
  put(file, kWeights, checkpoint.weights);
  put(file, kMomentum, checkpoint.momentum);
  for (const auto& [part, numbers] : checkpoint.parts)
    for (const auto& [name, matrix] : numbers.all())
      file.tensors.emplace(
          fmt::format("{}/{}", part, name),
          StoredTensor{{matrix.rows(), matrix.cols()},
                       std::vector<double>(matrix.values().begin(), matrix.values().end())});
  file.metadata[kSum] = sum_of(file);
  std::filesystem::create_directories(path_.parent_path().empty() ? "." : path_.parent_path());
  AtomicFile out(path_);
  out.write(write_safetensors(file));
  out.commit();
}

void CheckpointFile::remove() const {
  if (!writes_) return;
  std::error_code ignored;  // if the file was never written
  std::filesystem::remove(path_, ignored);
}

}  // namespace uaspl
