// Says whether a model can be used, see model_check.hpp.
#include "uaspl/model/model_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/forest/forest.hpp"
#include "uaspl/net/image_network.hpp"

namespace uaspl {
namespace {

template <typename Range, typename Name>
void check_unique(const Range& range, Name name, std::string_view what) {
  std::vector<std::string_view> names;
  for (const auto& one : range) names.push_back(name(one));
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) throw Error(fmt::format("{} '{}' comes twice", what, *twice));
}

void check_target(const Target& target) {
  if (target.classes.empty()) throw Error("no class");
  if (target.classes.size() > kMostClasses)
    throw Error(
        fmt::format("{} classes, at most {} can be learned", target.classes.size(), kMostClasses));
  for (const std::string& name : target.classes)
    if (name.size() > kLongestClass)
      throw Error(fmt::format("a class whose name has {} bytes, at most {} can be", name.size(),
                              kLongestClass));
  check_unique(
      target.classes, [](const std::string& name) { return std::string_view(name); }, "the class");
}

template <typename Number>
bool fits_float(Number x) {
  return std::abs(x) <= static_cast<Number>(std::numeric_limits<float>::max());
}

void check_images(const Model& model) {
  const ImageEncoder& input = model.images();
  const std::vector<float>& mean = input.transform.mean;
  const std::vector<float>& deviation = input.transform.deviation;
  const bool shaped = (input.shape.channels == 1 || input.shape.channels == 3) &&
                      input.shape.height >= 1 && input.shape.height <= kMostNetworkPixels &&
                      input.shape.width >= 1 &&
                      input.shape.width <= kMostNetworkPixels / input.shape.height;
  if (!shaped || mean.size() != input.shape.channels || deviation.size() != mean.size())
    throw Error("images of an impossible shape");
  if (!std::ranges::all_of(deviation, [](float d) { return fits_float(d) && d > 0.0F; }) ||
      !std::ranges::all_of(mean, fits_float<float>))
    throw Error("a deviation that is not positive or a mean that is not finite");
  for (const Member& member : model.members) find_image_network(member.network.name);
}

void check_column(const FeatureColumn& column) {
  std::vector<std::string_view> levels(column.levels.begin(), column.levels.end());
  levels.insert(levels.end(), column.rare.begin(), column.rare.end());
  check_unique(
      levels, [](std::string_view name) { return name; },
      fmt::format("in column '{}', the category", column.name));
  if (!column.categorical() && !levels.empty())
    throw Error(fmt::format("column '{}' has categories, but is none", column.name));
  if (column.width() == 0) throw Error(fmt::format("column '{}' has no category", column.name));
  if (!fits_float(column.median))
    throw Error(fmt::format("column '{}' has a median that no float can hold", column.name));
}

void check_member(const Member& member, const Model& model) {
  constexpr double kMostVotes = 1e6;
  if (!(member.votes > 0.0 && member.votes <= kMostVotes))
    throw Error("a member with an impossible number of votes");
  if (member.is_forest()) {
    if (!model.fusion && model.members.size() > 1) throw Error("several forests without a fusion");
    return;
  }
  if (member.network.name != "mlp" || member.network.hidden.empty() ||
      std::ranges::count(member.network.hidden, std::size_t{0}) > 0)
    throw Error("a network that is none for tables, or has no hidden layer");
  if (model.fusion && member.scaling >= model.fusion->scalings.size())
    throw Error("a network whose scaling is not there");
}

void check_fusion(const Fusion& fusion) {
  const Tempering& own = fusion.tempering;
  if (!(own.temperature >= 1e-3 && own.temperature <= 1e3 && own.evidence > 0.0 &&
        own.evidence <= 1e9))
    throw Error("an impossible calibration");
  for (const RichScaling& scaling : fusion.scalings) check(scaling);
}

// A forest that cannot be walked is refused where the model is read.
void check_forest(const Member& member, const Model& model) {
  const Forest forest = Forest::load(member.weights);
  if (forest.columns().size() != model.table().schema.features.size() ||
      forest.classes() != model.target.classes.size())
    throw Error("a forest of other columns or classes");
}

void check_table(const Model& model) {
  const TableEncoder& table = model.table();
  if (table.width() == 0) throw Error("no input column");
  const auto name_of = [](const FeatureColumn& column) { return std::string_view(column.name); };
  check_unique(table.schema.features, name_of, "the column");
  for (const FeatureColumn& column : table.schema.features) check_column(column);
  for (const Member& member : model.members) check_member(member, model);
  if (model.fusion) check_fusion(*model.fusion);
  const Scaler& scaler = table.scaler;
  if (!std::ranges::all_of(scaler.scale, [](double s) { return fits_float(s) && s > 0.0; }) ||
      !std::ranges::all_of(scaler.mean, fits_float<double>))
    throw Error("a scale that is not positive, or a scale or mean beyond what a float can hold");
}

// Compares their number before a network of the claimed kind and size is made.
void check_image_weights(const Model& model, const std::string& network, std::size_t count) {
  const std::size_t expected =
      image_network_weights(network, model.images().shape, model.target.classes.size());
  if (count != expected)
    throw Error(fmt::format("{} weights, and a {} of this shape has {}", count, network, expected));
}

}  // namespace

void check_description(const Model& model) {
  check_target(model.target);
  if (const auto& decision = model.readout.decision) {
    const bool right = model.target.classes.size() == 2 && decision->positive < 2 &&
                       decision->threshold >= 0.0 && decision->threshold <= 1.0;
    if (!right) throw Error("a threshold that is none between two classes");
  }
  model.is_of_images() ? check_images(model) : check_table(model);
}

void check_weights(const Model& model) {
  for (const Member& member : model.members) {
    std::size_t count = 0;
    for (const auto& [name, tensor] : member.weights) {
      if (!std::ranges::all_of(tensor.values, [](float x) { return std::isfinite(x); }))
        throw Error(
            fmt::format("weights that are not finite ({}); if training diverged, a lower "
                        "learning rate may help",
                        name));
      count += tensor.values.size();
    }
    if (member.is_forest()) check_forest(member, model);
    if (model.is_of_images()) check_image_weights(model, member.network.name, count);
  }
}

}  // namespace uaspl
