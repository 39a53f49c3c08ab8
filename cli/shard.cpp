// Parses how work is described on the command line, see shard.hpp.
#include "cli/shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "uaspl/base/error.hpp"

namespace uaspl::cli {
namespace {

template <typename Number>
bool read(std::string_view text, Number& number) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool read_environment(const char* name, std::size_t& number) {
  const char* text = std::getenv(name);
  return text && read(std::string_view(text), number);
}

Shard slurm_shard() {
  std::size_t id = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t count = 0;
  const bool all = read_environment("SLURM_ARRAY_TASK_ID", id) &&
                   read_environment("SLURM_ARRAY_TASK_MIN", first) &&
                   read_environment("SLURM_ARRAY_TASK_MAX", last) &&
                   read_environment("SLURM_ARRAY_TASK_COUNT", count);
  if (!all || id < first || id > last || last - first + 1 != count)
    throw UsageError("--shard slurm needs an array job without gaps, such as --array=1-8");
  return {id - first, count};
}

std::optional<Shard> read_place(const char* rank, const char* size) {
  Shard place;
  const bool both = read_environment(rank, place.index) && read_environment(size, place.count);
  return both && place.index < place.count ? std::optional(place) : std::nullopt;
}

Shard mpi_shard() {
  if (const auto place = place_among_ranks()) return *place;
  if (const auto place = read_place("SLURM_PROCID", "SLURM_NTASKS")) return *place;
  throw UsageError("--shard mpi needs mpirun or srun; their variables are not set");
}

}  // namespace

std::optional<Shard> place_among_ranks() {
  if (const auto place = read_place("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) return place;
  if (const auto place = read_place("PMI_RANK", "PMI_SIZE")) return place;
  return read_place("PMIX_RANK", "SLURM_NTASKS");
}

Shard parse_shard(std::string_view text) {
  if (text == "slurm") return slurm_shard();
  if (text == "mpi") return mpi_shard();
  const std::size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !read(text.substr(0, slash), shard.index) ||
      !read(text.substr(slash + 1), shard.count) || shard.index < 1 || shard.index > shard.count)
    throw UsageError(fmt::format("'{}' is not I/N with I in 1..N, nor slurm, nor mpi", text));
  --shard.index;
  return shard;
}

std::string complaint(const std::function<void()>& parse) {
  try {
    parse();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace uaspl::cli
