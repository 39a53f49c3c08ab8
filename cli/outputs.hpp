// Keeps a command from writing over what it reads, or writing two results into one file.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "uaspl/data/catalogue.hpp"

namespace uaspl::cli {

// What a command reads and what it will write. All of it is named before the work begins; a clash
// is a UsageError. Two names clash if they are the same path, or lead to the same file by links.
class Outputs {
 public:
  // `-` is standard input, which may be a file too; empty names are ignored.
  void reads(const std::string& path);
  void reads_dataset(const std::string& name, const DataFolders& folders);
  void reads_images(const std::string& name, const DataFolders& folders);
  void reads_store(const std::string& path);  // and the files that belong to it

  // `-` and an empty name are standard output.
  void writes(const std::string& path);
  void writes_store(const std::string& path);
  // Any file of this ending in the folder may be written.
  void writes_into(const std::string& folder, const std::string& ending);

 private:
  struct Place {
    std::string name;                             // as the user wrote it
    std::string path;                             // without links
    std::optional<std::pair<dev_t, ino_t>> file;  // if it is there
  };
  struct Folder {
    std::string name;
    std::string path;
    std::string ending;
  };
  static Place place_of(const std::string& name, const std::string& path);
  const Place* find(const Place& place) const;
  void check_folders(const Place& place) const;

  std::vector<Place> taken_;
  std::vector<Folder> folders_;
};

// A check for options that name a file or a folder.
std::string is_file_name(const std::string& path);

}  // namespace uaspl::cli
