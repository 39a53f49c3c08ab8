// Fetches known files, see pull.hpp.
#include "cli/pull.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/download.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/io/input.hpp"

namespace uaspl::cli {
namespace {

namespace fs = std::filesystem;

bool is_right(const Pull& pull, const fs::path& file) {
  Input input(file);
  input.read_all();
  return pull.checksum_of(input.view()) == pull.checksum;
}

}  // namespace

bool pull_file(const Pull& pull, const Fetching& fetching) {
  const fs::path& file = pull.file;
  if (fs::exists(file) && is_right(pull, file)) {
    if (!fetching.quiet) note("{}: already there", file.string());
    return false;
  }
  if (fetching.offline)
    throw Error(fmt::format("{}: not there, and --offline forbids to fetch it", file.string()));
  const fs::path part = file.string() + ".part";
  std::string problems;
  for (const std::string& address : pull.addresses) {
    Progress progress(!fetching.quiet);
    std::string problem = download(address, part, [&](double done, double total) {
      progress.show(static_cast<std::size_t>(done), static_cast<std::size_t>(total),
                    total > 0.0 ? done / total : 0.0, "bytes");
      return !interrupted;
    });
    if (interrupted) return false;
    if (problem.empty() && is_right(pull, part)) {
      fs::rename(part, file);
      return true;
    }
    if (problem.empty()) {
      problem = fmt::format("the file's {} is not the known one", pull.checksum_name);
      fs::remove(part);
    }
    problems += fmt::format("; {}: {}", address, problem);
  }
  throw Error(fmt::format("{}: no source had it{}", pull.name, problems));
}

std::vector<std::string> addresses(const std::vector<std::string>& sources, std::string_view file) {
  std::vector<std::string> all;
  for (const std::string& source : sources)
    all.push_back(fmt::format("{}/{}", source, url_escaped(file)));
  return all;
}

void make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("{}: cannot be made: {}", folder.string(), failed.message()));
}

}  // namespace uaspl::cli
