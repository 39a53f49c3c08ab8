// Saves what a fit needs to go on from the end of a stage, in a file that is there whole or not at
// all.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "uaspl/base/saved_state.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

struct Checkpoint {
  int stages = 0;  // number of stages done; 0: only the pre-training
  State weights = {};
  State momentum = {};
  std::map<std::string, SavedState> parts = {};  // state of method, observer, ... by name
};

class CheckpointFile {
 public:
  // `run` identifies the run that the file must belong to: a text of all that decides the result.
  // If several processes train one network, only one of them writes.
  CheckpointFile(std::filesystem::path path, std::string run, bool writes = true);

  // Returns nothing if there is no file, and throws if the file belongs to another run, is damaged
  // or is no checkpoint.
  std::optional<Checkpoint> read() const;
  void write(const Checkpoint& checkpoint) const;
  void remove() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::string run_;
  bool writes_;
};

}  // namespace uaspl
