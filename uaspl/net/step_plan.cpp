// Who computes what in a step, see step_plan.hpp.
#include "uaspl/net/step_plan.hpp"

#include <algorithm>

namespace uaspl {
namespace {

constexpr std::size_t kMaxChunks = 32;
constexpr std::size_t kMostKept = std::size_t{1} << 26;  // values of gradients, 256 MB; twice that
                                                         // if the others do nearly all

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
    : cut(rows), tasks(workers) {
  std::size_t each = cut.count() / tasks;
  if (tasks > 1) each = std::min(each, kMostKept / parameters / (tasks - 1));
  dealt_ = each * tasks;
}

std::optional<std::size_t> Deal::take(std::size_t task) {
  if (task == 0 && front_ == 0 && dealt_ > 0) return front_++;  // nobody else takes the first
  if (tries_.fetch_add(1) + 1 >= dealt_) return {};
  return task == 0 ? front_++ : cut.count() - 1 - back_.fetch_add(1);
}

Range Deal::shared_rows() const {
  return {cut.rows_of(front_).begin, cut.rows_of(cut.count() - kept()).begin};
}

}  // namespace uaspl
