// Fetching a file that is known by its checksum from the first source that has it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace uaspl::cli {

struct Fetching {
  std::vector<std::string> sources;  // instead of the usual ones: addresses of folders
  bool offline = false;              // only check what is there
  bool quiet = false;
};

struct Pull {
  std::string name;  // of the data set
  std::filesystem::path file;
  std::vector<std::string> addresses;  // tried in turn
  std::string checksum;                // in hexadecimal digits
  std::string checksum_name;           // of its kind
  std::function<std::string(std::string_view bytes)> checksum_of;
};

// The file is put in place only if its checksum is right; what came of a broken download stays
// beside it, to go on with. False where the file was there already, or after an interruption.
bool pull_file(const Pull& pull, const Fetching& fetching);

// Of a file in each of the sources.
std::vector<std::string> addresses(const std::vector<std::string>& sources, std::string_view file);

void make_folder(const std::filesystem::path& folder);

}  // namespace uaspl::cli
