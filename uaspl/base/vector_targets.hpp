// Which instruction sets the vector code is compiled for; to be included before Highway's headers.
#pragma once

// Vectors are kept in arrays and structs, which types without a size (SVE, RVV) do not allow; such
// processors take the NEON or the portable code.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
