// Parts of uaspl that are files of their own, since what they need is not on every machine or slow
// to start; opened at first use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace uaspl {

struct Module {
  std::string file;     // libuaspl_NAME.so
  std::string missing;  // what to say where there is none
  bool global = false;  // its libraries open parts of their own, which look for their names
};

// What the module has under the name. Looks in $UASPL_MODULES, beside the library or the program
// that has it, and where libraries were installed; never in the current folder.
void* find_in_module(const Module& module, const char* symbol);

// Where this library is, and the running program.
std::vector<std::filesystem::path> own_folders();

}  // namespace uaspl
