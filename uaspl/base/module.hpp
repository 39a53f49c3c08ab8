// Opens modules: parts of uaspl in files of their own, since what they need is not on every machine
// or is slow to start. A module is opened at its first use.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace uaspl {

struct Module {
  std::string file;     // libuaspl_NAME.so
  std::string missing;  // the message if there is no such file
  bool global = false;  // its libraries open further parts, which look up symbols in them
};

// Returns the address of the symbol in the module. Looks in $UASPL_MODULES, beside the library or
// the program that contains this code, and where libraries were installed; never in the current
// folder.
void* find_in_module(const Module& module, const char* symbol);

// Opens a library by its path, or by its name where the system has it; returns null where dlerror()
// says why. Throws if LD_LIBRARY_PATH would make the loader look in the current folder, for the
// library itself or for what it needs.
void* open_library(const std::string& name, bool global = false);

// Says whether a value of LD_LIBRARY_PATH has a part that is empty or relative.
bool means_current_folder(std::string_view library_path);

// Returns the folders of this library and of the running program.
std::vector<std::filesystem::path> own_folders();

}  // namespace uaspl
