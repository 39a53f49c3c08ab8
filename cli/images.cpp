// Options of work on images, see images.hpp.
#include "cli/images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "cli/work.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/image_dataset.hpp"
#include "uaspl/net/deep.hpp"

namespace uaspl::cli {
namespace {

// HEIGHTxWIDTH, or one number for both.
ImageSize parse_size(const std::string& text) {
  ImageSize size;
  const char* const end = text.data() + text.size();
  const auto [x, first] = std::from_chars(text.data(), end, size.height);
  size.width = size.height;
  if (first == std::errc() && x != end && *x == 'x') {
    const auto [rest, second] = std::from_chars(x + 1, end, size.width);
    if (second == std::errc() && rest == end && size.height > 0 && size.width > 0) return size;
  } else if (first == std::errc() && x == end && size.height > 0) {
    return size;
  }
  throw UsageError(fmt::format("'{}' is not HEIGHTxWIDTH, such as 32x32", text));
}

template <typename Items>
std::string names_and_summaries(const Items& items) {
  std::string text;
  for (const auto& item : items)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", item.name, item.summary);
  return text;
}

void warn_of_missing_classes(const Dataset& data) {
  std::vector<bool> seen(data.schema.classes.size());
  for (std::size_t row = 0; row < data.images->train; ++row)
    seen[static_cast<std::size_t>(data.labels[row])] = true;
  if (const auto missing = std::ranges::count(seen, false); missing > 0)
    fmt::print(stderr, "warning: {}: {} of the {} classes have no training image\n", data.name,
               missing, seen.size());
}

// What a plan says otherwise than its profile stays, whatever the profile.
void keep_own(const ExperimentOptions& plan, const ExperimentOptions& profile,
              ExperimentOptions& fresh) {
  if (plan.pretraining != profile.pretraining) fresh.pretraining = plan.pretraining;
  if (plan.training.passes != profile.training.passes) fresh.training.passes = plan.training.passes;
  if (plan.training.step.rate != profile.training.step.rate)
    fresh.training.step.rate = plan.training.step.rate;
}

}  // namespace

bool ImageWork::any() const {
  return !names.empty() || !profile.empty() || !network.empty() || !device.empty() || limit ||
         test_limit || imbalance || !resize.empty() || grey;
}

void add_image_options(CLI::App& verb, ImageWork& work) {
  verb.add_option("--images", work.names,
                  "Image data: mnist, fashion_mnist, cifar10, svhn (see `uaspl data pull`), or "
                  "folders of PNG and JPEG files")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--network", work.network,
                  "For images: " + names_and_summaries(deep_networks()) + "; default: resnet18")
      ->check([](const std::string& name) { return complaint([&] { find_deep_network(name); }); });
  verb.add_option("--profile", work.profile,
                  "How much of the image study: " + names_and_summaries(image_profiles()) +
                      "; default: full")
      ->check([](const std::string& name) { return complaint([&] { find_image_profile(name); }); });
  verb.add_option("--limit", work.limit, "At most so many training images; 0: all")
      ->check(is_count);
  verb.add_option("--test-limit", work.test_limit, "At most so many test images; 0: all")
      ->check(is_count);
  verb.add_option("--imbalance", work.imbalance,
                  "Thin out the training images: the largest class to the smallest, such as 100")
      ->check(is_finite)
      ->check(CLI::Range(1.0, 1e6));
  verb.add_option("--resize", work.resize, "HEIGHTxWIDTH that pictures of a folder are brought to")
      ->check([](const std::string& text) { return complaint([&] { parse_size(text); }); });
  verb.add_flag("--grey", work.grey, "Pictures of a folder without their colours");
  verb.add_option("--device", work.device,
                  "Where networks for images run: cpu (default), or cuda where libtorch has it");
}

void forbid_table_options(CLI::App& verb) {
  for (const char* name : {"--target", "--missing", "--drop", "--categorical", "--delimiter",
                           "--no-header", "--hidden", "--test-fraction"})
    if (CLI::Option* option = verb.get_option_no_throw(name)) option->excludes("--images");
}

void check_options_fit(const std::string& file, const Model& model, const FileOptions& table,
                       const std::vector<std::string>& folders, const std::string& device) {
  if (model.images && table.any())
    throw UsageError(
        fmt::format("{} is a model of images; --delimiter and --no-header are for tables", file));
  if (!model.images && (!folders.empty() || !device.empty()))
    throw UsageError(
        fmt::format("{} is a model of tables; --data and --device are for images", file));
}

void apply_image_options(const ImageWork& work, Study& study) {
  if (!work.names.empty()) study.images = work.names;
  const ImageProfile& planned_profile = find_image_profile(study.profile);
  if (!work.profile.empty()) study.profile = work.profile;
  const ImageProfile& profile = find_image_profile(study.profile);
  for (ExperimentOptions& variant : study.variants) {
    const bool planned = !variant.network.empty();  // by a plan of images
    const std::string network = !work.network.empty() ? work.network
                                : planned             ? variant.network
                                                      : "resnet18";
    ExperimentOptions fresh = image_protocol(profile, network);
    fresh.noise = variant.noise;
    fresh.clean_pretraining = variant.clean_pretraining;
    fresh.trace = variant.trace;
    if (planned) keep_own(variant, image_protocol(planned_profile, variant.network), fresh);
    variant = std::move(fresh);
    if (!work.device.empty()) variant.device = work.device;
    if (work.imbalance) variant.imbalance = *work.imbalance;
    if (work.limit) variant.limit = *work.limit;
    if (work.test_limit) variant.test_limit = *work.test_limit;
  }
}

Dataset open_image_dataset(const std::string& name, const DataFolders& folders,
                           const ImageWork& work, const ExperimentOptions& conditions, bool quiet) {
  ImageOptions options{.limit = conditions.limit, .test_limit = conditions.test_limit};
  if (!work.resize.empty()) options.resize = parse_size(work.resize);
  options.grey = work.grey;
  std::vector<std::string> notes;
  ImageSet images = open_images(name, folders, options, &notes);
  if (!quiet)
    for (const std::string& note : notes) fmt::print(stderr, "{}\n", note);
  Dataset data = image_dataset(std::move(images));
  warn_of_missing_classes(data);
  return data;
}

}  // namespace uaspl::cli
