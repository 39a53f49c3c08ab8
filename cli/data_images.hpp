// What `uaspl data` does with image data sets.
#pragma once

#include <filesystem>

#include "cli/pull.hpp"
#include "uaspl/data/image/image_sets.hpp"

namespace uaspl::cli {

void list_images(const DataFolders& folders, bool json);
// Reads what is there too, to warn of what is not as published.
int show_images(const KnownImages& set, const DataFolders& folders, bool json);
// To FOLDER/NAME.
void pull_images(const KnownImages& set, const std::filesystem::path& folder,
                 const Fetching& fetching);

}  // namespace uaspl::cli
