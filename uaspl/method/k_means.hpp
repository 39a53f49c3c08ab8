// Groups points around centres.
#pragma once

#include <cstddef>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/base/rng.hpp"

namespace uaspl {

// Returns the group, 0..groups-1, of each point: Lloyd's algorithm from centres that are drawn as
// k-means++ draws them, until no point changes its group, but for 100 rounds at most. Ties go to
// the lowest group.
std::vector<int> k_means(const Matrix& points, std::size_t groups, Stream stream);

}  // namespace uaspl
