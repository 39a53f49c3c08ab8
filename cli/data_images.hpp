// Declares what `uaspl data` does with image data sets.
#pragma once

#include <filesystem>

#include "cli/pull.hpp"
#include "uaspl/data/image/image_sets.hpp"

namespace uaspl::cli {

void list_images(const DataFolders& folders, bool json);
// Describes a set. Reads its files too, to warn of those that are not as published.
int show_images(const KnownImages& set, const DataFolders& folders, bool json);
// Downloads a set to FOLDER/NAME.
void pull_images(const KnownImages& set, const std::filesystem::path& folder,
                 const Fetching& fetching);

}  // namespace uaspl::cli
