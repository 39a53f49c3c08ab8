// Splits image sets, see image_split.hpp.
#include "uaspl/data/image/image_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {

std::vector<int> grouped_images(const ImageSet& images, double imbalance, std::uint32_t seed) {
  if (images.train == 0 || images.train == images.rows())
    throw Error(images.name + ": no images for " + (images.train == 0 ? "training" : "testing"));
  std::vector<std::vector<int>> members(images.classes.size());
  for (std::size_t i = 0; i < images.train; ++i)
    members[static_cast<std::size_t>(images.labels[i])].push_back(static_cast<int>(i));
  std::vector<std::size_t> counts;
  for (const std::vector<int>& rows : members) counts.push_back(rows.size());
  if (imbalance != 1.0) counts = long_tail(counts, imbalance, seed);
  std::vector<int> grouped;
  for (std::size_t k = 0; k < members.size(); ++k)
    grouped.insert(grouped.end(), members[k].begin(),
                   members[k].begin() + static_cast<std::ptrdiff_t>(counts[k]));
  return grouped;
}

std::vector<int> test_images(const ImageSet& images) {
  std::vector<int> rows(images.rows() - images.train);
  std::iota(rows.begin(), rows.end(), static_cast<int>(images.train));
  return rows;
}

std::vector<std::size_t> long_tail(std::span<const std::size_t> members, double ratio,
                                   std::uint32_t seed) {
  const auto classes = static_cast<double>(members.size());
  const std::size_t all = std::accumulate(members.begin(), members.end(), std::size_t{0});
  const std::size_t whole = all / members.size();  // as published, without the rest
  const auto mean = static_cast<double>(whole);
  Mt19937 words(seed);
  const std::vector<int> places = numpy_permutation(words, members.size());
  std::vector<std::size_t> counts(members.size());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double power = classes > 1.0 ? static_cast<double>(places[k]) / (classes - 1.0) : 0.0;
    const auto wanted = static_cast<std::size_t>(mean / std::pow(ratio, power));
    counts[k] = std::min(members[k], std::max<std::size_t>(1, wanted));
  }
  return counts;
}

}  // namespace uaspl
