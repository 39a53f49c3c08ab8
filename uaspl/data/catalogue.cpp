// Finding data sets, see catalogue.hpp.
#include "uaspl/data/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <system_error>

#include "uaspl/base/error.hpp"
#include "uaspl/data/load.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

std::map<std::string, fs::path> find_files(const DataFolders& folders) {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : folders) {
    for (const fs::path& place : {folder, folder / "uci"}) {
      std::error_code failed;
      for (const auto& entry : fs::directory_iterator(place, failed)) {
        const fs::path& file = entry.path();
        // INDEX.csv describes a folder's data sets and is none itself.
        if (file.extension() == ".csv" && file.filename() != "INDEX.csv")
          files.try_emplace(file.stem().string(), file);
      }
    }
  }
  return files;
}

}  // namespace

std::vector<std::string> dataset_names(const DataFolders& folders) {
  std::vector<std::string> names;
  for (const auto& [name, file] : find_files(folders)) names.push_back(name);
  return names;
}

Dataset open_dataset(const std::string& name, const DataFolders& folders) {
  if (name.ends_with(".csv") || name.find('/') != std::string::npos) return load_dataset(name);
  const auto files = find_files(folders);
  const auto found = files.find(name);
  if (found == files.end())
    throw UnknownName(fmt::format("unknown data set '{}'; known: {}", name,
                                  fmt::join(dataset_names(folders), ", ")));
  return load_dataset(found->second);
}

}  // namespace uaspl
