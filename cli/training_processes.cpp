// Joins the ranks that train together, see training_processes.hpp.
#include "cli/training_processes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/shard.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl::cli {
namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

std::size_t number(const char* name, std::size_t least, std::size_t most) {
  const std::string text = variable(name);
  std::size_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw UsageError(
        fmt::format("{}={}: expected a number from {} to {}", name, text, least, most));
  return value;
}

constexpr std::size_t kMostRanks = 4096;

// Reads RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as torchrun and others set them.
std::optional<ProcessPlace> place_by_hand() {
  if (variable("RANK").empty() || variable("WORLD_SIZE").empty()) return std::nullopt;
  ProcessPlace place;
  place.size = number("WORLD_SIZE", 1, kMostRanks);
  place.rank = number("RANK", 0, place.size - 1);
  if (place.size == 1) return place;
  for (const char* name : {"MASTER_ADDR", "MASTER_PORT"})
    if (variable(name).empty())
      throw UsageError(fmt::format(
          "RANK and WORLD_SIZE are set, and {} is not: the address and port of rank 0", name));
  return place;
}

std::optional<ProcessPlace> place_by_mpirun() {
  const std::optional<Shard> ranks = place_among_ranks();
  if (!ranks) return std::nullopt;
  ProcessPlace place;
  place.rank = ranks->index;
  place.size = ranks->count;
  const std::string here = variable("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (!here.empty() && here != std::to_string(place.size) && variable("MASTER_ADDR").empty())
    throw UsageError(
        "ranks on several machines need the address of rank 0: mpirun -x MASTER_ADDR=...");
  return place;
}

// Returns a text that differs between machines, but not between containers of one machine.
std::string machine() {
  std::string text;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  if (std::getline(file, text)) return text;
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

// Throws, with the line, if two descriptions differ.
void compare(std::size_t rank, const std::string& theirs, const std::string& first) {
  if (theirs == first) return;
  const auto differ = std::ranges::mismatch(theirs, first);
  const auto line_at = [](const std::string& text, std::string::const_iterator place) {
    const auto at = static_cast<std::size_t>(place - text.begin());
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  };
  throw Error(fmt::format("rank {} would compute something else: it has {}, and rank 0 has {}",
                          rank, line_at(theirs, differ.in1), line_at(first, differ.in2)));
}

}  // namespace

TrainingProcesses::TrainingProcesses(double seconds) {
  std::optional<ProcessPlace> place = place_by_hand();
  if (!place) {
    place = place_by_mpirun();
    by_mpirun_ = place.has_value();
  }
  if (!place || place->size == 1) return;
  if (!variable("MASTER_ADDR").empty()) place->address = variable("MASTER_ADDR");
  if (!variable("MASTER_PORT").empty())
    place->port = static_cast<std::uint16_t>(number("MASTER_PORT", 1, 65535));
  place->seconds = seconds;
  group_ = join_process_group(*place);
}

std::size_t TrainingProcesses::usual_threads() const {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  if (!group_) return cores;
  std::vector<std::string> machines = gather_texts(*group_, machine());
  std::size_t fewest = cores;
  for (const std::string& text : gather_texts(*group_, std::to_string(cores)))
    fewest = std::min<std::size_t>(fewest, std::strtoull(text.c_str(), nullptr, 10));
  std::ranges::sort(machines);
  return std::ranges::adjacent_find(machines) == machines.end() ? fewest : 1;
}

bool TrainingProcesses::prepare(const std::function<std::vector<std::string>()>& work) const {
  if (!group_) {
    work();
    return true;
  }
  std::exception_ptr failed;
  std::string mine;
  try {
    mine = fmt::format("{}", fmt::join(work(), "\n"));
  } catch (const std::exception& error) {
    failed = std::current_exception();
    mine = fmt::format("\n{}", error.what());  // no description begins like this
  }
  const std::vector<std::string> all = gather_texts(*group_, mine);
  const bool same = std::ranges::all_of(
      all, [&](const std::string& text) { return text == mine && !text.starts_with('\n'); });
  if (same) return true;
  if (by_mpirun_ && !speaks()) return false;
  if (failed) std::rethrow_exception(failed);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].starts_with('\n'))
      throw Error(fmt::format("rank {}: {}", rank, all[rank].substr(1)));
  for (std::size_t rank = 1; rank < all.size(); ++rank) compare(rank, all[rank], all.front());
  return false;
}

int TrainingProcesses::exit_code(int code) const {
  return by_mpirun_ && !speaks() ? kExitDone : code;
}

}  // namespace uaspl::cli
