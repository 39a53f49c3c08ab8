// Opens modules, see module.hpp.
#include "uaspl/base/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <system_error>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

// Returns the file that this code was loaded from: a shared library, or the program that it was
// linked to.
fs::path own_file() {
  Dl_info info{};
  link_map* map = nullptr;
  void* const here = reinterpret_cast<void*>(&find_in_module);
  if (::dladdr1(here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 && map &&
      map->l_name && *map->l_name)
    return map->l_name;
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed);
}

// Adds the absolute path: a relative one would change its meaning with the current folder.
void add(std::vector<fs::path>& all, const fs::path& folder) {
  if (folder.is_absolute()) all.push_back(folder);
}

std::vector<fs::path> module_folders() {
  std::vector<fs::path> all;
  if (const char* chosen = std::getenv("UASPL_MODULES")) add(all, chosen);
  for (const fs::path& own : own_folders()) {
    add(all, own);
    add(all, own / UASPL_MODULE_FOLDER);  // the program was installed
  }
  add(all, UASPL_LIBRARY_FOLDER);  // the library was installed, and another program uses it
  return all;
}

// Throws if the loader would look for libraries in the current folder, where anybody's files may
// lie. Called before anything is opened: what a library does when it is loaded cannot be undone.
void check_library_path() {
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  if (path && means_current_folder(path))
    throw Error(
        fmt::format("LD_LIBRARY_PATH={}: expected absolute folders only; an empty or relative part "
                    "makes libraries be loaded from the current folder",
                    path));
}

void* open_module(const Module& module) {
  for (const fs::path& folder : module_folders()) {
    const fs::path path = folder / module.file;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    if (void* opened = open_library(path, module.global)) return opened;
    throw Error(fmt::format("{}: {}", path.string(), ::dlerror()));
  }
  const char* const chosen = std::getenv("UASPL_MODULES");
  const bool relative = chosen && *chosen && !fs::path(chosen).is_absolute();
  throw Error(module.missing + (relative ? " (UASPL_MODULES is no absolute path)" : ""));
}

}  // namespace

std::vector<fs::path> own_folders() {
  std::vector<fs::path> all;
  std::error_code failed;
  add(all, own_file().parent_path());
  if (const fs::path program = fs::read_symlink("/proc/self/exe", failed); !failed)
    if (all.empty() || all.front() != program.parent_path()) add(all, program.parent_path());
  return all;
}

bool means_current_folder(std::string_view library_path) {
  if (library_path.empty()) return false;  // as if it were not set
  while (true) {
    const std::size_t end = library_path.find_first_of(":;");
    const std::string_view part = library_path.substr(0, end);
    if (!part.starts_with('/') && !part.starts_with("$ORIGIN") && !part.starts_with("${ORIGIN}"))
      return true;
    if (end == std::string_view::npos) return false;
    library_path.remove_prefix(end + 1);
  }
}

void* open_library(const std::string& name, bool global) {
  check_library_path();
  return ::dlopen(name.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
}

void* find_in_module(const Module& module, const char* symbol) {
  void* const found = ::dlsym(open_module(module), symbol);
  if (!found) throw Error(fmt::format("{} is of another version of uaspl", module.file));
  return found;
}

}  // namespace uaspl
