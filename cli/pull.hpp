// Fetches a file with a known checksum from the first source that has it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace uaspl::cli {

struct Fetching {
  std::vector<std::string> sources;  // addresses of folders, instead of the usual ones
  bool offline = false;              // only check what is there
  bool quiet = false;
};

struct Pull {
  std::string name;  // of the data set
  std::filesystem::path file;
  std::vector<std::string> addresses;  // tried in turn
  std::uint64_t most_bytes;            // more are not received
  std::string checksum;                // in hexadecimal digits
  std::string checksum_name;           // of the kind of checksum
  std::function<std::string(std::string_view bytes)> checksum_of;
};

// Fetches a file, which is put in place only if its checksum is right. The bytes of a broken
// download stay beside it, so that it can go on. Returns false if the file was there already, or
// after an interruption.
bool pull_file(const Pull& pull, const Fetching& fetching);

// Returns the addresses of a file in each of the sources.
std::vector<std::string> addresses(const std::vector<std::string>& sources, std::string_view file);

void make_folder(const std::filesystem::path& folder);

}  // namespace uaspl::cli
