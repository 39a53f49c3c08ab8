// Defines what is to be predicted.
#pragma once

#include <string>
#include <vector>

namespace uaspl {

struct Target {
  std::string name;                  // of the column, or `class` for images
  std::vector<std::string> classes;  // label k is classes[k]
};

}  // namespace uaspl
