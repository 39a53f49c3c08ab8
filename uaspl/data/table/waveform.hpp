// Makes Breiman's three waves (CART, 1984), a data set of any size.
#pragma once

#include <cstdint>

#include "uaspl/data/dataset.hpp"

namespace uaspl {

// Each row mixes two of three triangular waves in a random proportion and adds unit normal noise to
// its 21 values, which are rounded to two decimals. Classes 0, 1, 2 are equally likely.
Dataset make_waveform(std::size_t rows, std::uint64_t seed);

}  // namespace uaspl
