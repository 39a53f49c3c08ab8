// Declares the options of work on images, which several verbs share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "uaspl/data/dataset.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/model/model.hpp"
#include "uaspl/study/study.hpp"

namespace uaspl::cli {

// The options of the command line; for those not given, the plan or the profile decides.
struct ImageCommandOptions {
  std::vector<std::string> names;  // known sets, or folders of pictures
  std::string profile;
  std::string network;
  std::string device;
  std::optional<std::size_t> limit;
  std::optional<std::size_t> test_limit;
  std::optional<double> imbalance;
  std::string resize;  // HEIGHTxWIDTH
  bool grey = false;

  bool any() const;  // whether an option is given
};
void add_image_options(CLI::App& verb, ImageCommandOptions& work);

// Lists these options of the verb under the options of images in its help.
void group_image_options(CLI::App& verb, std::initializer_list<const char*> names);

// Makes the options for tables exclude --images; options that the verb does not have are ignored.
void forbid_table_options(CLI::App& verb);

// Returns the conditions of work on images: those of the profile, overridden by the command line.
// If `planned` comes from a plan of images, what differs there from the plan's own profile stays.
ExperimentOptions image_conditions(const ImageCommandOptions& work,
                                   const ExperimentOptions& planned = {},
                                   const std::string& planned_profile = "full");

// Does the same for all conditions of a study.
void apply_image_options(const ImageCommandOptions& work, Study& study);

// Throws if options of `predict` and `eval` are for the other kind of model.
void check_options_fit(const std::string& file, const Model& model, const FileOptions& table,
                       const std::vector<std::string>& folders, const std::string& device);

// Returns the resources for a model of images: all cores, unless another number is asked for.
Resources image_resources(std::size_t threads, const std::string& device);

// Opens a set of images, and warns on standard error if something is odd.
Dataset open_image_dataset(const std::string& name, const DataFolders& folders,
                           const ImageCommandOptions& work, const ExperimentOptions& conditions,
                           bool quiet);

}  // namespace uaspl::cli
