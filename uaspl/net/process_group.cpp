// The exchange between processes that train together, see process_group.hpp.
#include "uaspl/net/process_group.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "uaspl/base/error.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {
namespace {

std::vector<std::uint64_t> gather_words(ProcessGroup& group, std::uint64_t mine) {
  std::vector<std::uint64_t> all(group.size());
  group.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

// Checks that all ranks do the same: one that does something else would wait forever, or misread
// what it gets.
void check_same(const std::vector<std::uint64_t>& words) {
  const auto other =
      std::ranges::find_if(words, [&](std::uint64_t word) { return word != words.front(); });
  if (other != words.end())
    throw Error(
        fmt::format("rank {} does something else than rank 0; all need the same program, options, "
                    "data and kind of processor",
                    other - words.begin()));
}

}  // namespace

Part part_of(std::size_t rows, std::size_t rank, std::size_t size) {
  const std::size_t least = rows / size;
  const std::size_t more = rows % size;  // the first ranks have one more row
  return {rank * least + std::min(rank, more), least + (rank < more ? 1 : 0)};
}

void share_rows(ProcessGroup& group, Matrix& rows, std::uint64_t what) {
  check_same(gather_words(group, mix_bits(what ^ mix_bits(rows.rows() + 1))));
  const std::size_t size = group.size();
  const std::size_t largest = part_of(rows.rows(), 0, size).count * rows.cols();
  if (largest == 0) return;
  const auto values_of = [&](std::size_t rank) {
    const Part part = part_of(rows.rows(), rank, size);
    return rows.values().subspan(part.first * rows.cols(), part.count * rows.cols());
  };
  std::vector<float> mine(largest);
  std::ranges::copy(values_of(group.rank()), mine.begin());
  std::vector<float> all(largest * size);
  group.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (std::size_t rank = 0; rank < size; ++rank) {
    const std::span<float> place = values_of(rank);
    std::copy_n(all.data() + rank * largest, place.size(), place.data());
  }
}

bool any_of(ProcessGroup& group, bool mine) {
  constexpr std::uint64_t kQuestion = 0x7374'6f70'3f00ULL;  // differs from other words
  std::vector<std::uint64_t> words = gather_words(group, kQuestion | (mine ? 1U : 0U));
  bool any = false;
  for (std::uint64_t& word : words) {
    any = any || word == (kQuestion | 1U);
    word &= ~std::uint64_t{1};
  }
  check_same(words);
  return any;
}

std::vector<std::string> gather_texts(ProcessGroup& group, const std::string& text) {
  const std::vector<std::uint64_t> sizes = gather_words(group, text.size());
  const std::size_t largest = std::ranges::max(sizes);
  std::string mine = text;
  mine.resize(largest);
  std::string all(largest * sizes.size(), '\0');
  if (largest > 0)
    group.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank)
    texts.push_back(all.substr(rank * largest, sizes[rank]));
  return texts;
}

}  // namespace uaspl
