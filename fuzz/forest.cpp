// Any tensors as a forest: one that can be asked and saved again, or an error. Most changes are
// made to single numbers of the tensors, as others seldom leave the file readable.
#include <cmath>
#include <limits>
#include <random>

#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/forest/forest.hpp"
#include "uaspl/io/safetensors.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace uaspl;

constexpr std::size_t kMostAsked = 1000;  // columns; more are not asked, to stay quick

State state_of(std::string_view bytes) {
  State state;
  for (auto& [name, tensor] : read_safetensors(bytes, "fuzz").tensors)
    if (auto* values = std::get_if<std::vector<float>>(&tensor.values))
      state[name] = {tensor.shape, std::move(*values)};
  return state;
}

std::string bytes_of(const State& state) {
  TensorFile file;
  for (const auto& [name, tensor] : state) file.tensors[name] = {tensor.shape, tensor.values};
  return write_safetensors(file);
}

void use(const Forest& forest) {
  const std::size_t columns = forest.columns().size();
  if (columns > kMostAsked) return;
  constexpr double kValues[] = {0.0,
                                1.0,
                                -1e30,
                                2.5,
                                std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity()};
  DoubleMatrix rows(13, columns);  // eight at once, some left over
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < columns; ++j) rows(i, j) = kValues[(i + j) % std::size(kValues)];
  const ForestOpinions all = forest.predict(rows);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!(all.amounts[i] >= 0.0F && std::isfinite(all.amounts[i]))) std::abort();
    double sum = 0.0;
    for (const float p : all.probabilities.row(i)) {
      if (!(p >= 0.0F && p <= 1.0001F)) std::abort();
      sum += static_cast<double>(p);
    }
    if (std::abs(sum - 1.0) > 1e-3) std::abort();
  }
  DoubleMatrix last(1, columns);
  std::ranges::copy(rows.row(12), last.values().begin());
  const ForestOpinions one = forest.predict(last);
  if (!std::ranges::equal(one.probabilities.row(0), all.probabilities.row(12))) std::abort();
}

// Changes some numbers of one tensor.
std::string changed_forest(std::string_view bytes, std::minstd_rand& draw) {
  State state = state_of(bytes);
  static constexpr float kFloats[] = {
      0.0F,       1.0F,       -1.0F,  2.0F,   3.0F,
      254.0F,     255.0F,     256.0F, 1e-42F, 65535.0F,
      8388607.0F, 8388608.0F, 3e38F,  0.5F,   std::numeric_limits<float>::quiet_NaN()};
  for (std::size_t changes = 1 + draw() % 3; changes > 0 && !state.empty(); --changes) {
    auto& values =
        std::next(state.begin(), static_cast<std::ptrdiff_t>(draw() % state.size()))->second.values;
    if (values.empty()) continue;
    float& value = values[draw() % values.size()];
    switch (draw() % 3) {
      case 0: value = kFloats[draw() % std::size(kFloats)]; break;
      case 1: value += static_cast<float>(draw() % 5) - 2.0F; break;
      default: value = values[draw() % values.size()];
    }
  }
  return bytes_of(state);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  std::minstd_rand draw(seed);
  std::string changed;
  if (draw() % 8 != 0) try {
      changed = changed_forest(fuzz::text_of(data, size), draw);
    } catch (const Error&) {  // no file of tensors
    }
  if (changed.empty() || changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const Forest forest = Forest::load(state_of(fuzz::text_of(bytes, size)));
    use(forest);
    const State written = forest.save();
    if (bytes_of(Forest::load(written).save()) != bytes_of(written)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
