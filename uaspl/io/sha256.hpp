// SHA-256 (FIPS 180-4), to identify files.
#pragma once

#include <string>
#include <string_view>

namespace uaspl {

// 64 hexadecimal digits. Uses the processor's own instructions for it where there are some.
std::string sha256(std::string_view bytes);

// The same without them.
std::string sha256_portable(std::string_view bytes);

}  // namespace uaspl
