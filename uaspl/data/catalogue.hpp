// Finding data sets by name in folders of CSV files.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "uaspl/data/table/load.hpp"

namespace uaspl {

// Each folder holds CSV files, directly or in its sub-folder `uci`; the first that has a name wins.
using DataFolders = std::vector<std::filesystem::path>;

// Where data sets are looked for: in the given folders, which must be there, in $UASPL_DATA, where
// `uaspl data pull` puts them, and in those that come with the library.
DataFolders data_folders(const std::vector<std::string>& given = {});

// Where `uaspl data pull` puts data sets: $XDG_DATA_HOME/uaspl or ~/.local/share/uaspl; empty if
// there is none.
std::filesystem::path pulled_folder();

// Files of all data sets in the folders, by name.
std::map<std::string, std::filesystem::path> dataset_files(const DataFolders& folders);

// Names of all data sets in the folders, sorted.
std::vector<std::string> dataset_names(const DataFolders& folders);

// A data set by its name or by the path of a CSV file (`-`: standard input); NAME_no_leak is a
// known set without the column that tells its class. An unknown name lists the known ones.
Dataset open_dataset(const std::string& name, const DataFolders& folders = data_folders(),
                     const LoadOptions& options = {});

}  // namespace uaspl
