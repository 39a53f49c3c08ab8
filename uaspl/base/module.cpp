// Opening modules, see module.hpp.
#include "uaspl/base/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> all;
  if (const char* chosen = std::getenv("UASPL_MODULES")) all.emplace_back(chosen);
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  all.push_back(program);
  all.push_back(program / UASPL_MODULE_FOLDER);  // the program was installed
  all.emplace_back(UASPL_LIBRARY_FOLDER);        // the library was, and the program is another
  return all;
}

void* open_module(const Module& module) {
  for (const fs::path& folder : folders()) {
    const fs::path path = folder / module.file;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    const int scope = module.global ? RTLD_GLOBAL : RTLD_LOCAL;
    if (void* opened = ::dlopen(path.c_str(), RTLD_NOW | scope)) return opened;
    throw Error(fmt::format("{}: {}", path.string(), ::dlerror()));
  }
  throw Error(module.missing);
}

}  // namespace

void* find_in_module(const Module& module, const char* symbol) {
  void* const found = ::dlsym(open_module(module), symbol);
  if (!found) throw Error(fmt::format("{} is of another version of uaspl", module.file));
  return found;
}

}  // namespace uaspl
