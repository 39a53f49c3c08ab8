// Finds data sets by name in folders of CSV files.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uaspl/data/table/load.hpp"

namespace uaspl {

// Each folder holds CSV files, directly or in its sub-folder `uci`; the first that has a name wins.
using DataFolders = std::vector<std::filesystem::path>;

// Returns the folders to search for data sets: the given ones, which must exist, $UASPL_DATA, the
// folder of `uaspl data pull`, and those that come with the library.
DataFolders data_folders(const std::vector<std::string>& given = {});

// Returns the folder in which `uaspl data pull` puts data sets: $XDG_DATA_HOME/uaspl or
// ~/.local/share/uaspl; empty if there is none.
std::filesystem::path pulled_folder();

// Returns the files of all data sets in the folders, by name.
std::map<std::string, std::filesystem::path> dataset_files(const DataFolders& folders);

// Returns the sorted names of all data sets in the folders.
std::vector<std::string> dataset_names(const DataFolders& folders);

// Returns the file that open_dataset would read: `-`, a path, or the file of a known name. There is
// none for an unknown name.
std::optional<std::filesystem::path> dataset_file(const std::string& name,
                                                  const DataFolders& folders);

// Opens a data set by its name or by the path of a CSV file (`-`: standard input); NAME_no_leak is
// a known set without the column that tells its class. It is read as in the paper's experiments,
// unless the options say otherwise; a set that is called by its name has its class first. The error
// for an unknown name lists the known ones.
Dataset open_dataset(const std::string& name, const DataFolders& folders = data_folders(),
                     const LoadOptions& options = published_loading());

}  // namespace uaspl
