// Who computes what in a step, see step_plan.hpp.
#include "uaspl/net/step_plan.hpp"

#include <algorithm>

namespace uaspl {
namespace {

constexpr std::size_t kMaxChunks = 32;
constexpr std::size_t kMostKept = std::size_t{1} << 26;  // values of gradients, 256 MB

}  // namespace

Range Share::of(std::size_t count, std::size_t unit) const {
  const auto bound = [&](std::size_t number) {
    return number == tasks ? count : count * number / tasks / unit * unit;
  };
  return {bound(task), bound(task + 1)};
}

Chunks::Chunks(std::size_t rows) : all(rows) {
  const std::size_t count = std::clamp<std::size_t>((rows + kBlock - 1) / kBlock, 1, kMaxChunks);
  each = std::max<std::size_t>(1, (rows + count - 1) / count);
}

Range Chunks::rows_of(std::size_t chunk) const {
  return {std::min(chunk * each, all), std::min((chunk + 1) * each, all)};
}

std::size_t Chunks::block_end(std::size_t first) const {
  return std::min(first + kBlock, rows_of(first / each).end);
}

Deal::Deal(std::size_t rows, std::size_t workers, std::size_t parameters)
    : cut(rows), tasks(workers), own(cut.count() / workers) {
  if (tasks > 1) own = std::min(own, kMostKept / parameters / (tasks - 1));
}

Range Deal::chunks_of(std::size_t task) const {
  const std::size_t end = task == 0 ? own : cut.count() - (tasks - 1 - task) * own;
  return {end - own, end};
}

Range Deal::shared_rows() const {
  return {cut.rows_of(own).begin, cut.rows_of(cut.count() - kept()).begin};
}

}  // namespace uaspl
