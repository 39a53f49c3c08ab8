// The version of the library.
#pragma once

namespace uaspl {

const char* version();

}  // namespace uaspl
