// Fetches known files, see pull.hpp.
#include "cli/pull.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/download.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/io/file.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl::cli {
namespace {

namespace fs = std::filesystem;

bool is_right(const Pull& pull, const fs::path& file) {
  Input input(file);
  input.read_all();
  return pull.checksum_of(input.view()) == pull.checksum;
}

// Each source has a part of its own: bytes of two of them make no file.
fs::path part_of(const Pull& pull, const std::string& address) {
  constexpr std::size_t kDigits = 8;
  return fmt::format("{}.{}.part", pull.file.string(), sha256(address).substr(0, kDigits));
}

// Throws if the disk has not the room; where that cannot be known, writing will tell.
void check_room(const Pull& pull, std::uint64_t there) {
  std::error_code failed;
  const fs::space_info space = fs::space(pull.file.parent_path(), failed);
  if (!failed && space.available < pull.most_bytes - there)
    throw Error(fmt::format("{}: the disk has {} free bytes, and up to {} are needed",
                            pull.file.parent_path().string(), space.available,
                            pull.most_bytes - there));
}

Downloaded fetch_bytes(const Pull& pull, const Fetching& fetching, const std::string& address,
                       KeptFile& part, Ask ask) {
  if (part.size() > pull.most_bytes) part.empty();
  check_room(pull, part.size());
  Progress progress(!fetching.quiet);
  return download(address, part, ask, pull.most_bytes, [&](double done, double total) {
    progress.show(static_cast<std::size_t>(done), static_cast<std::size_t>(total),
                  total > 0.0 ? done / total : 0.0, "bytes");
    return !interrupted;
  });
}

// Goes on with the part of an earlier download, or begins; and anew, once, if the part is of no
// use or the server does not give the rest of a file: some answer any such wish with an error.
// Returns what went wrong, or nothing if the file is in place.
std::string fetch(const Pull& pull, const Fetching& fetching, const std::string& address) {
  KeptFile part(part_of(pull, address), KeptFile::Begin::kAppend);
  const auto finished = [&] {
    if (part.size() == 0 || part.size() > pull.most_bytes || !is_right(pull, part.path()))
      return false;
    part.put_in_place(pull.file);
    return true;
  };
  if (finished()) return "";
  Ask ask = Ask::kRest;
  while (true) {
    const bool had_bytes = part.size() > 0;
    Downloaded got = fetch_bytes(pull, fetching, address, part, ask);
    if (interrupted) {
      if (part.size() == 0) part.remove();
      return "interrupted";
    }
    if (got.problem.empty()) {
      if (finished()) return "";
      got.problem = fmt::format("the file's {} is not the known one", pull.checksum_name);
      got.useless = true;
    }
    if (got.useless) part.empty();
    if (got.useless && had_bytes && !got.anew) continue;  // without bytes, so this happens once
    if (got.refused) {  // never of the whole, so this happens once
      ask = Ask::kWhole;
      continue;
    }
    if (part.size() == 0) part.remove();
    return got.problem;
  }
}

// Parts of sources that were not needed in the end.
void remove_parts(const Pull& pull) {
  for (const std::string& address : pull.addresses)
    if (const fs::path path = part_of(pull, address); fs::exists(path)) try {
        KeptFile(path, KeptFile::Begin::kAppend).remove();
      } catch (const Error&) {  // another program has it, or it is not ours
      }
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
  std::string problems;
  for (const std::string& address : pull.addresses) {
    const std::string problem = fetch(pull, fetching, address);
    if (interrupted && !problem.empty()) return false;
    if (problem.empty()) {
      remove_parts(pull);
      return true;
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
