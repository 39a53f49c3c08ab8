// Sets which instruction sets the vector code is compiled for. Include it before Highway's headers.
#pragma once

// Vectors are kept in arrays and structs, which types without a size (SVE, RVV) do not allow; such
// processors take the NEON or the portable code.
#ifdef UASPL_FEW_TARGETS
// Sanitizers make every target slow to compile: the baseline and AVX2 are enough there.
#define HWY_DISABLED_TARGETS                                                                     \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | \
   HWY_AVX3_DL)
#else
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
