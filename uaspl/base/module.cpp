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

void* open_module(const Module& module) {
  for (const fs::path& folder : module_folders()) {
    const fs::path path = folder / module.file;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    const int scope = module.global ? RTLD_GLOBAL : RTLD_LOCAL;
    if (void* opened = ::dlopen(path.c_str(), RTLD_NOW | scope)) return opened;
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

void* find_in_module(const Module& module, const char* symbol) {
  void* const found = ::dlsym(open_module(module), symbol);
  if (!found) throw Error(fmt::format("{} is of another version of uaspl", module.file));
  return found;
}

}  // namespace uaspl
