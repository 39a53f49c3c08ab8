// What a fit needs to go on from the end of a stage, in a file that is there whole or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "uaspl/base/saved_state.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

struct Checkpoint {
  int stages = 0;  // that are done; 0: the pre-training
  State weights = {};
  State momentum = {};
  std::map<std::string, SavedState> parts = {};  // of method, observer, ... by their names
};

class CheckpointFile {
 public:
  // `run` is what the file must be of: a text that says all that decides the result. Where several
  // processes train one network, one of them writes.
  CheckpointFile(std::filesystem::path path, std::string run, bool writes = true);

  // Nothing where there is no file; an error where it is of another run, damaged or no checkpoint.
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
