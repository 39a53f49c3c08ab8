// The processor's peak of fused multiply-adds on one thread, measured, in floating point
// operations.
#pragma once

// Operations done by one call (a few hundred microseconds of work); time it to have the rate.
double spend_fused_multiply_adds();
