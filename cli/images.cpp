// Handles the options of work on images, see images.hpp.
#include "cli/images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "cli/note.hpp"
#include "cli/shard.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/data/image/image_dataset.hpp"
#include "uaspl/net/image_network.hpp"
#include "uaspl/train/training_options.hpp"

namespace uaspl::cli {
namespace {

// Parses HEIGHTxWIDTH, or one number for both.
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
  std::vector<bool> seen(data.target.classes.size());
  for (std::size_t row = 0; row < data.images().set->train; ++row)
    seen[static_cast<std::size_t>(data.labels[row])] = true;
  if (const auto missing = std::ranges::count(seen, false); missing > 0)
    note("warning: {}: {} of the {} classes have no training image", data.name, missing,
         seen.size());
}

// Keeps what differs in a plan from the plan's profile, whatever the new profile.
void keep_own(const ExperimentOptions& plan, const ExperimentOptions& profile,
              ExperimentOptions& fresh) {
  for (const TrainingOption& option : training_options())
    if (const double own = option.get(plan.fit); own != option.get(profile.fit))
      option.set(fresh.fit, own);
}

}  // namespace

bool ImageCommandOptions::any() const {
  return !names.empty() || !profile.empty() || !network.empty() || !device.empty() || limit ||
         test_limit || imbalance || !resize.empty() || grey;
}

void add_image_options(CLI::App& verb, ImageCommandOptions& work) {
  verb.add_option("--images", work.names,
                  "Image data: mnist, fashion_mnist, cifar10, svhn (see `uaspl data pull`), or "
                  "folders of PNG and JPEG files")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--network", work.network,
                  "For images: " + names_and_summaries(image_networks()) + "; default: resnet18")
      ->check([](const std::string& name) { return complaint([&] { find_image_network(name); }); });
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
  group_image_options(verb, {"--images", "--network", "--profile", "--limit", "--test-limit",
                             "--imbalance", "--resize", "--grey", "--device"});
}

void group_image_options(CLI::App& verb, std::initializer_list<const char*> names) {
  for (const char* name : names) verb.get_option(name)->group("Images");
}

void forbid_table_options(CLI::App& verb) {
  for (const char* name :
       {"--target", "--missing", "--drop", "--categorical", "--numeric", "--date", "--decimal",
        "--weight", "--delimiter", "--no-header", "--hidden", "--test-fraction"})
    if (CLI::Option* option = verb.get_option_no_throw(name)) option->excludes("--images");
}

Resources image_resources(std::size_t threads, const std::string& device) {
  return {.threads = choose_threads(threads, kManyRows), .device = device.empty() ? "cpu" : device};
}

void check_options_fit(const std::string& file, const Model& model, const FileOptions& table,
                       const std::vector<std::string>& folders, const std::string& device) {
  if (model.is_of_images() && table.any())
    throw UsageError(
        fmt::format("{} is a model of images; --delimiter and --no-header are for tables", file));
  if (!model.is_of_images() && (!folders.empty() || !device.empty()))
    throw UsageError(
        fmt::format("{} is a model of tables; --data and --device are for images", file));
}

ExperimentOptions image_conditions(const ImageCommandOptions& work,
                                   const ExperimentOptions& planned,
                                   const std::string& planned_profile) {
  const ImageProfile& profile =
      find_image_profile(work.profile.empty() ? planned_profile : work.profile);
  const bool by_plan = planned.fit.for_images();
  const std::string network = !work.network.empty() ? work.network
                              : by_plan             ? planned.fit.network.name
                                                    : "resnet18";
  ExperimentOptions chosen = image_protocol(profile, network);
  chosen.fit.class_weights = planned.fit.class_weights;
  chosen.rows.noise = planned.rows.noise;
  chosen.rows.clean_pretraining = planned.rows.clean_pretraining;
  chosen.trace = planned.trace;
  if (by_plan)
    keep_own(planned, image_protocol(find_image_profile(planned_profile), planned.fit.network.name),
             chosen);
  if (!work.device.empty()) chosen.fit.resources.device = work.device;
  if (work.imbalance) chosen.rows.imbalance = *work.imbalance;
  if (work.limit) chosen.limit = *work.limit;
  if (work.test_limit) chosen.test_limit = *work.test_limit;
  return chosen;
}

void apply_image_options(const ImageCommandOptions& work, Study& study) {
  if (!work.names.empty()) study.images = work.names;
  for (ExperimentOptions& variant : study.variants)
    variant = image_conditions(work, variant, study.profile);
  if (!work.profile.empty()) study.profile = work.profile;
}

Dataset open_image_dataset(const std::string& name, const DataFolders& folders,
                           const ImageCommandOptions& work, const ExperimentOptions& conditions,
                           bool quiet) {
  ImageOptions options{.limit = conditions.limit, .test_limit = conditions.test_limit};
  if (!work.resize.empty()) options.resize = parse_size(work.resize);
  options.grey = work.grey;
  std::vector<std::string> notes;
  ImageSet images = open_images(name, folders, options, &notes);
  if (!quiet)
    for (const std::string& text : notes) note("{}", text);
  Dataset data = image_dataset(std::move(images));
  warn_of_missing_classes(data);
  return data;
}

}  // namespace uaspl::cli
