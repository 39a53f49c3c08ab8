// Finding data sets, see catalogue.hpp.
#include "uaspl/data/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>

#include "uaspl/base/error.hpp"
#include "uaspl/data/known_sets.hpp"

namespace uaspl {
namespace fs = std::filesystem;

std::map<std::string, fs::path> dataset_files(const DataFolders& folders) {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : folders) {
    for (const fs::path& place : {folder, folder / "uci"}) {
      std::error_code failed;
      for (const auto& entry : fs::directory_iterator(place, failed)) {
        const fs::path& file = entry.path();
        // INDEX.csv describes a folder's data sets and is none itself.
        if (file.extension() == ".csv" && file.filename() != "INDEX.csv" &&
            entry.is_regular_file(failed))
          files.try_emplace(file.stem().string(), file);
      }
    }
  }
  return files;
}

std::vector<std::string> dataset_names(const DataFolders& folders) {
  std::vector<std::string> names;
  for (const auto& [name, file] : dataset_files(folders)) names.push_back(name);
  return names;
}

Dataset open_dataset(const std::string& name, const DataFolders& folders,
                     const LoadOptions& options) {
  const bool path = name == "-" || name.find('/') != std::string::npos;
  if (path || name.ends_with(".csv")) return load_dataset(name, options);
  const auto files = dataset_files(folders);
  if (const auto found = files.find(name); found != files.end())
    return load_dataset(found->second, options);
  if (fs::exists(name)) return load_dataset(name, options);
  if (const KnownSet* set = find_without_leak(name)) {
    LoadOptions rest = options;
    rest.drop.emplace_back(set->leak);
    Dataset data = open_dataset(std::string(set->name), folders, rest);
    data.name = name;
    return data;
  }
  throw UnknownName(fmt::format("unknown data set '{}'; known: {}", name,
                                fmt::join(dataset_names(folders), ", ")));
}

}  // namespace uaspl
