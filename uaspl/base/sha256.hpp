// SHA-256 (FIPS 180-4), to identify files.
#pragma once

#include <string>
#include <string_view>

namespace uaspl {

// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace uaspl
