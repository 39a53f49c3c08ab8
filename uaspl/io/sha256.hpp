// SHA-256 (FIPS 180-4), to identify files.
#pragma once

#include <string>
#include <string_view>

namespace uaspl {

// Returns 64 hexadecimal digits. Uses the processor's SHA instructions if it has them.
std::string sha256(std::string_view bytes);

// Computes the same without these instructions.
std::string sha256_portable(std::string_view bytes);

}  // namespace uaspl
