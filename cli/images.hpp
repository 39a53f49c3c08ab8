// Options of work on images, shared by several verbs.
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

// What the command line says; where it says nothing, the plan or the profile decides.
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

  bool any() const;  // something is said
};
void add_image_options(CLI::App& verb, ImageCommandOptions& work);

// Shows these options of the verb among those of images in its help.
void group_image_options(CLI::App& verb, std::initializer_list<const char*> names);

// These options of the verb say nothing of images; those that it has not are passed over.
void forbid_table_options(CLI::App& verb);

// Conditions of work on images: the profile's, with what the command line says otherwise. What a
// plan says otherwise than its own profile stays, where `planned` is by a plan of images.
ExperimentOptions image_conditions(const ImageCommandOptions& work,
                                   const ExperimentOptions& planned = {},
                                   const std::string& planned_profile = "full");

// The same for all conditions of a study.
void apply_image_options(const ImageCommandOptions& work, Study& study);

// Options of `predict` and `eval` that are of the other kind of model.
void check_options_fit(const std::string& file, const Model& model, const FileOptions& table,
                       const std::vector<std::string>& folders, const std::string& device);

// What a model of images is used with: all cores, unless another number is asked for.
Resources image_resources(std::size_t threads, const std::string& device);

// Opened and described on standard error where something is odd.
Dataset open_image_dataset(const std::string& name, const DataFolders& folders,
                           const ImageCommandOptions& work, const ExperimentOptions& conditions,
                           bool quiet);

}  // namespace uaspl::cli
