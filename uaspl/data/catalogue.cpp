// Finds data sets, see catalogue.hpp.
#include "uaspl/data/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <system_error>

#include "uaspl/base/error.hpp"
#include "uaspl/base/module.hpp"
#include "uaspl/base/suggestion.hpp"
#include "uaspl/data/table/known_tables.hpp"

namespace uaspl {
namespace fs = std::filesystem;

DataFolders data_folders(const std::vector<std::string>& given) {
  for (const std::string& folder : given)
    if (!fs::is_directory(folder)) throw Error(folder + ": no such folder of data sets");
  DataFolders folders(given.begin(), given.end());
  if (const char* variable = std::getenv("UASPL_DATA"); variable && *variable)
    folders.emplace_back(variable);
  if (const auto pulled = pulled_folder(); !pulled.empty()) folders.push_back(pulled);
  folders.emplace_back(UASPL_DATA_FOLDER);
  // The library is installed elsewhere (bin/ or lib/ beside share/), or in the source tree's build
  // folder.
  for (const fs::path& place : own_folders()) {
    folders.push_back(place / ".." / "share" / "uaspl" / "data");
    folders.push_back(place / ".." / ".." / "share" / "uaspl" / "data");
    folders.push_back(place / ".." / ".." / "data");
  }
  return folders;
}

fs::path pulled_folder() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data && *data) return fs::path(data) / "uaspl";
  const char* home = std::getenv("HOME");
  if (home && *home) return fs::path(home) / ".local" / "share" / "uaspl";
  return {};
}

std::map<std::string, fs::path> dataset_files(const DataFolders& folders) {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : folders) {
    for (const fs::path& place : {folder, folder / "uci"}) {
      std::error_code failed;
      for (const auto& entry : fs::directory_iterator(place, failed)) {
        const fs::path& file = entry.path();
        // INDEX.csv describes a folder's data sets and is not a data set itself.
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

namespace {

// Finds a name that stands for a whole file.
std::optional<fs::path> whole_file(const std::string& name, const DataFolders& folders) {
  const bool path = name == "-" || name.find('/') != std::string::npos;
  if (path || name.ends_with(".csv")) return name;
  const auto files = dataset_files(folders);
  if (const auto found = files.find(name); found != files.end()) return found->second;
  if (fs::exists(name)) return name;
  return std::nullopt;
}

}  // namespace

std::optional<fs::path> dataset_file(const std::string& name, const DataFolders& folders) {
  if (auto file = whole_file(name, folders)) return file;
  const KnownSet* set = find_without_leak(name);
  return set ? dataset_file(std::string(set->name), folders) : std::nullopt;
}

Dataset open_dataset(const std::string& name, const DataFolders& folders,
                     const LoadOptions& options) {
  if (const auto file = whole_file(name, folders)) {
    LoadOptions all = options;
    const bool by_path = *file == name;
    if (!by_path && all.target.empty()) all.target.assign(1, '1');  // the first
    return load_dataset(*file, all);
  }
  if (const KnownSet* set = find_without_leak(name)) {
    LoadOptions rest = options;
    rest.drop.emplace_back(set->leak);
    Dataset data = open_dataset(std::string(set->name), folders, rest);
    data.name = name;
    return data;
  }
  const std::vector<std::string> known = dataset_names(folders);
  throw UnknownName(fmt::format("unknown data set '{}'{}; known: {}", name, suggestion(name, known),
                                known.empty() ? "none; UASPL_DATA names a folder of CSV files"
                                              : fmt::format("{}", fmt::join(known, ", "))));
}

}  // namespace uaspl
